/* trial.c - makes a call by each mechanism at boot, from CPL 3, and returns: the processor may lack
 * SYSENTER or SYSCALL, whatever CPUID says.
 *
 * The call is a few bytes followed by INT3, the same code in every mode, in a page mapped for it;
 * its row is the bare one. The page's end is both the program's stack and the kernel's, because
 * SYSCALL does not switch stacks. So this must run before SMAP is on. */
#include "toll/lack.h"
#include "context.h"
#include "entry/entry.h"
#include "entry/ways.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "origins.h"
#include "start.h"
#include "thread/call.h"
#include "trap/dispatch.h"

#define AT 0x100000 /* address of the page; nothing else is there */
#define FAR_POINTER 0x40
#define TO(n) (uint8_t)(n), (uint8_t)((n) >> 8), (uint8_t)((n) >> 16), 0
#define INT3 0xcc

static const struct {
        uint8_t code[16];
        const char *in, *out;
} calls[MECHANISMS] = {
        [MECHANISM_int] = {{0xcd, 0x83, INT3}, "INT n", "IRET"},
        /* cs call far [FAR_POINTER] */
        [MECHANISM_callgate] = {{0x2e, 0xff, 0x1c, 0x25, TO(AT + FAR_POINTER), INT3},
                                "a call gate",
                                "a far return"},
        /* mov ecx, esp; mov edx, the INT3; sysenter */
        [MECHANISM_sysenter] = {{0x89, 0xe1, 0xba, TO(AT + 9), 0x0f, 0x34, INT3},
                                "SYSENTER",
                                "SYSEXIT"},
        [MECHANISM_syscall] = {{0x0f, 0x05, INT3}, "SYSCALL", "SYSRET"},
};
static uint8_t page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static void *back[5];
static const struct row *trial;

static bool come(uintptr_t vector, struct frame *frame)
{
        enum mechanism m = trial->mechanism;
        if (vector != VECTOR_BP)
                snprintf(mechanism_failed[m][mode_of(trial->origin)], sizeof **mechanism_failed,
                         "%s, tried at the boot: %s", frame->cs & 3 ? calls[m].in : calls[m].out,
                         exceptions[vector].name);
        __builtin_longjmp(back, 1);
}

static void call_once(struct frame *frame)
{
        static struct thread program;
        struct selection armed[MECHANISMS] = {{0}};
        armed[trial->mechanism].row = trial;
        memcpy(page, calls[trial->mechanism].code, sizeof calls->code);
        program.origin = trial->origin;
        start_frame(&program, frame, AT, AT + PAGE_SIZE);
        frame->flags = RFLAGS_FIXED;
        ways_load_own(trial->origin, armed);
        if (!__builtin_setjmp(back))
                frame_leave();
}

void trial_run(void)
{
        static const struct trap_way way = {.vector = come};
        static const enum origin origins[] = {ORIGIN_USER, ORIGIN_COMPAT};
        space_map_kernel(AT, PHYSICAL(page), PTE_USER | PTE_WRITE);
        cpu_stack = (uintptr_t)(page + PAGE_SIZE);
        stack_set(cpu_stack);
        if (cpu_sysenter)
                msr_write(IA32_SYSENTER_ESP, cpu_stack);
        trap_by(&way);
        page[FAR_POINTER + 4] = GATE_SELECTOR;
        for (size_t i = 0; i < 2; i++)
                for (size_t n = 0; (trial = row_at(origins[i], n)); n++)
                        if (strstr(trial->id, "/bare") && *calls[trial->mechanism].code &&
                            !row_missing(trial))
                                call_once((struct frame *)cpu_stack - 1);
        trap_by(NULL);
        cpu_stack = (uintptr_t)boot_stack_top;
        *space_entry(kernel_space, AT) = 0;
        space_prune(&(struct memory){.space = kernel_space}, AT);
        space_load(kernel_space);
        ways_init();
}
