/* reach.c - a TCG plugin that records which basic blocks of a kernel were reached: by all boots
 * together, and by each of many inputs in one boot.
 *
 * Arguments: points=FILE, the addresses of the blocks' first instructions in ascending order, 8
 * bytes each; reached=FILE, a byte for each of them, set to 1 when reached. Several machines may
 * share that file.
 *
 * mark=ADDRESS and inputs=FILE: a program begins another input whenever it passes this address.
 * When an input first reaches a block, 4 bytes are written: the block's number, or all bits set
 * where an input begins.
 *
 * A block is reached when its first instruction begins. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "plugin.h"

#define BEGIN UINT32_MAX

static const uint64_t *points;
static size_t count;
static uint8_t *reached;
static uint32_t *last, input = 1; /* last: the last input that reached a block */
static uint64_t mark;
static FILE *inputs;

static void write_number(uint32_t number)
{
        if (inputs)
                fwrite(&number, sizeof number, 1, inputs);
}

static void reach(unsigned vcpu, void *number)
{
        size_t index = (size_t)number;
        if (last[index] == input)
                return;
        last[index] = input;
        reached[index] = 1;
        write_number((uint32_t)index);
}

static void begin(unsigned vcpu, void *nothing)
{
        input++;
        write_number(BEGIN);
        fflush(inputs);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
                struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
                uint64_t at = qemu_plugin_insn_vaddr(insn);
                const uint64_t *point = bsearch(&at, points, count, sizeof at, compare);
                if (point)
                        qemu_plugin_register_vcpu_insn_exec_cb(insn, reach, QEMU_PLUGIN_CB_NO_REGS,
                                                               (void *)(point - points));
                else if (inputs && at == mark)
                        qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, QEMU_PLUGIN_CB_NO_REGS,
                                                               NULL);
        }
}

static void *mapped(const char *path, int flags, int access, size_t *size)
{
        struct stat about;
        int file = open(path, flags);
        if (file < 0 || fstat(file, &about) || !about.st_size)
                return NULL;
        *size = (size_t)about.st_size;
        void *at = mmap(NULL, *size, access, MAP_SHARED, file, 0);
        return at == MAP_FAILED ? NULL : at;
}

static void finish(qemu_plugin_id_t id, void *nothing)
{
        if (inputs)
                fclose(inputs);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        size_t size = 0, room = 0;
        for (int i = 0; i < argc; i++) {
                if (!strncmp(argv[i], "points=", 7))
                        points = mapped(argv[i] + 7, O_RDONLY, PROT_READ, &size);
                else if (!strncmp(argv[i], "reached=", 8))
                        reached = mapped(argv[i] + 8, O_RDWR, PROT_READ | PROT_WRITE, &room);
                else if (!strncmp(argv[i], "mark=", 5))
                        mark = strtoull(argv[i] + 5, NULL, 0);
                else if (!strncmp(argv[i], "inputs=", 7))
                        inputs = fopen(argv[i] + 7, "wb");
        }
        count = size / sizeof *points;
        if (!count)
                return 0; /* only an attempt */
        last = calloc(count, sizeof *last);
        if (!reached || room < count || !last)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        qemu_plugin_register_atexit_cb(id, finish, NULL);
        return 0;
}
