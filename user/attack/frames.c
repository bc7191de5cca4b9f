/* frames.c - signal frames that a handler corrupted before sigreturn, and frames without a signal.
 */
#include "attack.h"
#include "signals.h"

#define HIGH(bits64, bits32) (sizeof(void *) == 8 ? (uintptr_t)(bits64) : (uintptr_t)(bits32))

static uint64_t zeroes[256];

#define FIELD(field)                                                                               \
        offsetof(struct ucontext, context.field), sizeof(((struct ucontext *)0)->context.field)
static const struct spoil {
        const char *name;
        size_t offset, size;
        uintptr_t value;
        unsigned ends;
} spoils[] = {
        {"ip_null", FIELD(ip), 0, SEGV},
        {"ip_kernel", FIELD(ip), HIGH(0xffffffff80101000, 0xc0101000), SEGV},
        {"ip_not_canonical", FIELD(ip), HIGH(0x8000000000000000, 0xffffffff), SEGV},
        {"ip_last_canonical", FIELD(ip), HIGH(0x7fffffffffff, 0xfffffffe), SEGV},
        {"sp_null", FIELD(sp), 0, SEGV},
        {"sp_kernel", FIELD(sp), HIGH(0xffffffff80800000, 0xc0800000), SEGV},
        {"sp_not_canonical", FIELD(sp), HIGH(0x8000000000000000, 0xfffffff1), SEGV | BUS},
        {"flags_iopl", FIELD(flags), RFLAGS_IOPL | RFLAGS_IF | 2, LIVES},
        {"flags_no_if", FIELD(flags), 2, LIVES},
        {"flags_nt", FIELD(flags), 0x4202, LIVES},
        {"flags_vm", FIELD(flags), 0x20202, LIVES},
        {"flags_rf", FIELD(flags), 0x10202, LIVES},
        {"flags_rf_vm_nt", FIELD(flags), 0x34202, LIVES},
        {"flags_vif_vip_id", FIELD(flags), 0x380202, LIVES},
        {"flags_tf", FIELD(flags), 0x302, TRAP},
        {"flags_all_but_tf", FIELD(flags), ~(uintptr_t)0x100, LIVES},
        {"cs_null", FIELD(cs), 0, SEGV},
        {"cs_data", FIELD(cs), 0x2b, SEGV},
        {"cs_kernel", FIELD(cs), 0x10, SEGV},
        {"cs_kernel_i386", FIELD(cs), 0x60, SEGV},
        {"cs_tss", FIELD(cs), 0x40, SEGV},
        {"cs_ldt", FIELD(cs), 0x0f, SEGV},
        {"cs_beyond", FIELD(cs), 0xfffb, SEGV},
        {"cs_other_width", FIELD(cs), HIGH(0x23, 0x33), SEGV | ILL | BUS | TRAP | LIVES},
        {"ss_null", FIELD(ss), 0, SEGV | BUS | LIVES}, /* amd64's frame may lack it (uc_flags) */
        {"ss_code", FIELD(ss), HIGH(0x33, 0x73), SEGV | BUS | LIVES},
        {"ss_kernel", FIELD(ss), 0x18, SEGV | BUS | LIVES},
        {"ss_ldt", FIELD(ss), 0x0f, SEGV | BUS | LIVES},
        {"ss_beyond", FIELD(ss), 0xfffb, SEGV | BUS | LIVES},
        {"fs_bad", FIELD(fs), 0xfffb, SEGV | LIVES}, /* a bad one is loaded as null */
        {"gs_kernel", FIELD(gs), 0x18, SEGV | LIVES}};
#define SPOILS (sizeof spoils / sizeof *spoils)

static const struct spoil *volatile chosen;

static void spoil(int signal, void *information, struct ucontext *context)
{
        memcpy((char *)context + chosen->offset, &chosen->value, chosen->size);
}

static void spoilt(uintptr_t index)
{
        const struct sigaction action = {(uintptr_t)spoil, SA_SIGINFO | SA_RESTORER,
                                         (uintptr_t)signal_return, 0};
        chosen = &spoils[index];
        if (call(NUMBER_rt_sigaction, SIGUSR1, &action, 0, 8))
                not_here();
        long pid = call(NUMBER_getpid);
        call(NUMBER_kill, pid, SIGUSR1);
        uintptr_t flags;
        __asm__ volatile("pushf; pop %0; push $2; popf" : "=r"(flags) : : "memory", "cc");
        if (flags & RFLAGS_IOPL || !(flags & RFLAGS_IF))
                wrong("a signal frame has set flags %lx", (unsigned long)flags);
}

static const struct {
        const char *name;
        uintptr_t sp;
} stacks[] = {{"null", 0},
              {"kernel", HIGH(0xffffffff80800000, 0xc0800000)},
              {"not_canonical", HIGH(0x8000000000000000, 0x80000000)},
              {"wraps", (uintptr_t)-16},
              {"zeroes", (uintptr_t)zeroes}};
#define STACKS (sizeof stacks / sizeof *stacks)

static unsigned count(void)
{
        return SPOILS + STACKS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        if (i < SPOILS) {
                snprintf(name, ATTACK_NAME, "frame/%s", spoils[i].name);
                *attack = (struct attack){name, spoils[i].ends, spoilt, i};
        } else {
                snprintf(name, ATTACK_NAME, "frame/none/%s", stacks[i - SPOILS].name);
                *attack = (struct attack){name, SEGV | BUS, sigreturn_at, stacks[i - SPOILS].sp};
        }
}

const struct row frames_row = {.name = "frames", .at = at, .whole = count};
