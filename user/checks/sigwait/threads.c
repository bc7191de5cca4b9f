/* threads.c - signals to threads; what execve keeps. */
#include "sigwait.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static uint8_t thread_stack[32768] __attribute__((aligned(16)));
static uint8_t stack_memory[16384] __attribute__((aligned(16)));
static volatile int thread_tid, ready, done;
static struct sigaltstack of_thread;

static void thread(void)
{
        sigaltstack(NULL, &of_thread);
        ready = 1;
        while (!done)
                sleep_ms(10);
        for (;;)
                system_call(NUMBER_exit, 0);
}

void try_threads(void)
{
        const struct sigaltstack stack = {(uintptr_t)stack_memory, 0, sizeof stack_memory};
        act(SIGUSR1, without_info, 0);
        sigaltstack(&stack, NULL);
        long tid = thread_start(THREAD | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
                                thread_stack + sizeof thread_stack, (void *)&thread_tid, thread);
        while (!ready)
                sleep_ms(10);
        check(of_thread.flags == SS_DISABLE, "thread", "no alternate stack: flags %x",
              of_thread.flags);
        long result = tgkill(pid, tid, SIGUSR1);
        while (!count)
                sleep_ms(10);
        check(!result && handled_by == tid && tid != pid, "tgkill", "%ld, the thread runs it: %ld",
              result, handled_by - tid);
        result = tgkill(pid, pid, SIGUSR1);
        check(!result && handled_by == pid, "tgkill", "%ld, the first one: %ld", result,
              handled_by - pid);
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGUSR1));
        count = 0;
        kill(pid, SIGUSR1);
        while (!count)
                sleep_ms(10);
        check(handled_by == tid, "kill", "goes to the thread that does not block it: %ld",
              handled_by - tid);
        signal_mask(SIG_SETMASK, 0);
        done = 1;
        while (thread_tid)
                sleep_ms(10);
}

/* Takes signals that the program got while its first thread, which has ended, blocked them. */
static void take_what_is_left(void)
{
        const uint64_t set = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(40);
        const struct timespec none = {0, 0};
        unsigned taken = 0;
        sleep_ms(10);
        while (system_call(NUMBER_rt_sigtimedwait, &set, NULL, &none, sizeof set) > 0)
                taken++;
        exit_group((int)taken);
}

static void execute(void)
{
        const char *const arguments[] = {self, "pending", NULL};
        system_call(NUMBER_execve, self, arguments, &arguments[2]);
        exit_group(9);
}

int pending_life(void)
{
        uint64_t pending = 0;
        system_call(NUMBER_rt_sigpending, &pending, sizeof pending);
        return pending == (SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(40)) ? 3 : 1;
}

static int first_thread_leaves(void (*heir)(void))
{
        long child = fork();
        if (!child) {
                signal_mask(SIG_SETMASK, SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(40));
                kill(getpid(), SIGUSR1);
                kill(getpid(), 40);
                kill(getpid(), 40);
                thread_start(THREAD, thread_stack + sizeof thread_stack, NULL, heir);
                for (;;)
                        system_call(NUMBER_exit, 0);
        }
        return status_of(child, 0);
}

void try_left_signals(void)
{
        int status = first_thread_leaves(take_what_is_left);
        check(status == EXITED(3), "exit", "another thread takes what the program was sent: %x",
              (unsigned)status);
        status = first_thread_leaves(execute);
        check(status == EXITED(3), "execve", "in a thread: what the program was sent waits on: %x",
              (unsigned)status);
}

int second_life(void)
{
        struct sigaction usr1 = {0}, usr2 = {0};
        struct sigaltstack stack = {0};
        rt_sigaction(SIGUSR1, NULL, &usr1, 8);
        rt_sigaction(SIGUSR2, NULL, &usr2, 8);
        sigaltstack(NULL, &stack);
        return usr1.handler != SIG_IGN                    ? 1
               : usr2.handler != SIG_DFL                  ? 2
               : signal_mask(0, 0) != SIGNAL_BIT(SIGTERM) ? 3
               : stack.flags != SS_DISABLE                ? 4
                                                          : 0;
}

void try_execve(void)
{
        const char *const arguments[] = {self, "second", NULL};
        long child = fork();
        if (!child) {
                act(SIGUSR1, (const void *)SIG_IGN, 0);
                act(SIGUSR2, without_info, 0);
                signal_mask(SIG_SETMASK, SIGNAL_BIT(SIGTERM));
                system_call(NUMBER_execve, self, arguments, &arguments[2]);
                exit_group(9);
        }
        int status = status_of(child, 0);
        check(!status, "execve", "keeps what is ignored, and the mask: %x", (unsigned)status);
}
