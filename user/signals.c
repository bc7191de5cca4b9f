/*
 * signals.c - signals as Linux has them: every check holds on a Linux host, too.
 *
 * With only=NAME it shows one way for a signal to end a program. Frames that no program may have
 * are tried by sigreturn.c.
 */
#include "const.h"
#include "layout.h"
#include "proc/signal.h"
#include "registers.h"
#include "signals.h"

#define MAP_LATER 0x7e000000ul /* nothing is mapped there */

static long pid;
static int came[8], count; /* the signals that handlers have seen, in turn */
static struct siginfo info;
static struct ucontext seen;
static uintptr_t handler_sp;
static uint64_t mask_inside;
static unsigned ring;
static void (*while_inside)(struct ucontext *);
static uint8_t stack_memory[16384] __attribute__((aligned(16)));

static long call(long number, long a, long b, long c, long d)
{
        return system_call(number, a, b, c, d, 0L, 0L);
}

static uint64_t change_mask(int how, uint64_t set)
{
        uint64_t old = 0;
        call(NUMBER_rt_sigprocmask, how, (long)(uintptr_t)&set, (long)(uintptr_t)&old, 8);
        return old;
}
#define mask_now() change_mask(0, 0)

static void note(int signal)
{
        if (count < 8)
                came[count] = signal;
        count++;
        mask_inside = mask_now();
        handler_sp = (uintptr_t)__builtin_frame_address(0);
}

static void plain(int signal)
{
        note(signal);
}

static void extended(int signal, struct siginfo *i, struct ucontext *uc)
{
        info = *i;
        seen = *uc;
        note(signal);
        if (while_inside)
                while_inside(uc);
}

static long act(int signal, const void *handler, unsigned long flags, uint64_t mask)
{
        bool more = flags & SA_SIGINFO;
        struct action a = {(uintptr_t)handler,
                           flags | SA_RESTORER,
                           (uintptr_t)(more ? restorer_extended : restorer_plain),
                           {(uint32_t)mask, (uint32_t)(mask >> 32)}};
        count = 0;
        return call(NUMBER_rt_sigaction, signal, (long)(uintptr_t)&a, 0, 8);
}

static long send(int signal)
{
        return call(NUMBER_kill, pid, signal, 0, 0);
}

static void try_sending(void)
{
        act(SIGUSR1, extended, SA_SIGINFO, 0);
        long result = send(SIGUSR1);
        check(!result && count == 1 && came[0] == SIGUSR1, "kill", "%ld, %d delivered", result,
              count);
        check(info.signal == SIGUSR1 && info.code == SI_USER && info.pid == pid, "kill",
              "siginfo: signal %d, code %d, pid %d", info.signal, info.code, info.pid);
        result = call(NUMBER_tkill, pid, SIGUSR1, 0, 0);
        check(!result && count == 2 && info.code == SI_TKILL, "tkill", "%ld, code %d", result,
              info.code);
        result = call(NUMBER_tgkill, pid, pid, SIGUSR1, 0);
        check(!result && count == 3, "tgkill", "%ld, %d delivered", result, count);
        act(SIGUSR1, plain, 0, 0);
        send(SIGUSR1);
        check(count == 1 && came[0] == SIGUSR1, "without SA_SIGINFO", "%d delivered", count);

        static const struct {
                long number, a, b, c;
                long result;
        } wrong[] = {
                {NUMBER_kill, 0x3ffffff, SIGUSR1, 0, -ESRCH},
                {NUMBER_kill, -0x3ffffff, 0, 0, -ESRCH},
                {NUMBER_tkill, 0, SIGUSR1, 0, -EINVAL},
                {NUMBER_tkill, -1, SIGUSR1, 0, -EINVAL},
                {NUMBER_tgkill, 0, 1, SIGUSR1, -EINVAL},
                {NUMBER_tkill, 0x3ffffff, 0, 0, -ESRCH},
        };
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
                result = call(wrong[i].number, wrong[i].a, wrong[i].b, wrong[i].c, 0);
                check(result == wrong[i].result, "refused", "call %ld: %ld", wrong[i].number,
                      result);
        }
        check(send(65) == -EINVAL && send(-1) == -EINVAL && !send(0), "numbers",
              "65 and -1 are refused, 0 asks");
}

static void try_masks(void)
{
        const uint64_t both = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2);
        uint64_t pending = 0;
        act(SIGUSR1, plain, 0, 0);
        act(SIGUSR2, plain, 0, 0);
        change_mask(0, both | SIGNALS_UNBLOCKABLE);
        check(mask_now() == both, "mask", "%llx: SIGKILL and SIGSTOP are not in it",
              (unsigned long long)mask_now());
        send(SIGUSR2), send(SIGUSR1), send(SIGUSR1);
        call(NUMBER_rt_sigpending, (long)(uintptr_t)&pending, 8, 0, 0);
        check(!count && pending == both, "blocked", "%d delivered, %llx pending", count,
              (unsigned long long)pending);
        change_mask(1, both);
        check(count == 2 && came[0] == SIGUSR2 && came[1] == SIGUSR1, "unblocked",
              "%d delivered: the last one set up runs first (%d, %d)", count, came[0], came[1]);
        check(call(NUMBER_rt_sigprocmask, 3, (long)(uintptr_t)&pending, 0, 8) == -EINVAL &&
                      call(NUMBER_rt_sigprocmask, 0, 1, 0, 8) == -EFAULT &&
                      call(NUMBER_rt_sigprocmask, 0, 0, 0, 4) == -EINVAL,
              "mask", "what is wrong is refused");

        act(SIGUSR1, plain, 0, SIGNAL_BIT(SIGUSR2));
        send(SIGUSR1);
        check(mask_inside == both && !mask_now(), "inside", "mask %llx, after it %llx",
              (unsigned long long)mask_inside, (unsigned long long)mask_now());
        act(SIGUSR1, plain, SA_NODEFER, 0);
        send(SIGUSR1);
        check(!mask_inside, "SA_NODEFER", "mask %llx", (unsigned long long)mask_inside);
}

static void try_actions(void)
{
        struct action old = {0};
        const long to = (long)(uintptr_t)&old;
        act(SIGUSR1, plain, SA_RESETHAND | 0x100, 0);
        call(NUMBER_rt_sigaction, SIGUSR1, 0, to, 8);
        check(old.handler == (uintptr_t)plain && old.flags == (SA_RESETHAND | SA_RESTORER),
              "sigaction", "flags %lx: an unknown one is dropped", old.flags);
        send(SIGUSR1);
        call(NUMBER_rt_sigaction, SIGUSR1, 0, to, 8);
        check(count == 1 && old.handler == SIG_DFL, "SA_RESETHAND", "then the default: %lx",
              old.handler);
        check(act(SIGKILL, plain, 0, 0) == -EINVAL && act(SIGSTOP, plain, 0, 0) == -EINVAL &&
                      act(0, plain, 0, 0) == -EINVAL && act(65, plain, 0, 0) == -EINVAL &&
                      !call(NUMBER_rt_sigaction, SIGKILL, 0, to, 8) &&
                      call(NUMBER_rt_sigaction, SIGUSR1, 1, 0, 8) == -EFAULT &&
                      call(NUMBER_rt_sigaction, SIGUSR1, 0, 0, 4) == -EINVAL,
              "sigaction", "what is wrong is refused");
        act(SIGUSR1, (const void *)SIG_IGN, 0, 0);
        send(SIGUSR1);
        act(SIGUSR1, plain, 0, 0);
        check(!count, "SIG_IGN", "%d delivered", count);
        send(SIGCHLD), send(SIGURG), send(SIGWINCH), send(SIGCONT);
        check(true, "default", "SIGCHLD, SIGURG, SIGWINCH, SIGCONT are ignored");
        change_mask(0, SIGNAL_BIT(SIGUSR1));
        send(SIGUSR1);
        act(SIGUSR1, (const void *)SIG_IGN, 0, 0);
        act(SIGUSR1, plain, 0, 0);
        change_mask(1, SIGNAL_BIT(SIGUSR1));
        check(!count, "SIG_IGN", "forgets what is pending: %d delivered", count);
}

static void try_suspend(void)
{
        const uint64_t none = 0;
        act(SIGUSR1, plain, 0, 0);
        change_mask(0, SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2));
        send(SIGUSR1);
        long result = call(NUMBER_rt_sigsuspend, (long)(uintptr_t)&none, 8, 0, 0);
        check(result == -EINTR && count == 1 && mask_inside == SIGNAL_BIT(SIGUSR1) &&
                      mask_now() == (SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2)),
              "sigsuspend", "%ld, %d delivered, mask inside %llx", result, count,
              (unsigned long long)mask_inside);
        change_mask(2, 0);
}

static struct alternate asked;
static long answer;

static void ask_stack(struct ucontext *uc)
{
        struct alternate off = {0, SS_DISABLE, 0};
        (void)uc;
        call(NUMBER_sigaltstack, 0, (long)(uintptr_t)&asked, 0, 0);
        answer = call(NUMBER_sigaltstack, (long)(uintptr_t)&off, 0, 0, 0);
}

static long set_stack(unsigned flags, unsigned long size)
{
        struct alternate new = {(uintptr_t)stack_memory, flags, size};
        return call(NUMBER_sigaltstack, (long)(uintptr_t) & new, 0, 0, 0);
}

static void try_stack(void)
{
        check(set_stack(0, 2047) == -ENOMEM && set_stack(3, 4096) == -EINVAL &&
                      set_stack(4, 4096) == -EINVAL &&
                      call(NUMBER_sigaltstack, 1, 0, 0, 0) == -EFAULT,
              "sigaltstack", "what is wrong is refused");
        check(!set_stack(0, sizeof stack_memory), "sigaltstack", "set");
        act(SIGUSR1, extended, SA_SIGINFO | SA_ONSTACK, 0);
        while_inside = ask_stack;
        send(SIGUSR1);
        uintptr_t at = handler_sp - (uintptr_t)stack_memory;
        check(at < sizeof stack_memory, "SA_ONSTACK", "the handler runs at %lx of it",
              (unsigned long)at);
        check(asked.flags == SS_ONSTACK && answer == -EPERM &&
                      asked.start == (uintptr_t)stack_memory,
              "SA_ONSTACK", "inside: flags %x, taking it away: %ld", asked.flags, answer);
        check(seen.stack.start == (uintptr_t)stack_memory && seen.stack.size == sizeof stack_memory,
              "SA_ONSTACK", "it is in the context");
        set_stack(SS_AUTODISARM, sizeof stack_memory);
        send(SIGUSR1);
        check((asked.flags & SS_DISABLE) && !answer, "SS_AUTODISARM", "inside: flags %x",
              asked.flags);
        while_inside = NULL;
        call(NUMBER_sigaltstack, 0, (long)(uintptr_t)&asked, 0, 0);
        check(asked.flags == SS_AUTODISARM && asked.size == sizeof stack_memory, "SS_AUTODISARM",
              "armed again by sigreturn: flags %x", asked.flags);
        set_stack(0, sizeof stack_memory);
}

/* A fault, and what of it the handler must see. `at`: the address in siginfo, or AT_IP, AT_ZERO. */
static void go_back(struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)attempt_back;
        uc->context.flags &= ~(uintptr_t)(RFLAGS_TF | RFLAGS_AC);
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
        (void)unused;
        __asm__ volatile("ud2");
}
static void breakpoint(uintptr_t unused)
{
        (void)unused;
        __asm__ volatile("int3");
}
static void privileged(uintptr_t unused)
{
        (void)unused;
        __asm__ volatile("hlt");
}
static void step(uintptr_t unused)
{
        uintptr_t flags;
        (void)unused;
        __asm__ volatile("pushf; pop %0; or $0x100, %0; push %0; popf; nop; nop"
                         : "=&r"(flags)
                         :
                         : "memory", "cc");
}
static void divide_x87(uintptr_t unused)
{
        uint16_t control = 0x37b;
        (void)unused;
        __asm__ volatile("fninit; fldcw %0; fld1; fldz; fdivrp; fwait" : : "m"(control));
}
static void overflow_x87(uintptr_t unused)
{
        uint16_t control = 0x37e;
        (void)unused;
        __asm__ volatile("fninit; fldcw %0; fld1; fchs; fsqrt; fwait" : : "m"(control));
}

#define AT_IP 1
#define AT_ZERO 2
static const struct fault_case {
        const char *name;
        void (*cause)(uintptr_t);
        uintptr_t argument;
        int signal, code;
        uintptr_t at; /* in siginfo */
        unsigned trap;
        unsigned rings; /* 3: not at CPL 0 */
} cases[] = {
        {"nothing mapped", write_at, MAP_LATER + 5, SIGSEGV, SEGV_MAPERR, MAP_LATER + 5, 14, 0},
        {"text", write_at, (uintptr_t)&cases, SIGSEGV, SEGV_ACCERR, (uintptr_t)&cases, 14, 0},
        {"division", divide, 0, SIGFPE, FPE_INTDIV, AT_IP, 0, 0},
        {"no instruction", undefined, 0, SIGILL, ILL_ILLOPN, AT_IP, 6, 0},
        {"breakpoint", breakpoint, 0, SIGTRAP, SI_KERNEL, AT_ZERO, 3, 0},
        {"privileged", privileged, 0, SIGSEGV, SI_KERNEL, AT_ZERO, 13, 3},
        {"step", step, 0, SIGTRAP, TRAP_TRACE, AT_IP, 1, 0},
        {"x87 division", divide_x87, 0, SIGFPE, FPE_FLTDIV, AT_IP, 16, 0},
        {"x87 root", overflow_x87, 0, SIGFPE, FPE_FLTINV, AT_IP, 16, 0},
};

static void try_faults(void)
{
        while_inside = go_back;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                const struct fault_case *c = &cases[i];
                if (c->rings == 3 && ring != 3)
                        continue;
                act(c->signal, extended, SA_SIGINFO, 0);
                attempt(c->cause, c->argument);
                uintptr_t at = c->at == AT_IP ? seen.context.ip : c->at == AT_ZERO ? 0 : c->at;
                check(count == 1 && info.signal == c->signal && info.code == c->code &&
                              info.address == at,
                      c->name, "signal %d, code %d, address %lx", info.signal, info.code,
                      (unsigned long)info.address);
                check(seen.context.trapno == c->trap &&
                              (c->trap != 14 || seen.context.cr2 == c->at),
                      c->name, "vector %lu, error %lx, cr2 %lx", (unsigned long)seen.context.trapno,
                      (unsigned long)seen.context.err, (unsigned long)seen.context.cr2);
        }
        act(SIGILL, extended, SA_SIGINFO, 0);
        attempt(fault_after_call, 0);
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
        send(SIGUSR1);
}

static uint32_t inside_mxcsr;
static uint16_t inside_control;

static void spoil_fpu(struct ucontext *uc)
{
        (void)uc;
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
        long result = send(SIGUSR1);
        check(result == 77, "sigreturn", "a handler may change the result: %ld", result);
        while_inside = NULL;
        long changed = kill_over_red_zone(pid, SIGUSR1);
        check(!changed, "red zone", "%ld of 128 bytes changed", changed);
}

static void skip_at_once(int signal, struct siginfo *i, struct ucontext *uc)
{
        (void)signal, (void)i;
        skip_write(uc);
}

/* The path's length where the counter counts instructions. */
static void measure(void)
{
        uint64_t best = ~(uint64_t)0;
        act(SIGSEGV, skip_at_once, SA_SIGINFO, 0);
        for (int i = 0; i < 10; i++) {
                uint64_t start = tsc();
                fault_write(MAP_LATER);
                uint64_t ticks = tsc() - start;
                best = ticks < best ? ticks : best;
        }
        print("SIGSEGV to a handler and back: %llu ticks\n", (unsigned long long)best);
}

/* Each ends the program. */
static void die_blocked(void)
{
        act(SIGSEGV, extended, SA_SIGINFO, 0);
        change_mask(0, SIGNAL_BIT(SIGSEGV));
        fault_write(MAP_LATER);
}
static void die_ignored(void)
{
        act(SIGSEGV, (const void *)SIG_IGN, 0, 0);
        fault_write(MAP_LATER);
}
static void die_no_stack(void)
{
        act(SIGSEGV, extended, SA_SIGINFO, 0);
        bad_stack();
}
static void die_bad_frame(void)
{
        sigreturn_at(MAP_LATER);
}
static void die_term(void)
{
        send(SIGTERM);
}
static void die_kill(void)
{
        change_mask(0, ~(uint64_t)0);
        send(SIGKILL);
}

static const struct {
        const char *name;
        void (*die)(void);
} ways[] = {{"blocked", die_blocked},     {"ignored", die_ignored}, {"no-stack", die_no_stack},
            {"bad-frame", die_bad_frame}, {"term", die_term},       {"kill", die_kill}};

int main(int argc, char **argv)
{
        (void)argc;
        const char *die = option(argv, "only");
        uintptr_t cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        ring = cs & 3;
        pid = call(NUMBER_getpid, 0, 0, 0, 0);
        for (size_t i = 0; die && i < sizeof ways / sizeof *ways; i++)
                if (!strcmp(ways[i].name, die))
                        ways[i].die();
        if (die && *die) {
                print("signals: lived through %s\n", die);
                return 0;
        }
        try_sending();
        try_masks();
        try_actions();
        try_suspend();
        try_stack();
        try_faults();
        try_return();
        if (has_fxsr())
                try_fpu();
        measure();
        return check_status();
}
