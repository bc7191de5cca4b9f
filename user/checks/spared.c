/* spared.c - a child attacks the program that the kernel started, in both of its threads, with
 * every call that sends signals. Only signals with a handler may arrive. Then one makes more
 * children of that program than there may be, which it never waits for. */
#include "linux.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static uint8_t stack[4096] __attribute__((aligned(16)));
static volatile int taken;
static int other;

static void take(int signal)
{
        taken++;
}

static long attack(long pid, long tid, int signal)
{
        return kill(pid, signal) | tgkill(pid, tid, signal) | tgkill(pid, pid, signal) |
               system_call(NUMBER_tkill, tid, signal) | system_call(NUMBER_tkill, pid, signal) |
               kill(0, signal);
}

static _Noreturn void child(long parent)
{
        static const int deadly[] = {SIGKILL, SIGSTOP, SIGTERM, SIGHUP, SIGSEGV, SIGTSTP, 40, 64};
        long error = 0;
        for (int signal = 1; signal <= 64; signal++)
                signal_set(signal, SIG_IGN);
        for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
                if (deadly[i] == SIGKILL || deadly[i] == SIGSTOP) /* it is in that group, too */
                        error |= kill(parent, deadly[i]) | tgkill(parent, other, deadly[i]) |
                                 tgkill(parent, parent, deadly[i]) |
                                 system_call(NUMBER_tkill, other, deadly[i]) |
                                 system_call(NUMBER_tkill, parent, deadly[i]);
                else
                        error |= attack(parent, other, deadly[i]);
        }
        error |= system_call(NUMBER_tkill, parent, SIGUSR1);
        exit_group(error != 0);
        __builtin_unreachable();
}

int main(void)
{
        const uint64_t blocked = 1u << (SIGTERM - 1);
        long parent = getpid();
        int status = -1;
        signal_set(SIGUSR1, (uintptr_t)take);
        thread_start(THREAD | CLONE_PARENT_SETTID, stack + sizeof stack, &other, sleep_for_ever);
        rt_sigprocmask(SIG_BLOCK, &blocked, NULL, sizeof blocked); /* the other thread takes it */
        long pid = fork();
        if (!pid)
                child(parent);
        while (wait4(pid, &status, 0, NULL) == -EINTR)
                ;
        check(!status, "sent", "the child's status %x", (unsigned)status);
        if (!(pid = fork())) {
                for (long made = 1, n = 0; made > 0 && n < 300; n++)
                        made = system_call(NUMBER_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
                exit_group(0);
        }
        wait4(pid, NULL, 0, NULL);
        sleep_ms(20);
        for (unsigned i = 0; i < 3; i++)
                if (!(pid = fork()))
                        sleep_for_ever();
        check(pid > 0, "room", "the third fork: %ld", pid);
        check(taken == 1, "taken", "%d", taken);
        return check_status();
}
