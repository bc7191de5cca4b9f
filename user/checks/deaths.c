/*
 * deaths.c - every way for a program to die, each in a process of its own: by which signal it ends,
 * and that nobody else feels it. only=NAME dies so itself: the kernel says of what, and goes on.
 *
 * The name's prefix is the signal that Linux would send. What nothing forbids at CPL 0 is not tried
 * there.
 */
#include "child.h"
#include "layout.h"
#include "linux.h"
#include "registers.h"
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

/* The page above a program's memory belongs to nobody. */
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

static void single_step(void)
{
        step_gate(0, NUMBER_getpid, NULL);
}

static void write_cr3(void)
{
        __asm__ volatile("mov %0, %%cr3" : : "r"(zero));
}

static void load_kernel_ds(void)
{
        __asm__ volatile("mov %0, %%ds" : : "r"(KERNEL_DS));
}

/* An odd gate for #UD, where this program has such rows. */
static bool arm_undefined(void)
{
        struct toll_row row;
        toll_call(NUMBER_toll_quiet, 1);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (strstr(row.id, "/ud/plain"))
                        return !toll_call(NUMBER_toll_select, i);
        return false;
}

/* The next system call takes the gate off. */
static void row_gone(void)
{
        arm_undefined();
        toll_call(NUMBER_getpid);
        undefined();
}

/* While it is there, the call gate is not. */
static void way_shut(void)
{
        struct toll_control control;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        const struct __attribute__((packed)) {
                uint32_t offset;
                uint16_t selector;
        } far = {0, control.gate_selector};
        if (arm_undefined())
                step_gate(4, NUMBER_getpid, &far);
}

/* i386 has no NX; AMD's processors have no SYSENTER in long mode; compat has no exception's row. */
static const struct way {
        const char *name;
        void (*die)(void);
        bool privileged; /* at CPL 0 it would do what it says */
        unsigned also;   /* other right ends, bit n = signal n */
} ways[] = {
        {"SIGSEGV-write-null", write_null, false, 0},
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
        {"SIGSEGV-bad-sysenter", bad_sysenter, true, ILL},
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
        {"SIGSEGV-way-shut", way_shut, false, LIVES},
        {"SIGTRAP-breakpoint", breakpoint, false, 0},
        {"SIGTRAP-single-step", single_step, false, 0},
};

/* TF is set when this row's gate is taken; the step belongs to the program, and must not be taken
 * inside the kernel. */
static void step_into(int index, const struct toll_row *row)
{
        static const char *const gates[] = {"/int/standard", "/int/nowork", "/int/service",
                                            "/int/bare",     "/callgate/",  "/sysenter/",
                                            "/syscall/"};
        struct toll_control control;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        const struct __attribute__((packed)) {
                uint32_t offset;
                uint16_t selector;
        } far = {0, control.gate_selector};
        if (row->bare)
                toll_call(NUMBER_toll_quiet, 1);
        toll_call(NUMBER_toll_select, index);
        for (unsigned gate = 0; gate < sizeof gates / sizeof *gates; gate++)
                if (strstr(row->id, gates[gate]))
                        step_gate(gate, NUMBER_getpid, &far);
        toll_call(NUMBER_getpid); /* a row that looks for no work owes it */
}

/* At CPL 0 FMASK takes TF with the other flags, and a bare jump gives none back; Bochs steps before
 * that. */
static unsigned step_ends(const struct toll_row *row)
{
        bool lost = WIDE && !strcmp(row->id, "trusted/syscall/bare");
        return 1u << SIGTRAP | (lost ? LIVES : 0);
}

static bool has_step(const struct toll_row *row)
{
        return !row->missing[0] && !strcmp(row->suite, "toll") && !strstr(row->id, "/call/") &&
               !strstr(row->id, "/samestack/");
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
        uintptr_t cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                if (!(cs & 3) && ways[i].privileged)
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
        (void)argc;
        output_through(toll_call);
        const char *only = option(argv, "only");
        if (only && !*only)
                only = NULL;
        try_ways(only);
        try_steps(only);
        if (only)
                print("deaths: lived through %s\n", only);
        return check_status();
}
