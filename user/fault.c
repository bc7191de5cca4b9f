/*
 * fault.c - one way for a program to die, chosen by name (only=NAME): the kernel must say which,
 * and go on to the next program.
 *
 * With no name it lists them. The name's prefix is the signal that Linux would send. What nothing
 * forbids at CPL 0 is not tried there.
 */
#include "const.h"
#include "layout.h"
#include "lib.h"
#include "registers.h"
#include "toll.h"

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

static const struct way {
        const char *name;
        void (*die)(void);
        bool privileged; /* at CPL 0 it would do what it says */
} ways[] = {
        {"SIGSEGV-write-null", write_null, false},
        {"SIGSEGV-jump-null", jump_null, false},
        {"SIGSEGV-jump-limit", jump_limit, false},
        {"SIGSEGV-write-kernel", write_kernel, false},
        {"SIGSEGV-read-kernel", read_kernel, true},
        {"SIGSEGV-write-text", write_text, false},
        {"SIGSEGV-write-gate-page", write_gate_page, false},
        {"SIGSEGV-execute-stack", execute_stack, false},
        {"SIGSEGV-stack-overflow", stack_overflow, false},
        {"SIGSEGV-bad-stack", bad_stack, false},
        {"SIGSEGV-v86", enter_v86, false},
        {"SIGSEGV-bad-sysenter", bad_sysenter, true},
        {"SIGSEGV-cli", disable_interrupts, true},
        {"SIGSEGV-hlt", halt, true},
        {"SIGSEGV-out", out_port, true},
        {"SIGSEGV-cr3", write_cr3, true},
        {"SIGSEGV-int-0e", int_0e, true},
        {"SIGSEGV-int-08", int_08, true},
        {"SIGSEGV-int-20", int_20, true},
        {"SIGSEGV-int-81", int_81, true},
        {"SIGSEGV-kernel-ds", load_kernel_ds, true},
        {"SIGFPE-divide", divide, false},
        {"SIGILL-undefined", undefined, false},
        {"SIGILL-row-gone", row_gone, false},
        {"SIGSEGV-way-shut", way_shut, false},
        {"SIGTRAP-breakpoint", breakpoint, false},
        {"SIGTRAP-single-step", single_step, false},
};

/* "SIGTRAP-step-ID": TF is set when row ID's gate is taken; the step belongs to the program, and
 * must not be taken inside the kernel. */
static void step_into(const char *id)
{
        static const char *const gates[] = {"/int/standard", "/int/nowork", "/int/service",
                                            "/int/bare",     "/callgate/",  "/sysenter/",
                                            "/syscall/"};
        struct toll_control control;
        struct toll_row row;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        const struct __attribute__((packed)) {
                uint32_t offset;
                uint16_t selector;
        } far = {0, control.gate_selector};
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (strcmp(row.id, id) || row.missing[0])
                        continue;
                if (row.bare)
                        toll_call(NUMBER_toll_quiet, 1);
                toll_call(NUMBER_toll_select, i);
                for (unsigned gate = 0; gate < sizeof gates / sizeof *gates; gate++)
                        if (strstr(id, gates[gate]))
                                step_gate(gate, NUMBER_getpid, &far);
        }
}

int main(int argc, char **argv)
{
        (void)argc;
        output_through(toll_call);
        const char *only = option(argv, "only");
        const char *step = "SIGTRAP-step-";
        uintptr_t cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        if (only && !strncmp(only, step, strlen(step)))
                step_into(only + strlen(step));
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                if (!only || !*only)
                        print("%s\n", ways[i].name);
                else if (!strcmp(ways[i].name, only) && (cs & 3 || !ways[i].privileged))
                        ways[i].die();
        }
        if (only && *only)
                print("fault: lived through %s\n", only);
        return 0;
}
