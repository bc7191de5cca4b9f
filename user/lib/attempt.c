/* attempt.c - the handler that brings attempt() back. */
#include "attempt.h"
#include "ucontext.h"
#include "lib.h"
#include "watch.h"

#define FLAGS 0x202
#define ALTERNATE_STACK 32768

extern char attempt_end[], attempt_restorer[];
extern uintptr_t attempt_sp; /* arch's attempt.asm */
void attempt_start(const void *code, const struct attempt *registers);

static volatile unsigned ended_by;
static volatile uintptr_t ended_at;
static uint16_t code_segment, stack_segment;
static uint8_t alternate[ALTERNATE_STACK] __attribute__((aligned(4096)));

static void die_of_the_next(int signal)
{
        static const struct signal_action deadly;
        system_call(LINUX_rt_sigaction, (long)signal, &deadly, 0L, 8L, 0L, 0L);
}

/* The interrupted flags may have AC set: they are cleared before memory is touched. Code that has
 * written over what it should come back to ends the program. */
static void come_back(int signal, void *information, struct ucontext *context)
{
        __asm__ volatile("push $2; popf" : : : "memory", "cc");
        (void)information;
        if (!attempt_sp) {
                die_of_the_next(signal);
                return;
        }
        ended_by = (unsigned)signal;
        ended_at = context->ip;
        context->ip = (uintptr_t)attempt_end;
        context->sp = attempt_sp;
        attempt_sp = 0;
        context->flags = FLAGS;
        context->cs = code_segment;
        context->ss = stack_segment;
        CONTEXT_FLAT(context);
}

long attempt_init(void)
{
        static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
        struct signal_stack stack = {alternate, 0, sizeof alternate};
        struct signal_action action = {
                (uintptr_t)come_back,
                SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER,
                (uintptr_t)attempt_restorer,
                0,
        };
        __asm__("mov %%cs, %0; mov %%ss, %1" : "=r"(code_segment), "=r"(stack_segment));
        long error = system_call(LINUX_sigaltstack, &stack, 0L, 0L, 0L, 0L, 0L);
        for (unsigned i = 0; !error && i < sizeof signals / sizeof *signals; i++)
                error = system_call(LINUX_rt_sigaction, (long)signals[i], &action, 0L, 8L, 0L, 0L);
        return error;
}

unsigned attempt(const void *code, const struct attempt *registers, uintptr_t *at)
{
        attempt_start(code, registers);
        *at = ended_at;
        return ended_by;
}
