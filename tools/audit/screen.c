/*
 * screen.c - counts what a kernel writes to the memory of the screen: a TCG plugin that looks at
 * each store of the kernel's instructions, and knows nothing of the kernel's drivers.
 *
 * Arguments: from=ADDRESS and size=BYTES, where the kernel has that memory, in its own addresses;
 * log=FILE: how many stores and how many bytes there have been, 8 bytes each, while it runs. An
 * instruction with REP counts once for each element.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "plugin.h"

#define KERNEL 0xc0000000 /* from here on: of either kernel, and of no loader */

static uint64_t from, size;
static volatile uint64_t *counts;

static void note(unsigned vcpu, uint32_t info, uint64_t address, void *nothing)
{
        (void)vcpu, (void)nothing;
        if (address - from < size) {
                counts[0]++;
                counts[1] += 1u << qemu_plugin_mem_size_shift(info);
        }
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        (void)id;
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
                struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
                if (qemu_plugin_insn_vaddr(insn) >= KERNEL)
                        qemu_plugin_register_vcpu_mem_cb(insn, note, QEMU_PLUGIN_CB_NO_REGS,
                                                         QEMU_PLUGIN_MEM_W, NULL);
        }
}

/* A file that is none, such as /dev/null, gets nothing. */
static bool open_log(const char *path)
{
        static uint64_t nowhere[2];
        int file = open(path, O_RDWR | O_CREAT, 0666);
        if (file < 0)
                return false;
        counts = ftruncate(file, sizeof nowhere)
                         ? nowhere
                         : mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        return counts != MAP_FAILED;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        (void)info;
        bool logs = false;
        for (int i = 0; i < argc; i++) {
                if (!strncmp(argv[i], "from=", 5))
                        from = strtoull(argv[i] + 5, NULL, 0);
                else if (!strncmp(argv[i], "size=", 5))
                        size = strtoull(argv[i] + 5, NULL, 0);
                else if (!strncmp(argv[i], "log=", 4))
                        logs = open_log(argv[i] + 4);
        }
        if (!logs)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        return 0;
}
