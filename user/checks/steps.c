/* steps.c - the single step (TF) and argument faults for every mechanism: where the steps stop, and
 * the result for a bad pointer or stack. Both rings must agree, so the host compares one origin's
 * checks with the other's. */
#include "const.h"
#include "layout.h"
#include "linux.h"
#include "registers.h"
#include "signals.h"
#include "toll.h"

#define STEPS 24

/* The place where each step of a user half stopped, as an offset; outside of it, -1. */
static struct {
        uintptr_t half;
        unsigned count, kernel;
        int at[STEPS];
} walk;

static void stepped(int signal, struct siginfo *info, struct ucontext *uc)
{
        uintptr_t at = uc->context.ip - walk.half;
        walk.kernel += at >= 256 && uc->context.ip >= KERNEL_BASE;
        if (walk.count < STEPS)
                walk.at[walk.count] = at < 256 ? (int)at : -1;
        walk.count++;
}

/* The handler returns by INT 80h: another way in may be armed with a row that is not a call. */
static void handle(int signal, const void *handler)
{
        const struct sigaction action = {(uintptr_t)handler, SA_SIGINFO | SA_RESTORER,
                                         (uintptr_t)toll_return, 0};
        toll_call(NUMBER_rt_sigaction, signal, &action, NULL, sizeof action.mask);
}

static void nothing(void)
{
}

/* The steps up to the half's end. A row without the check for work delays a step to the next call,
 * and TF with it. */
static void try_steps(const struct toll_row *row)
{
        struct registers r = {
                {[REG_AX] = NUMBER_getpid, [REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_TF}};
        char text[200];
        unsigned length = 0;
        walk.half = (uintptr_t)row->clean;
        walk.count = walk.kernel = 0;
        handle(SIGTRAP, stepped);
        registers_call((const void *)(uintptr_t)row->clean, &r);
        unsigned count = walk.count < STEPS ? walk.count : STEPS;
        toll_call(NUMBER_gettid);
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        registers_call((const void *)(uintptr_t)nothing, &r);
        handle(SIGTRAP, NULL);
        for (unsigned i = 0; i < count && walk.at[i] >= 0; i++)
                length +=
                        (unsigned)snprintf(text + length, sizeof text - length, " %d", walk.at[i]);
        check(count && !walk.at[0] && !walk.kernel, row->id,
              "%u steps, the first at%s, %u in the kernel", walk.count, length ? text : " nothing",
              walk.kernel);
}

/* Pointers to unmapped memory, to read-only memory, and to the kernel. On rows that use the
 * program's own stack the kernel may not fault. */
static void try_pointers(const struct toll_row *row)
{
        const uintptr_t places[] = {
                0, 8, NOWHERE, (uintptr_t)try_pointers, KERNEL_BASE, (uintptr_t)-16};
        unsigned wrong = 0;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
                struct registers r = {
                        {[REG_AX] = NUMBER_uname, [REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF}};
                r.r[WIDE ? REG_DI : REG_BX] = places[i];
                registers_call((const void *)(uintptr_t)row->clean, &r);
                wrong |= (long)r.r[REG_AX] != -EFAULT ? 1u << i : 0;
        }
        check(!wrong, row->id, "pointers that are no good: all but %x fail", wrong);
}

/* A delayed step must not reach the next program, which has no handler for it. */
static void try_execve(const struct toll_row *row, int index, const char *self)
{
        static const char *arguments[] = {"steps", "ends", NULL}, *const none[] = {NULL};
        struct registers r = {
                {[REG_AX] = NUMBER_execve, [REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_TF}};
        int status = -1;
        if (!toll_call(NUMBER_fork)) {
                toll_call(NUMBER_toll_select, index, 0);
                r.r[WIDE ? REG_DI : REG_BX] = (uintptr_t)self;
                r.r[WIDE ? REG_SI : REG_CX] = (uintptr_t)arguments;
                r.r[REG_DX] = (uintptr_t)none;
                handle(SIGTRAP, stepped);
                registers_call((const void *)(uintptr_t)row->clean, &r);
                toll_call(NUMBER_exit_group, 99);
        }
        toll_call(NUMBER_wait4, -1, &status, 0, NULL);
        check(!status, row->id, "the program that it executes: status %x", status);
}

/* SYSCALL with an invalid stack: it holds a 32-bit program's sixth argument and, at CPL 0, the
 * words of the return. */
static void try_no_stack(const struct toll_row *row)
{
        long result = without_stack(STACKLESS_syscall, 0);
        check(result == (WIDE ? toll_call(NUMBER_getpid) : -EFAULT), row->id, "without a stack: %s",
              result == -EFAULT ? "EFAULT" : "answered");
}

int main(int argc, char **argv)
{
        struct toll_row row;
        if (argc > 1 && !strcmp(argv[1], "ends"))
                return 0;
        output_through(toll_call);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (row.missing[0] || row.alone || strcmp(row.suite, "toll"))
                        continue;
                toll_call(NUMBER_toll_quiet, row.quiet);
                toll_call(NUMBER_toll_select, i, 0);
                try_steps(&row);
                if (row.answers == TOLL_ANSWERS_calls && !strstr(row.id, "/samestack/"))
                        try_pointers(&row);
                if (row.answers == TOLL_ANSWERS_calls && row.looks && !row.quiet)
                        try_execve(&row, i, argv[0]);
                if (strstr(row.id, "/syscall/standard") && !(at_cpl_0() && !WIDE))
                        try_no_stack(&row);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
                toll_call(NUMBER_toll_quiet, 0);
        }
        return check_status();
}
