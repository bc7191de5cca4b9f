/* signals.c - sending signals, blocking, catching and ignoring them, and the alternate stack.
 *
 * Every check also passes on a Linux host, as in sighandler.c and sigreturn.c. */
#include "const.h"
#include "signals.h"

static long pid;
static int came[8], count; /* signals that handlers got, in order */
static struct siginfo info;
static struct ucontext seen;
static uintptr_t handler_sp;
static uint64_t mask_inside;
static void (*while_inside)(struct ucontext *);
static uint8_t stack_memory[16384] __attribute__((aligned(16)));

#define mask_now() signal_mask(0, 0)

static void note(int signal)
{
        if (count < 8)
                came[count] = signal;
        count++;
        mask_inside = mask_now();
        handler_sp = (uintptr_t)__builtin_frame_address(0);
}

static void without_info(int signal)
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
        count = 0;
        return signal_act(signal, handler, flags, mask);
}

static void try_sending(void)
{
        act(SIGUSR1, extended, SA_SIGINFO, 0);
        long result = signal_self(SIGUSR1);
        check(!result && count == 1 && came[0] == SIGUSR1, "kill", "%ld, %d delivered", result,
              count);
        check(info.signal == SIGUSR1 && info.code == SI_USER && info.pid == pid, "kill",
              "siginfo: signal %d, code %d, pid %d", info.signal, info.code, info.pid);
        result = system_call(NUMBER_tkill, pid, SIGUSR1);
        check(!result && count == 2 && info.code == SI_TKILL, "tkill", "%ld, code %d", result,
              info.code);
        result = tgkill(pid, pid, SIGUSR1);
        check(!result && count == 3, "tgkill", "%ld, %d delivered", result, count);
        act(SIGUSR1, without_info, 0, 0);
        signal_self(SIGUSR1);
        check(count == 1 && came[0] == SIGUSR1, "without SA_SIGINFO", "%d delivered", count);

        static const struct {
                long number, a, b, c;
                long result;
        } wrong[] = {{NUMBER_kill, 0x3ffffff, SIGUSR1, 0, -ESRCH},
                     {NUMBER_kill, -0x3ffffff, 0, 0, -ESRCH},
                     {NUMBER_tkill, 0, SIGUSR1, 0, -EINVAL},
                     {NUMBER_tkill, -1, SIGUSR1, 0, -EINVAL},
                     {NUMBER_tgkill, 0, 1, SIGUSR1, -EINVAL},
                     {NUMBER_tkill, 0x3ffffff, 0, 0, -ESRCH}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
                result = system_call(wrong[i].number, wrong[i].a, wrong[i].b, wrong[i].c);
                check(result == wrong[i].result, "refused", "call %ld: %ld", wrong[i].number,
                      result);
        }
        check(signal_self(65) == -EINVAL && signal_self(-1) == -EINVAL && !signal_self(0),
              "numbers", "65 and -1 are refused, 0 asks");
}

static void try_masks(void)
{
        const uint64_t both = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2);
        uint64_t pending = 0;
        act(SIGUSR1, without_info, 0, 0);
        act(SIGUSR2, without_info, 0, 0);
        signal_mask(SIG_BLOCK, both | SIGNALS_UNBLOCKABLE);
        check(mask_now() == both, "mask", "%llx: SIGKILL and SIGSTOP are not in it",
              (unsigned long long)mask_now());
        signal_self(SIGUSR2), signal_self(SIGUSR1), signal_self(SIGUSR1);
        system_call(NUMBER_rt_sigpending, &pending, 8);
        check(!count && pending == both, "blocked", "%d delivered, %llx pending", count,
              (unsigned long long)pending);
        signal_mask(SIG_UNBLOCK, both);
        check(count == 2 && came[0] == SIGUSR2 && came[1] == SIGUSR1, "unblocked",
              "%d delivered: the last one set up runs first (%d, %d)", count, came[0], came[1]);
        check(system_call(NUMBER_rt_sigprocmask, 3, &pending, 0, 8) == -EINVAL &&
                      system_call(NUMBER_rt_sigprocmask, 0, 1, 0, 8) == -EFAULT &&
                      system_call(NUMBER_rt_sigprocmask, 0, 0, 0, 4) == -EINVAL,
              "mask", "what is wrong is refused");

        act(SIGUSR1, without_info, 0, SIGNAL_BIT(SIGUSR2));
        signal_self(SIGUSR1);
        check(mask_inside == both && !mask_now(), "inside", "mask %llx, after it %llx",
              (unsigned long long)mask_inside, (unsigned long long)mask_now());
        act(SIGUSR1, without_info, SA_NODEFER, 0);
        signal_self(SIGUSR1);
        check(!mask_inside, "SA_NODEFER", "mask %llx", (unsigned long long)mask_inside);
}

static void try_actions(void)
{
        struct sigaction old = {0};
        act(SIGUSR1, without_info, SA_RESETHAND | 0x100, 0);
        rt_sigaction(SIGUSR1, NULL, &old, 8);
        check(old.handler == (uintptr_t)without_info && old.flags == (SA_RESETHAND | SA_RESTORER),
              "sigaction", "flags %lx: an unknown one is dropped", old.flags);
        signal_self(SIGUSR1);
        rt_sigaction(SIGUSR1, NULL, &old, 8);
        check(count == 1 && old.handler == SIG_DFL, "SA_RESETHAND", "then the default: %lx",
              (unsigned long)old.handler);
        check(act(SIGKILL, without_info, 0, 0) == -EINVAL &&
                      act(SIGSTOP, without_info, 0, 0) == -EINVAL &&
                      act(0, without_info, 0, 0) == -EINVAL &&
                      act(65, without_info, 0, 0) == -EINVAL &&
                      !rt_sigaction(SIGKILL, NULL, &old, 8) &&
                      system_call(NUMBER_rt_sigaction, SIGUSR1, 1, 0, 8) == -EFAULT &&
                      system_call(NUMBER_rt_sigaction, SIGUSR1, 0, 0, 4) == -EINVAL,
              "sigaction", "what is wrong is refused");
        act(SIGUSR1, (const void *)SIG_IGN, 0, 0);
        signal_self(SIGUSR1);
        act(SIGUSR1, without_info, 0, 0);
        check(!count, "SIG_IGN", "%d delivered", count);
        signal_self(SIGCHLD), signal_self(SIGURG), signal_self(SIGWINCH), signal_self(SIGCONT);
        check(true, "default", "SIGCHLD, SIGURG, SIGWINCH, SIGCONT are ignored");
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGUSR1));
        signal_self(SIGUSR1);
        act(SIGUSR1, (const void *)SIG_IGN, 0, 0);
        act(SIGUSR1, without_info, 0, 0);
        signal_mask(SIG_UNBLOCK, SIGNAL_BIT(SIGUSR1));
        check(!count, "SIG_IGN", "forgets what is pending: %d delivered", count);
}

static void try_suspend(void)
{
        const uint64_t none = 0;
        act(SIGUSR1, without_info, 0, 0);
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2));
        signal_self(SIGUSR1);
        long result = rt_sigsuspend(&none, 8);
        check(result == -EINTR && count == 1 && mask_inside == SIGNAL_BIT(SIGUSR1) &&
                      mask_now() == (SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGUSR2)),
              "sigsuspend", "%ld, %d delivered, mask inside %llx", result, count,
              (unsigned long long)mask_inside);
        signal_mask(SIG_SETMASK, 0);
}

static struct sigaltstack asked;
static long answer;

static void ask_stack(struct ucontext *uc)
{
        struct sigaltstack off = {0, SS_DISABLE, 0};
        sigaltstack(NULL, &asked);
        answer = sigaltstack(&off, NULL);
}

static long set_stack(unsigned flags, unsigned long size)
{
        struct sigaltstack new = {(uintptr_t)stack_memory, flags, size};
        return sigaltstack(&new, NULL);
}

static void try_stack(void)
{
        check(set_stack(0, 2047) == -ENOMEM && set_stack(3, 4096) == -EINVAL &&
                      set_stack(4, 4096) == -EINVAL &&
                      system_call(NUMBER_sigaltstack, 1) == -EFAULT,
              "sigaltstack", "what is wrong is refused");
        check(!set_stack(0, sizeof stack_memory), "sigaltstack", "set");
        act(SIGUSR1, extended, SA_SIGINFO | SA_ONSTACK, 0);
        while_inside = ask_stack;
        signal_self(SIGUSR1);
        uintptr_t at = handler_sp - (uintptr_t)stack_memory;
        check(at < sizeof stack_memory, "SA_ONSTACK", "the handler runs at %lx of it",
              (unsigned long)at);
        check(asked.flags == SS_ONSTACK && answer == -EPERM &&
                      asked.start == (uintptr_t)stack_memory,
              "SA_ONSTACK", "inside: flags %x, taking it away: %ld", asked.flags, answer);
        check(seen.stack.start == (uintptr_t)stack_memory && seen.stack.size == sizeof stack_memory,
              "SA_ONSTACK", "it is in the context");
        set_stack(SS_AUTODISARM, sizeof stack_memory);
        signal_self(SIGUSR1);
        check((asked.flags & SS_DISABLE) && !answer, "SS_AUTODISARM", "inside: flags %x",
              asked.flags);
        while_inside = NULL;
        sigaltstack(NULL, &asked);
        check(asked.flags == SS_AUTODISARM && asked.size == sizeof stack_memory, "SS_AUTODISARM",
              "armed again by sigreturn: flags %x", asked.flags);
        set_stack(0, sizeof stack_memory);
}

int main(void)
{
        pid = getpid();
        try_sending();
        try_masks();
        try_actions();
        try_suspend();
        try_stack();
        return check_status();
}
