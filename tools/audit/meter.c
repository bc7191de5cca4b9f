/*
 * meter.c - a second meter: a TCG plugin that counts instructions as QEMU begins them, and knows
 * neither a time-stamp counter nor a record. At each of its points it writes down the count.
 *
 * Arguments: points=FILE, the addresses of points in the order of their numbers, 8 bytes each;
 * log=FILE, what it writes: for each point that was passed, and for each RDTSC, the address (8
 * bytes) and how many instructions had begun before it (8 bytes). Of an RDTSC that a program passes
 * again and again, and nothing else, only the first and the last, whose count has its
 * highest bit set.
 *
 * An instruction that a fault cuts short has begun. QEMU's own counter (-icount) leaves it out.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin.h"

#define NEAR 50000 /* instructions: a loop that reads the clock does so again within them */

#define LOOPED ((uint64_t)1 << 63)

static uint64_t begun;
static uint64_t last[2]; /* of a loop that reads the clock: not written yet, if it has an address */
static FILE *output;
static uint64_t *points;
static size_t count;

static void write_last(void)
{
        if (last[0])
                fwrite(last, sizeof last, 1, output);
        last[0] = 0;
}

static void note(unsigned vcpu, void *address)
{
        (void)vcpu;
        uint64_t event[] = {(uint64_t)(uintptr_t)address, begun++};
        write_last();
        fwrite(event, sizeof event, 1, output);
}

/* RDTSC. Of a loop of them the first and the last are written. */
static void read_clock(unsigned vcpu, void *address)
{
        static uint64_t before[2];
        uint64_t event[] = {(uint64_t)(uintptr_t)address, begun};
        if (event[0] != before[0] || begun - before[1] > NEAR || (last[0] && last[0] != event[0])) {
                note(vcpu, address);
        } else {
                last[0] = event[0];
                last[1] = event[1] | LOOPED;
                begun++;
        }
        memcpy(before, event, sizeof before);
}

static void pass(unsigned vcpu, void *nothing)
{
        (void)vcpu, (void)nothing;
        begun++;
}

static int compare(const void *a, const void *b)
{
        uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
        return (first > second) - (first < second);
}

static bool is_rdtsc(const struct qemu_plugin_insn *insn)
{
        char *text = qemu_plugin_insn_disas(insn);
        bool found = !strncmp(text, "rdtsc", 5);
        g_free(text);
        return found;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        (void)id;
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
                struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
                uint64_t address = qemu_plugin_insn_vaddr(insn);
                bool is_point = bsearch(&address, points, count, sizeof address, compare);
                qemu_plugin_register_vcpu_insn_exec_cb(insn,
                                                       is_point         ? note
                                                       : is_rdtsc(insn) ? read_clock
                                                                        : pass,
                                                       QEMU_PLUGIN_CB_NO_REGS,
                                                       (void *)(uintptr_t)address);
        }
}

static void finish(qemu_plugin_id_t id, void *nothing)
{
        (void)id, (void)nothing;
        write_last();
        fclose(output);
}

static bool read_points(const char *path)
{
        FILE *file = fopen(path, "rb");
        if (!file)
                return false;
        fseek(file, 0, SEEK_END);
        count = (size_t)ftell(file) / sizeof *points;
        rewind(file);
        points = calloc(count + 1, sizeof *points);
        bool whole = points && fread(points, sizeof *points, count, file) == count;
        fclose(file);
        qsort(points, count, sizeof *points, compare);
        return whole;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        (void)info;
        bool have_points = false;
        for (int i = 0; i < argc; i++) {
                if (!strncmp(argv[i], "points=", 7))
                        have_points = read_points(argv[i] + 7);
                else if (!strncmp(argv[i], "log=", 4))
                        output = fopen(argv[i] + 4, "wb");
        }
        if (!have_points || !output)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        qemu_plugin_register_atexit_cb(id, finish, NULL);
        return 0;
}
