/* sighandler.c - a program's exceptions as signals: what a handler sees and may change, the FPU's
 * state, and the cost of going to a handler and back.
 *
 * only=NAME shows one way for a signal to end a program. */
#include "const.h"
#include "registers.h"
#include "signals.h"

static long pid;
static int count; /* signals that the handler got */
static struct siginfo info;
static struct ucontext seen;
static unsigned ring;
static void (*while_inside)(struct ucontext *);

static void extended(int signal, struct siginfo *i, struct ucontext *uc)
{
        info = *i;
        seen = *uc;
        count++;
        if (while_inside)
                while_inside(uc);
}

static long act(int signal, const void *handler, unsigned long flags, uint64_t mask)
{
        count = 0;
        return signal_act(signal, handler, flags, mask);
}

/* A fault, and what the handler must see. `at`: the address in siginfo, or AT_IP, AT_ZERO. */
static void go_back(struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)guarded_back;
        uc->context.flags &= ~(uintptr_t)(RFLAGS_TF | RFLAGS_AC | RFLAGS_DF);
}

static void write_at(uintptr_t address)
{
        fault_write(address);
}
static void divide(uintptr_t zero)
{
        __asm__ volatile("div %0" : : "r"(zero), "a"(1), "d"(0));
}
static void undefined(uintptr_t unused)
{
        __asm__ volatile("std; ud2"); /* the kernel must still copy upwards */
}
static void breakpoint(uintptr_t unused)
{
        __asm__ volatile("int3");
}
static void privileged(uintptr_t unused)
{
        __asm__ volatile("hlt");
}
static void step(uintptr_t unused)
{
        uintptr_t flags;
        __asm__ volatile("pushf; pop %0; or $0x100, %0; push %0; popf; nop; nop"
                         : "=&r"(flags)
                         :
                         : "memory", "cc");
}
static void divide_x87(uintptr_t unused)
{
        uint16_t control = 0x37b;
        __asm__ volatile("fninit; fldcw %0; fld1; fldz; fdivrp; fwait" : : "m"(control));
}
static void overflow_x87(uintptr_t unused)
{
        uint16_t control = 0x37e;
        __asm__ volatile("fninit; fldcw %0; fld1; fchs; fsqrt; fwait" : : "m"(control));
}

#define AT_IP 1
#define AT_ZERO 2
static const struct fault_case {
        const char *name;
        void (*cause)(uintptr_t);
        uintptr_t argument;
        int signal, code;
        uintptr_t at;         /* in siginfo */
        unsigned trap, error; /* #PF's error code: U is set at CPL 0, too */
        unsigned rings;       /* 3: not at CPL 0 */
} cases[] = {
        {"nothing mapped", write_at, NOWHERE + 5, SIGSEGV, SEGV_MAPERR, NOWHERE + 5, 14, 6, 0},
        {"text", write_at, (uintptr_t)&cases, SIGSEGV, SEGV_ACCERR, (uintptr_t)&cases, 14, 7, 0},
        {"division", divide, 0, SIGFPE, FPE_INTDIV, AT_IP, 0, 0, 0},
        {"no instruction", undefined, 0, SIGILL, ILL_ILLOPN, AT_IP, 6, 0, 0},
        {"breakpoint", breakpoint, 0, SIGTRAP, SI_KERNEL, AT_ZERO, 3, 0, 0},
        {"privileged", privileged, 0, SIGSEGV, SI_KERNEL, AT_ZERO, 13, 0, 3},
        {"step", step, 0, SIGTRAP, TRAP_TRACE, AT_IP, 1, 0, 0},
        {"x87 division", divide_x87, 0, SIGFPE, FPE_FLTDIV, AT_IP, 16, 0, 0},
        {"x87 root", overflow_x87, 0, SIGFPE, FPE_FLTINV, AT_IP, 16, 0, 0}};

static void try_faults(void)
{
        while_inside = go_back;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                const struct fault_case *c = &cases[i];
                if (c->rings == 3 && ring != 3)
                        continue;
                act(c->signal, extended, SA_SIGINFO, 0);
                guarded_call(c->cause, c->argument);
                uintptr_t at = c->at == AT_IP ? seen.context.ip : c->at == AT_ZERO ? 0 : c->at;
                check(count == 1 && info.signal == c->signal && info.code == c->code &&
                              info.address == at,
                      c->name, "signal %d, code %d, address %lx", info.signal, info.code,
                      (unsigned long)info.address);
                check(seen.context.trapno == c->trap && seen.context.err == c->error &&
                              (c->trap != 14 || seen.context.cr2 == c->at) &&
                              !(seen.context.flags & RFLAGS_DF) == (c->cause != undefined),
                      c->name, "vector %lu, error %lx, cr2 %lx", (unsigned long)seen.context.trapno,
                      (unsigned long)seen.context.err, (unsigned long)seen.context.cr2);
        }
        act(SIGILL, extended, SA_SIGINFO, 0);
        guarded_call(fault_after_call, 0);
        check(seen.context.ip == (uintptr_t)fault_after_call_at && (long)seen.context.ax == -512,
              "no call", "an exception with -512 in the result register: ip %+ld, %ld",
              (long)(seen.context.ip - (uintptr_t)fault_after_call_at), (long)seen.context.ax);
        while_inside = NULL;
}

static void answer_77(struct ucontext *uc)
{
        uc->context.ax = 77;
}

static void skip_write(struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)fault_write_end;
}

static void send_user_1(void)
{
        signal_self(SIGUSR1);
}

static uint32_t inside_mxcsr;
static uint16_t inside_control;

static void spoil_fpu(struct ucontext *uc)
{
        __asm__ volatile("fnstcw %0; stmxcsr %1; fninit; fldz; xorps %%xmm0, %%xmm0"
                         : "=m"(inside_control), "=m"(inside_mxcsr));
}

static void change_fpu(struct ucontext *uc)
{
        *(uint32_t *)((uintptr_t)uc->context.fpstate + CONTEXT_FXSAVE + 160) = 0x12345678;
}

#define FXSAVE_COMPARED 288 /* x87 and eight XMM registers */

static void try_fpu(void)
{
        static uint8_t before[512] __attribute__((aligned(16)));
        static uint8_t after[512] __attribute__((aligned(16)));
        act(SIGUSR1, extended, SA_SIGINFO, 0);
        while_inside = spoil_fpu;
        fpu_call((const void *)send_user_1, 0, before, after);
        check(!memcmp(before + 24, after + 24, FXSAVE_COMPARED - 24) && !memcmp(before, after, 6),
              "fpu", "x87 and SSE state come back");
        check(inside_mxcsr == 0x1f80 && inside_control == 0x37f, "fpu",
              "a handler starts with a clean one: %x, %x", inside_control, inside_mxcsr);
        while_inside = change_fpu;
        fpu_call((const void *)send_user_1, 0, before, after);
        check(*(uint32_t *)(after + 160) == 0x12345678, "fpu", "a handler may change it: %x",
              *(uint32_t *)(after + 160));
        while_inside = NULL;
}

static void try_return(void)
{
        act(SIGUSR1, extended, SA_SIGINFO, 0);
        while_inside = answer_77;
        long result = signal_self(SIGUSR1);
        check(result == 77, "sigreturn", "a handler may change the result: %ld", result);
        while_inside = NULL;
        long changed = kill_over_red_zone(pid, SIGUSR1);
        check(!changed, "red zone", "%ld of 128 bytes changed", changed);
}

static void skip_at_once(int signal, struct siginfo *i, struct ucontext *uc)
{
        skip_write(uc);
}

/* The path's length, if the counter counts instructions. */
static void measure(void)
{
        uint64_t best = ~(uint64_t)0;
        act(SIGSEGV, skip_at_once, SA_SIGINFO, 0);
        for (int i = 0; i < 10; i++) {
                uint64_t start = tsc();
                fault_write(NOWHERE);
                uint64_t ticks = tsc() - start;
                best = ticks < best ? ticks : best;
        }
        print("SIGSEGV to a handler and back: %llu ticks\n", (unsigned long long)best);
}

/* Each ends the program. */
static void die_blocked(void)
{
        act(SIGSEGV, extended, SA_SIGINFO, 0);
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGSEGV));
        fault_write(NOWHERE);
}
static void die_ignored(void)
{
        act(SIGSEGV, (const void *)SIG_IGN, 0, 0);
        fault_write(NOWHERE);
}
static void die_no_stack(void)
{
        act(SIGSEGV, extended, SA_SIGINFO, 0);
        bad_stack();
}
static void die_bad_frame(void)
{
        sigreturn_at(NOWHERE);
}
static void die_term(void)
{
        signal_self(SIGTERM);
}
static void die_kill(void)
{
        signal_mask(SIG_BLOCK, ~(uint64_t)0);
        signal_self(SIGKILL);
}

static const struct {
        const char *name;
        void (*die)(void);
} ways[] = {{"blocked", die_blocked},     {"ignored", die_ignored}, {"no-stack", die_no_stack},
            {"bad-frame", die_bad_frame}, {"term", die_term},       {"kill", die_kill}};

int main(int argc, char **argv)
{
        const char *die = option(argv, "only");
        ring = at_cpl_0() ? 0 : 3;
        pid = getpid();
        for (size_t i = 0; die && i < sizeof ways / sizeof *ways; i++)
                if (!strcmp(ways[i].name, die))
                        ways[i].die();
        if (die && *die) {
                print("sighandler: lived through %s\n", die);
                return 0;
        }
        try_faults();
        try_return();
        if (has_fxsr())
                try_fpu();
        measure();
        return check_status();
}
