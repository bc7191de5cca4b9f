/* deaths.c - every way for a program to die, each in a process of its own: checks the signal, and
 * that no other process is affected. only=NAME dies so itself: the kernel prints the reason and
 * continues.
 *
 * The name's prefix is Linux's signal. Actions that are allowed at CPL 0 are not tried there. */
#include "beside.h"
#include "child.h"
#include "const.h"
#include "layout.h"
#include "linux.h"
#include "registers.h"
#include "signals.h"
#include "toll.h"

#define LIMIT 20000 /* milliseconds for one death */
#define LIVES 1u
#define ILL (1u << SIGILL)
#define STEP "SIGTRAP-step-"

static volatile uintptr_t zero;

static void write_null(void)
{
        *(volatile int *)zero = 1;
}

static void jump_null(void)
{
        ((void (*)(void))zero)();
}

/* The page above a program's memory is always unmapped. */
static void jump_limit(void)
{
        ((void (*)(void))(uintptr_t)0xbffff800)();
}

/* Nothing is mapped there. */
static void jump_kernel(void)
{
        ((void (*)(void))(uintptr_t)-0x20000000l)();
}

static void write_kernel(void)
{
        *(volatile int *)(uintptr_t)(KERNEL_BASE + 0x101000) = 1;
}

static void read_kernel(void)
{
        (void)*(volatile int *)(uintptr_t)(KERNEL_BASE + 0x101000);
}

static void write_text(void)
{
        *(volatile char *)(uintptr_t)write_text = 0;
}

static void write_gate_page(void)
{
        struct toll_control control;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        *(volatile char *)(uintptr_t)control.pair[0] = 0;
}

static void execute_stack(void)
{
        volatile unsigned char code[] = {0xc3};
        ((void (*)(void))(uintptr_t)code)();
}

static void divide(void)
{
        __asm__ volatile("div %0" : : "r"(zero), "a"(1), "d"(0));
}

static void stack_overflow(void)
{
        __asm__ volatile("1: push %0; jmp 1b" : : "r"(zero));
}

#define INSTRUCTION(name, text)                                                                    \
        static void name(void)                                                                     \
        {                                                                                          \
                __asm__ volatile(text : : : "memory");                                             \
        }
INSTRUCTION(undefined, "ud2")
INSTRUCTION(breakpoint, "int3")
INSTRUCTION(disable_interrupts, "cli")
INSTRUCTION(halt, "hlt")
INSTRUCTION(out_port, "mov $0x3f8, %%dx; out %%al, %%dx")
INSTRUCTION(int_0e, "int $0x0e")
INSTRUCTION(int_08, "int $0x08")
INSTRUCTION(int_20, "int $0x20")
INSTRUCTION(int_81, "int $0x81")
#undef INSTRUCTION

static void nothing(void)
{
}

static void single_step(void)
{
        struct registers r = {{[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_TF}};
        registers_call((const void *)(uintptr_t)nothing, &r);
}

static void write_cr3(void)
{
        __asm__ volatile("mov %0, %%cr3" : : "r"(zero));
}

static void load_kernel_ds(void)
{
        __asm__ volatile("mov %0, %%ds" : : "r"(KERNEL_DS));
}

/* Arms a special gate; false = this program has no such row. */
static bool arm_odd(const char *gate)
{
        toll_call(NUMBER_toll_quiet, 1);
        return row_choose(gate);
}

/* The next system call removes the gate. */
static void row_gone(void)
{
        arm_odd("/ud/plain");
        toll_call(NUMBER_getpid);
        undefined();
}

/* i386 has no NX. AMD's processors have no SYSENTER in long mode, and at CPL 0 it is closed
 * (SYSEXIT returns only to CPL 3). compat has no exception rows. */
static const struct way {
        const char *name;
        void (*die)(void);
        bool privileged; /* at CPL 0 the instruction is allowed */
        unsigned also;   /* other allowed ends, bit n = signal n */
} ways[] = {{"SIGSEGV-write-null", write_null, false, 0},
            {"SIGSEGV-jump-null", jump_null, false, 0},
            {"SIGSEGV-jump-limit", jump_limit, false, 0},
            {"SIGSEGV-jump-kernel", jump_kernel, false, 0},
            {"SIGSEGV-write-kernel", write_kernel, false, 0},
            {"SIGSEGV-read-kernel", read_kernel, true, 0},
            {"SIGSEGV-write-text", write_text, false, 0},
            {"SIGSEGV-write-gate-page", write_gate_page, false, 0},
            {"SIGSEGV-execute-stack", execute_stack, false, WIDE ? 0 : LIVES},
            {"SIGSEGV-stack-overflow", stack_overflow, false, 0},
            {"SIGSEGV-bad-stack", bad_stack, false, 0},
            {"SIGSEGV-v86", enter_v86, false, 0},
            {"SIGSEGV-bad-sysenter", bad_sysenter, false, ILL},
            {"SIGSEGV-cli", disable_interrupts, true, 0},
            {"SIGSEGV-hlt", halt, true, 0},
            {"SIGSEGV-out", out_port, true, 0},
            {"SIGSEGV-cr3", write_cr3, true, 0},
            {"SIGSEGV-int-0e", int_0e, true, 0},
            {"SIGSEGV-int-08", int_08, true, 0},
            {"SIGSEGV-int-20", int_20, true, 0},
            {"SIGSEGV-int-81", int_81, true, 0},
            {"SIGSEGV-kernel-ds", load_kernel_ds, true, 0},
            {"SIGFPE-divide", divide, false, 0},
            {"SIGILL-undefined", undefined, false, 0},
            {"SIGILL-row-gone", row_gone, false, 0},
            {"SIGTRAP-breakpoint", breakpoint, false, 0},
            {"SIGTRAP-single-step", single_step, false, 0}};

/* One walk: steps so far, the first step behind the gate, and the last one that the child survives;
 * 0 = none. */
static volatile struct {
        uintptr_t half;
        unsigned steps, entered, last;
        uint64_t before; /* MP4 of the probed copy: its service routine comes after the gate */
} walk;
#define HALF_SIZE 256 /* more than any user half's */
static volatile const uint64_t *stamps;

/* The handler returns by INT 80h: another way in may have a row that is not a system call. */
static void handle_steps(const void *handler)
{
        const struct sigaction action = {(uintptr_t)handler, SA_SIGINFO | SA_RESTORER,
                                         (uintptr_t)toll_return, 0};
        toll_call(NUMBER_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask);
}
static void stepped(int signal, struct siginfo *info, struct ucontext *uc)
{
        walk.steps++;
        if (!walk.entered && (stamps[3] != walk.before || uc->context.ip - walk.half >= HALF_SIZE))
                walk.entered = walk.steps;
        if (walk.steps == walk.last)
                handle_steps(NULL);
}

static void walk_through(int index, const struct toll_row *row, long flavour, unsigned last)
{
        struct registers r = {
                {[REG_AX] = NUMBER_getpid, [REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_TF}};
        toll_call(NUMBER_toll_select, index, flavour);
        walk.half = (uintptr_t)row->clean;
        walk.steps = walk.entered = 0;
        walk.last = last;
        walk.before = stamps[3];
        handle_steps(stepped);
        registers_call((const void *)(uintptr_t)row->clean, &r);
        toll_call(NUMBER_gettid); /* a row without the check for work delays a step, and keeps TF */
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        registers_call((const void *)(uintptr_t)nothing, &r);
}

/* Runs the row's own user half with TF set: the step that enters the kernel is the program's, and
 * must not be taken inside. Once with the probed kernel half, to find that step; once more, to die
 * of it. */
static void step_into(int index, const struct toll_row *row)
{
        struct toll_control control;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        stamps = (const uint64_t *)(uintptr_t)control.probe_page;
        toll_call(NUMBER_toll_register, 1);
        if (row->quiet)
                toll_call(NUMBER_toll_quiet, 1);
        walk_through(index, row, 2, 0);
        walk_through(index, row, 0, walk.entered ? walk.entered - 1 : walk.steps);
}

/* A row that changes all flags clears TF, too; Bochs steps before that. */
static unsigned step_ends(const struct toll_row *row)
{
        return 1u << SIGTRAP | (row->clobbers & TOLL_FLAGS ? LIVES : 0);
}

/* While a row is armed alone, signals are not possible. */
static bool has_step(const struct toll_row *row)
{
        return !row->missing[0] && !row->alone;
}

static _Noreturn void leave(void)
{
        toll_call(NUMBER_exit_group, 0);
        __builtin_unreachable();
}

static void judge(const char *name, long child, unsigned ends)
{
        int status = child < 0 ? CHILD_HUNG : child_wait(child, LIMIT);
        bool right =
                status != CHILD_HUNG && !CHILD_STATUS(status) && ends & 1u << CHILD_SIGNAL(status);
        check(right, name, "%s",
              status == CHILD_HUNG ? "neither died nor lived" : end_name(CHILD_SIGNAL(status)));
}

static long fork_child(void)
{
        return toll_call(NUMBER_fork);
}

static unsigned ends_of(const struct way *way)
{
        for (unsigned signal = 1; signal < 32; signal++) {
                const char *name = end_name(signal);
                if (!strncmp(way->name, name, strlen(name)))
                        return 1u << signal | way->also;
        }
        return way->also;
}

static void try_ways(const char *only)
{
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                if (at_cpl_0() && ways[i].privileged)
                        continue;
                if (only && !strcmp(ways[i].name, only))
                        ways[i].die();
                if (only)
                        continue;
                long child = fork_child();
                if (!child) {
                        ways[i].die();
                        leave();
                }
                judge(ways[i].name, child, ends_of(&ways[i]));
        }
}

/* While a special gate is armed, the kernel's own faults would use it, too. So only INT 80h works,
 * and disarms it. A closed mechanism is a fault, -ENOSYS, or an unanswered interrupt. */
static void try_shut(const struct toll_row *row)
{
        if (!arm_odd("/bp/plain"))
                leave();
        long result = gate_call((const void *)(uintptr_t)row->clean, NUMBER_getpid);
        bool answered = result == toll_call(NUMBER_getpid);
        bool right = row->vector ? answered == (row->vector == VECTOR_INT80) : result == -ENOSYS;
        toll_call(NUMBER_exit_group, !right);
}

static void try_all_shut(void)
{
        struct toll_row row;
        char name[60];
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (row.missing[0] || row.alone)
                        continue;
                snprintf(name, sizeof name, "way-shut-%s", row.id);
                long child = fork_child();
                if (!child)
                        try_shut(&row);
                judge(name, child,
                      WIDE && strstr(row.id, "/syscall/") ? LIVES : LIVES | ILL | 1u << SIGSEGV);
        }
}

static void try_steps(const char *only)
{
        struct toll_row row;
        char name[60];
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (!has_step(&row))
                        continue;
                snprintf(name, sizeof name, STEP "%s", row.id);
                if (only && !strcmp(name, only))
                        step_into(i, &row);
                if (only)
                        continue;
                long child = fork_child();
                if (!child) {
                        step_into(i, &row);
                        leave();
                }
                judge(name, child, step_ends(&row));
        }
}

int main(int argc, char **argv)
{
        beside_begin(argv);
        output_through(toll_call);
        const char *only = option(argv, "only");
        if (only && !*only)
                only = NULL;
        try_ways(only);
        try_steps(only);
        if (!only)
                try_all_shut();
        if (only)
                print("deaths: lived through %s\n", only);
        beside_end();
        return check_status();
}
