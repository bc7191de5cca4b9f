/* stretch.c - a second count of the stretches with interrupts off: a TCG plugin that reads
 * RFLAGS.IF before each translation block, independently of the kernel's own meter.
 *
 * Arguments: from=ADDRESS, the start (the kernel's function that returns its own meter's results);
 * least=N, instructions: shorter stretches are not written; log=FILE: for each stretch its length
 * and start address, 8 bytes each, and a length of 0 where that function begins.
 *
 * IF changes only between blocks: CLI, STI, POPF and IRET end a block, and an interrupt or an
 * exception begins one. Plugins cannot read registers before QEMU 9, so this calls QEMU's gdb
 * functions by name, which Debian's binaries export. */
#include "plugin.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GLib's and QEMU's */
struct bytes {
        uint8_t *data;
        unsigned length;
};
struct bytes *g_byte_array_new(void);
struct bytes *g_byte_array_set_size(struct bytes *bytes, unsigned length);
void *qemu_get_cpu(int index);
int x86_cpu_gdb_read_register(void *cpu, struct bytes *to, int number);
/* gdb's number for it in qemu-system-x86_64, in every mode */
#define EFLAGS 17

static uint64_t begun, since, from, start, least;
static bool counting, off;
static FILE *output;

static bool interrupts_are_on(void)
{
        static struct bytes *bytes;
        static void *cpu;
        if (!bytes) {
                bytes = g_byte_array_new();
                cpu = qemu_get_cpu(0);
        }
        g_byte_array_set_size(bytes, 0);
        x86_cpu_gdb_read_register(cpu, bytes, EFLAGS);
        return bytes->data[1] & 2; /* bit 9 */
}

static void note(uint64_t length, uint64_t address)
{
        uint64_t event[] = {length, address};
        fwrite(event, sizeof event, 1, output);
}

static void block(unsigned vcpu, void *address)
{
        if ((uint64_t)(uintptr_t)address == from) {
                counting = true;
                note(0, from);
        }
        if (!counting || interrupts_are_on() != off)
                return;
        off = !off;
        if (off) {
                since = begun;
                start = (uint64_t)(uintptr_t)address;
        } else if (begun - since >= least) {
                note(begun - since, start);
        }
}

static void pass(unsigned vcpu, void *nothing)
{
        begun++;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        qemu_plugin_register_vcpu_tb_exec_cb(tb, block, QEMU_PLUGIN_CB_R_REGS,
                                             (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
                qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), pass, 0,
                                                       NULL);
}

static void finish(qemu_plugin_id_t id, void *nothing)
{
        fclose(output);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        for (int i = 0; i < argc; i++) {
                if (!strncmp(argv[i], "from=", 5))
                        from = strtoull(argv[i] + 5, NULL, 0);
                else if (!strncmp(argv[i], "least=", 6))
                        least = strtoull(argv[i] + 6, NULL, 0);
                else if (!strncmp(argv[i], "log=", 4))
                        output = fopen(argv[i] + 4, "wb");
        }
        if (!output)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        qemu_plugin_register_atexit_cb(id, finish, NULL);
        return 0;
}
