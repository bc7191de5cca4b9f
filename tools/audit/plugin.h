/* plugin.h - QEMU declarations for our TCG plugins.
 *
 * Debian ships no qemu-plugin.h. These are the needed declarations from QEMU's manual ("QEMU TCG
 * Plugins", API); PLUGIN_VERSION is the API version that QEMU requires
 * (tools/tollgate/machines/qemu_plugin.py). None has changed from version 1 (QEMU 7.2) to 4 (QEMU
 * 10). */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned, void *),
                                          int flags, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            void (*cb)(unsigned, void *), int flags,
                                            void *userdata);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *),
                                    void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
void g_free(void *memory); /* from GLib, which QEMU includes */

/* For sorted 64-bit addresses. */
static inline int compare(const void *a, const void *b)
{
        uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
        return (first > second) - (first < second);
}

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_VERSION;
