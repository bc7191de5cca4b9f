/* threads.c - signals of threads; what execve keeps. */
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
                doze();
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
                doze();
        check(of_thread.flags == SS_DISABLE, "thread", "no alternate stack: flags %x",
              of_thread.flags);
        long result = tgkill(pid, tid, SIGUSR1);
        while (!count)
                doze();
        check(!result && handled_by == tid && tid != pid, "tgkill", "%ld, the thread runs it: %ld",
              result, handled_by - tid);
        result = tgkill(pid, pid, SIGUSR1);
        check(!result && handled_by == pid, "tgkill", "%ld, the first one: %ld", result,
              handled_by - pid);
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGUSR1));
        count = 0;
        kill(pid, SIGUSR1);
        while (!count)
                doze();
        check(handled_by == tid, "kill", "goes to the thread that does not block it: %ld",
              handled_by - tid);
        signal_mask(SIG_SETMASK, 0);
        done = 1;
        while (thread_tid)
                doze();
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
