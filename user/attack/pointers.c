/*
 * pointers.c - invalid pointers, as each of the six arguments of every system call. Whatever the
 * result, the program must continue, with only the contract's registers changed and no kernel
 * address in any.
 */
#include "attack.h"
#include "calls.h"
#include "layout.h"
#include "registers.h"

#define ARGUMENTS 6
#define ERROR_MAX 4095
#define REG_R11 (REG_R8 + 3)

extern const char half_int[], half_syscall[]; /* ways.asm */

static const uintptr_t pointers[] = {
        0,
        1,
        0xfff,
        0x10000,
        (uintptr_t)KERNEL_BASE - 1,
        (uintptr_t)KERNEL_BASE,
        (uintptr_t)KERNEL_BASE + 0x101000,
        (uintptr_t)KERNEL_BASE + 0x1000000,
        (uintptr_t)-1 >> 1,
        (uintptr_t)-1 >> 17,
        ((uintptr_t)-1 >> 17) - 4095,
        (uintptr_t)1 << (8 * sizeof(void *) - 1),
        (uintptr_t)-4096,
        (uintptr_t)-4095,
        (uintptr_t)-8,
        (uintptr_t)-1,
};

/* Values of the other five arguments. */
#define SOCKET 64
static const uintptr_t others[] = {0, 1, SOCKET, (uintptr_t)-1};

/* A descriptor for socket calls, with bytes to read so that none waits. */
static void open_socket(void)
{
        int pair[2];
        system_call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM | O_NONBLOCK, 0, pair);
        system_call(NUMBER_write, pair[1], others, sizeof others);
        system_call(NUMBER_dup2, pair[0], SOCKET);
}

/* The registers of the six arguments. */
static unsigned register_of(unsigned place)
{
        static const unsigned narrow[] = {REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP};
        static const unsigned wide[] = {REG_DI, REG_SI, REG_DX, REG_R8 + 2, REG_R8, REG_R8 + 1};
        return WIDE ? wide[place] : narrow[place];
}

static bool is_kernels(uintptr_t value)
{
        return value >= (uintptr_t)KERNEL_BASE && value < (uintptr_t)-ERROR_MAX;
}

/* Calls whose results depend on the program's values: signal() returns the previous handler; under
 * a 64-bit Linux the heap's end may be anywhere. */
static bool answers_its_own(const char *name)
{
        return !strcmp(name, "toll_sum") || !strcmp(name, "signal") ||
               (!on_tollgate() && !strcmp(name, "brk"));
}

/* SYSCALL sets RCX and R11 to values that the program knows. */
static void compare(const char *name, const struct registers *before, const struct registers *after,
                    bool by_syscall)
{
        for (unsigned i = 0; i < REGISTERS; i++) {
                bool clobbered = by_syscall && (i == REG_CX || i == REG_R11);
                bool changed = after->r[i] != before->r[i];
                if (i != REG_FLAGS && i != REG_AX && changed && !clobbered)
                        wrong("%s changed register %u to %lx", name, i, (unsigned long)after->r[i]);
                bool own = i == REG_FLAGS || (i == REG_AX && answers_its_own(name));
                if (!own && changed && is_kernels(after->r[i]))
                        wrong("%s left an address of the kernel in register %u: %lx", name, i,
                              (unsigned long)after->r[i]);
        }
}

static void try_call(const struct named_call *target, unsigned place, uintptr_t pointer,
                     uintptr_t other)
{
        bool by_syscall = WIDE && !on_tollgate();
        for (int round = 0; round <= (WIDE && on_tollgate()); round++, by_syscall = true) {
                struct registers before = {{0}}, after;
                for (unsigned i = 0; i < REGISTERS; i++)
                        before.r[i] = 0x1111 * (i + 1);
                for (unsigned i = 0; i < ARGUMENTS; i++)
                        before.r[register_of(i)] = i == place ? pointer : other;
                before.r[REG_AX] = (uintptr_t)target->number;
                before.r[REG_FLAGS] = 0x202;
                after = before;
                registers_call(by_syscall ? half_syscall : half_int, &after);
                compare(target->name, &before, &after, by_syscall);
        }
}

/* These calls may change the process so much that it cannot survive. */
static bool may_kill_itself(const struct named_call *target)
{
        static const char *const names[] = {"brk",   "munmap", "mprotect",        "mmap",
                                            "mmap2", "mremap", "set_thread_area", "arch_prctl"};
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
                if (!strcmp(target->name, names[i]))
                        return true;
        return false;
}

static void give_pointers(uintptr_t index)
{
        const struct named_call *target = &named_calls[index / ARGUMENTS];
        if (!call_is_tame(target) || (!on_tollgate() && !strncmp(target->name, "toll_", 5)))
                not_here();
        open_socket();
        for (unsigned p = 0; p < sizeof pointers / sizeof *pointers; p++)
                for (unsigned o = 0; o < sizeof others / sizeof *others; o++)
                        try_call(target, index % ARGUMENTS, pointers[p], others[o]);
}

static unsigned count(void)
{
        return named_call_count * ARGUMENTS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        const struct named_call *target = &named_calls[i / ARGUMENTS];
        snprintf(name, ATTACK_NAME, "pointer/%s/%u", target->name, i % ARGUMENTS);
        *attack = (struct attack){name, may_kill_itself(target) ? LIVES | SEGV : LIVES,
                                  give_pointers, i};
}

const struct subject pointers_subject = {"pointers", count, at};
