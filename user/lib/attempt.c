/* attempt.c - the signal handler that returns to attempt(). */
#include "attempt.h"
#include "linux.h"

#define FLAGS 0x202
#define ALTERNATE_STACK 32768

extern char attempt_end[];
extern uintptr_t attempt_sp; /* attempt.asm */
void attempt_start(const void *code, const struct attempt *registers);

static volatile unsigned ended_by;
static volatile uintptr_t ended_at;
static uint16_t code_segment, stack_segment;
static uint8_t alternate[ALTERNATE_STACK] __attribute__((aligned(4096)));

/* The interrupted flags may include AC, which is cleared before memory is touched. Code that
 * overwrote the return path ends the program. */
static void come_back(int signal, void *information, struct ucontext *uc)
{
        __asm__ volatile("push $2; popf" : : : "memory", "cc");
        struct sigcontext *context = &uc->context;
        if (!attempt_sp) {
                signal_set(signal, SIG_DFL); /* the next signal kills */
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
        context_flatten(context);
}

long attempt_init(void)
{
        static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
        const struct sigaltstack stack = {(uintptr_t)alternate, 0, sizeof alternate};
        const struct sigaction action = {(uintptr_t)come_back,
                                         SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER,
                                         (uintptr_t)signal_return, 0};
        __asm__("mov %%cs, %0; mov %%ss, %1" : "=r"(code_segment), "=r"(stack_segment));
        long error = sigaltstack(&stack, NULL);
        for (unsigned i = 0; !error && i < sizeof signals / sizeof *signals; i++)
                error = rt_sigaction(signals[i], &action, NULL, sizeof action.mask);
        return error;
}

unsigned attempt(const void *code, const struct attempt *registers, uintptr_t *at)
{
        attempt_start(code, registers);
        *at = ended_at;
        return ended_by;
}
