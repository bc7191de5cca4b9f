/* sigreturn.c - what a program may write into its signal frame, and what causes SIGSEGV.
 *
 * A handler for SIGUSR1 corrupts the frame by which it returns; the handler for the resulting fault
 * runs on the alternate stack and restores the program. Every check also passes on a Linux host. */
#include "const.h"
#include "layout.h"
#include "signals.h"

static int caught; /* the resulting signal, 0 = none */
static uintptr_t own_cs, own_ss, value;
static size_t selector; /* its offset in the context */
static void (*spoil)(struct sigcontext *);
static uint8_t stack_memory[16384] __attribute__((aligned(16)));

static void on_spoil(int signal, struct siginfo *info, struct ucontext *uc)
{
        spoil(&uc->context);
}

/* Returns to guarded_call(), even if the frame changed registers. Until then the stack pointer
 * points to the alternate stack: on i386 a program at CPL 0 returns by words on its stack. */
static void on_end(int signal, struct siginfo *info, struct ucontext *uc)
{
        caught = signal;
        uc->context.ip = (uintptr_t)guarded_back;
        uc->context.sp = (uintptr_t)uc;
        uc->context.flags = RFLAGS_FIXED | RFLAGS_IF;
        uc->context.cs = (uint16_t)own_cs;
        uc->context.ss = (uint16_t)own_ss;
        context_set_data(&uc->context, (uint16_t)own_ss);
}

static void send(uintptr_t signal)
{
        signal_self((int)signal);
}

static int outcome(void (*how)(struct sigcontext *), uintptr_t with)
{
        spoil = how;
        value = with;
        caught = 0;
        guarded_call(send, SIGUSR1);
        return caught;
}

static void set_selector(struct sigcontext *c)
{
        *(uint16_t *)((uintptr_t)c + selector) = (uint16_t)value;
}
static void set_ip(struct sigcontext *c)
{
        c->ip = value;
}
static void set_sp(struct sigcontext *c)
{
        c->sp = value;
}
static void set_flags(struct sigcontext *c)
{
        c->flags = value;
}
static void set_fpstate(struct sigcontext *c)
{
        c->fpstate = value;
}
static void set_mxcsr(struct sigcontext *c)
{
        *(uint32_t *)((uintptr_t)c->fpstate + CONTEXT_FXSAVE + 24) = (uint32_t)value;
}

/* Code selectors of the other width are left out: the program would continue in that mode. */
static bool other_code(uintptr_t cs)
{
        return cs != own_cs && (cs == 0x23 || cs == 0x33);
}

/* Every selector of the GDT with every RPL, and some of an LDT that does not exist. Those of CPL 3
 * get RPL 3 and work. Others are SIGSEGV in CS or SS, and null elsewhere. */
static void try_selectors(void)
{
        static const size_t offsets[] = CONTEXT_SELECTORS;
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
                unsigned wrong = 0, ends = 0;
                uintptr_t last = 0;
                selector = offsets[i];
                bool code = selector == offsetof(struct sigcontext, cs);
                bool stack = selector == offsetof(struct sigcontext, ss);
                for (uintptr_t s = 0; s < 0x100; s++) {
                        uintptr_t made = s | 3;
                        bool valid = made == (code ? own_cs : own_ss);
                        if ((code && other_code(made)) || (stack && made == USER_DS_ELSEWHERE))
                                continue;
                        int signal = outcome(set_selector, s);
                        ends += signal != 0;
                        if ((code || stack) && (signal == SIGSEGV) == valid) {
                                wrong++;
                                last = s;
                        }
                }
                check(!wrong, "selector", "at %u of the context: %u ended, %u wrong (%lx)",
                      (unsigned)selector, ends, wrong, (unsigned long)last);
        }
}

static void try_flags(void)
{
        static uintptr_t after;
        const uintptr_t forbidden = RFLAGS_IOPL | RFLAGS_VM | RFLAGS_NT | RFLAGS_ID | 3u << 19;
        int signal = outcome(set_flags, forbidden);
        __asm__ volatile("pushf; pop %0" : "=r"(after));
        check(!signal && !(after & (forbidden & ~(uintptr_t)RFLAGS_ID)) && after & RFLAGS_IF,
              "flags", "IOPL, VM, NT and the like are not a program's, IF stays on: %lx",
              (unsigned long)after);
        signal = outcome(set_flags, RFLAGS_TF | RFLAGS_IF);
        check(signal == SIGTRAP, "flags", "TF steps: signal %d", signal);
}

static void try_addresses(void)
{
        static const uintptr_t places[] = {0,
                                           0x10,
                                           (uintptr_t)-1,
                                           (uintptr_t)-8,
                                           KERNEL_BASE,
                                           KERNEL_BASE + 0x100000,
                                           HALF_WAY,
                                           HALF_WAY - 2,
                                           (uintptr_t)0 - HALF_WAY - 1};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
                if (!(own_cs & 3) && places[i] > HALF_WAY)
                        continue; /* at CPL 0 the kernel's half is valid */
                int ip = outcome(set_ip, places[i]), sp = outcome(set_sp, places[i]);
                check(ip == SIGSEGV && (sp == SIGSEGV || sp == SIGBUS), "address",
                      "%lx as ip: signal %d, as sp: %d", (unsigned long)places[i], ip, sp);
        }
}

static void try_fpstate(void)
{
        check(!outcome(set_fpstate, 0), "fpstate", "none: a clean state");
        static const uintptr_t bad[] = {1, 0x10000, KERNEL_BASE + 0x100000, (uintptr_t)-64,
                                        HALF_WAY};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                int signal = outcome(set_fpstate, bad[i]);
                check(signal == SIGSEGV, "fpstate", "at %lx: signal %d", (unsigned long)bad[i],
                      signal);
        }
        int signal = has_fxsr() ? outcome(set_mxcsr, 0xffffffff) : SIGSEGV;
        check(signal == SIGSEGV || !signal, "fpstate",
              "MXCSR with reserved bits: signal %d (QEMU takes it)", signal);
}

static void try_frames(void)
{
        static uint8_t zeros[1024] __attribute__((aligned(16)));
        const uintptr_t tops[] = {0,       (uintptr_t)zeros,       (uintptr_t)zeros + 1,
                                  NOWHERE, KERNEL_BASE + 0x100000, (uintptr_t)-16,
                                  HALF_WAY};
        for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
                if (!(own_cs & 3) && tops[i] > HALF_WAY)
                        continue; /* at CPL 0 INT may push there: that is allowed */
                caught = 0;
                guarded_call(sigreturn_at, tops[i]);
                check(caught == SIGSEGV, "frame", "at %lx: signal %d", (unsigned long)tops[i],
                      caught);
        }
}

int main(void)
{
        struct sigaltstack stack = {(uintptr_t)stack_memory, 0, sizeof stack_memory};
        __asm__("mov %%cs, %0; mov %%ss, %1" : "=r"(own_cs), "=r"(own_ss));
        sigaltstack(&stack, NULL);
        signal_act(SIGUSR1, on_spoil, SA_SIGINFO, 0);
        signal_act(SIGSEGV, on_end, SA_ONSTACK | SA_SIGINFO, 0);
        signal_act(SIGBUS, on_end, SA_ONSTACK | SA_SIGINFO, 0);
        signal_act(SIGTRAP, on_end, SA_ONSTACK | SA_SIGINFO, 0);
        try_frames();
        if (own_cs & 3)
                try_selectors();
        try_flags();
        try_addresses();
        try_fpstate();
        return check_status();
}
