/*
 * sigwait.c - signals between processes and threads: calls that sleep are interrupted or made
 * again, stops and going on, groups, SIGCHLD, SIGPIPE, what execve keeps.
 *
 * Every check holds on a Linux host, too; the last are about Tollgate's own ways in.
 */
#include "const.h"
#include "errno.h"
#include "proc/signal.h"
#include "signals.h"
#include "toll.h"

#define WUNTRACED 2
#define WCONTINUED 8
#define THREAD (0x100 | 0x200 | 0x400 | 0x800 | 0x10000)
#define SETTID_CLEARTID (0x100000 | 0x200000)
#define POINTER(p) ((long)(uintptr_t)(p))
#define EXITED(code) ((code) << 8)
#define STOPPED(signal) ((signal) << 8 | 0x7f)
#define WENT_ON 0xffff

struct span {
        long seconds, nanoseconds;
};

static volatile int count;
static volatile long handled_by; /* thread */
static struct siginfo info;
static const char *self;
static long pid;

static long call0(long number)
{
        return call4(number, 0, 0, 0, 0);
}

static void plain(int signal)
{
        (void)signal;
        count++;
        handled_by = call0(NUMBER_gettid);
}

static void extended(int signal, struct siginfo *i, struct ucontext *uc)
{
        (void)signal, (void)uc;
        info = *i;
}

static long act(int signal, const void *handler, unsigned long flags)
{
        count = 0;
        return signal_act(signal, handler, flags, 0);
}

static void doze(void)
{
        const struct span span = {0, 10000000};
        call4(NUMBER_nanosleep, POINTER(&span), 0, 0, 0);
}

static _Noreturn void leave(int code)
{
        for (;;)
                call4(NUMBER_exit_group, code, 0, 0, 0);
}

static _Noreturn void pause_for_ever(void)
{
        for (;;)
                call0(NUMBER_pause);
}

static long send(long to, int signal)
{
        return call4(NUMBER_kill, to, signal, 0, 0);
}

static int status_of(long child, int options)
{
        int status = -1;
        long result;
        do
                result = call4(NUMBER_wait4, child, POINTER(&status), options, 0);
        while (result == -EINTR);
        return result == child ? status : -1;
}

static void end(long child)
{
        send(child, SIGKILL);
        status_of(child, 0);
}

/* A child that sends its parent SIGUSR1 again and again. */
static long nag(void)
{
        long child = call0(NUMBER_fork);
        while (!child) {
                doze();
                send(pid, SIGUSR1);
        }
        return child;
}

/* --- calls that sleep --------------------------------------------------------------------------
 */

static int ends[2];

static void try_read(void)
{
        char byte = 0;
        call4(NUMBER_pipe, POINTER(ends), 0, 0, 0);
        act(SIGUSR1, plain, SA_RESTART);
        long child = call0(NUMBER_fork);
        if (!child) {
                for (int i = 0; i < 3; i++) {
                        doze();
                        send(pid, SIGUSR1);
                }
                doze();
                call4(NUMBER_write, ends[1], POINTER("x"), 1, 0);
                leave(0);
        }
        long result = call4(NUMBER_read, ends[0], POINTER(&byte), 1, 0);
        check(result == 1 && byte == 'x' && count, "SA_RESTART",
              "read goes on after %d signals: %ld", count, result);
        status_of(child, 0);

        act(SIGUSR1, plain, 0);
        child = nag();
        result = call4(NUMBER_read, ends[0], POINTER(&byte), 1, 0);
        check(result == -EINTR && count, "EINTR", "read: %ld", result);
        end(child);
}

static void try_wait(void)
{
        act(SIGUSR1, plain, 0);
        long nagger = nag();
        long sleeper = call0(NUMBER_fork);
        if (!sleeper)
                pause_for_ever();
        long result = call4(NUMBER_wait4, sleeper, 0, 0, 0);
        check(result == -EINTR, "EINTR", "wait4: %ld", result);
        act(SIGUSR1, plain, SA_RESTART);
        while (count < 2)
                doze();
        long last = call0(NUMBER_fork);
        if (!last) {
                doze(), doze(), doze();
                leave(9);
        }
        int status = -1;
        result = call4(NUMBER_wait4, last, POINTER(&status), 0, 0);
        check(result == last && status == EXITED(9), "SA_RESTART", "wait4: %x", (unsigned)status);
        end(sleeper);
        end(nagger);
}

static void try_sleep(void)
{
        const struct span span = {1000, 0};
        struct span left = {0, 0};
        int word = 0;
        act(SIGUSR1, plain, SA_RESTART);
        long child = nag();
        long result = call4(NUMBER_nanosleep, POINTER(&span), POINTER(&left), 0, 0);
        check(result == -EINTR && left.seconds > 900 && left.seconds < 1000, "EINTR",
              "nanosleep, SA_RESTART or not: %ld, %ld s left", result, left.seconds);
        result = call4(NUMBER_futex, POINTER(&word), 0, 0, POINTER(&span));
        check(result == -EINTR, "EINTR", "futex with an end: %ld", result);
        result = call0(NUMBER_pause);
        check(result == -EINTR, "EINTR", "pause: %ld", result);
        end(child);

        child = call0(NUMBER_fork);
        if (!child) {
                const struct span short_span = {0, 100000000};
                leave(call4(NUMBER_nanosleep, POINTER(&short_span), 0, 0, 0) ? 1 : 0);
        }
        doze();
        send(child, SIGSTOP);
        status_of(child, WUNTRACED);
        send(child, SIGCONT);
        int status = status_of(child, 0);
        check(!status, "nanosleep", "goes on after a stop: %x", (unsigned)status);
}

static void try_suspend(void)
{
        const uint64_t none = 0;
        int interrupted = 0;
        act(SIGUSR1, plain, 0);
        signal_mask(0, SIGNAL_BIT(SIGUSR1));
        for (int i = 0; i < 20; i++) {
                long child = call0(NUMBER_fork);
                if (!child) {
                        send(pid, SIGUSR1);
                        leave(0);
                }
                long result = call4(NUMBER_rt_sigsuspend, POINTER(&none), 8, 0, 0);
                interrupted += result == -EINTR && count == i + 1;
                status_of(child, 0);
        }
        signal_mask(2, 0);
        check(interrupted == 20, "sigsuspend", "no signal is missed: %d of 20", interrupted);
}

/* --- children ----------------------------------------------------------------------------------
 */

static void check_child(const char *name, long child, int code, int status)
{
        check(info.signal == SIGCHLD && info.code == code && info.pid == child &&
                      info.status == status,
              name, "SIGCHLD: code %d, status %d", info.code, info.status);
}

static void try_stop(void)
{
        act(SIGCHLD, extended, SA_SIGINFO | SA_RESTART);
        long child = call0(NUMBER_fork);
        if (!child)
                pause_for_ever();
        send(child, SIGSTOP);
        int status = status_of(child, WUNTRACED);
        check(status == STOPPED(SIGSTOP), "SIGSTOP", "wait4 tells: %x", (unsigned)status);
        check_child("SIGSTOP", child, CLD_STOPPED, SIGSTOP);
        long again = call4(NUMBER_wait4, child, 0, WUNTRACED | 1, 0);
        check(!again, "SIGSTOP", "once: %ld", again);
        send(child, SIGCONT);
        status = status_of(child, WCONTINUED);
        check(status == WENT_ON, "SIGCONT", "wait4 tells: %x", (unsigned)status);
        doze(); /* Linux's child says so itself, when it runs */
        check_child("SIGCONT", child, CLD_CONTINUED, SIGCONT);
        send(child, SIGSTOP);
        status_of(child, WUNTRACED);
        send(child, SIGKILL);
        status = status_of(child, 0);
        check(status == SIGKILL, "SIGKILL", "ends what is stopped: %x", (unsigned)status);
        check_child("SIGKILL", child, CLD_KILLED, SIGKILL);
        child = call0(NUMBER_fork);
        if (!child)
                leave(5);
        status_of(child, 0);
        check_child("exit", child, CLD_EXITED, 5);
        act(SIGCHLD, (const void *)SIG_DFL, 0);
}

static void try_groups(void)
{
        long first = call0(NUMBER_fork);
        if (!first)
                pause_for_ever();
        long second = call0(NUMBER_fork);
        if (!second)
                pause_for_ever();
        call4(NUMBER_setpgid, first, first, 0, 0);
        call4(NUMBER_setpgid, second, first, 0, 0);
        long result = send(-first, SIGTERM);
        int one = status_of(first, 0), two = status_of(second, 0);
        check(!result && one == SIGTERM && two == SIGTERM, "group", "all of it: %ld, %x, %x",
              result, (unsigned)one, (unsigned)two);
        check(send(-first, SIGTERM) == -ESRCH, "group", "none is left");

        char byte;
        call4(NUMBER_close, ends[0], 0, 0, 0);
        call4(NUMBER_close, ends[1], 0, 0, 0);
        call4(NUMBER_pipe, POINTER(ends), 0, 0, 0);
        first = call0(NUMBER_fork);
        if (!first) {
                call4(NUMBER_setpgid, 0, 0, 0, 0);
                if (!call0(NUMBER_fork))
                        pause_for_ever();
                send(0, SIGTERM);
                pause_for_ever();
        }
        call4(NUMBER_close, ends[1], 0, 0, 0);
        result = call4(NUMBER_read, ends[0], POINTER(&byte), 1, 0);
        one = status_of(first, 0);
        check(!result && one == SIGTERM, "group", "kill(0) ends the own one: %ld, %x", result,
              (unsigned)one);
        call4(NUMBER_close, ends[0], 0, 0, 0);
}

static void try_pipe(void)
{
        call4(NUMBER_pipe, POINTER(ends), 0, 0, 0);
        call4(NUMBER_close, ends[0], 0, 0, 0);
        long child = call0(NUMBER_fork);
        if (!child) {
                call4(NUMBER_write, ends[1], POINTER("x"), 1, 0);
                leave(0);
        }
        int status = status_of(child, 0);
        check(status == SIGPIPE, "SIGPIPE", "nobody reads: %x", (unsigned)status);
        act(SIGPIPE, (const void *)SIG_IGN, 0);
        long result = call4(NUMBER_write, ends[1], POINTER("x"), 1, 0);
        check(result == -EPIPE, "SIGPIPE", "ignored: %ld", result);
        act(SIGPIPE, (const void *)SIG_DFL, 0);
}

/* --- threads, execve ---------------------------------------------------------------------------
 */

static uint8_t thread_stack[32768] __attribute__((aligned(16)));
static uint8_t stack_memory[16384] __attribute__((aligned(16)));
static volatile int thread_tid, ready, done;
static struct alternate of_thread;

static void thread(void)
{
        call4(NUMBER_sigaltstack, 0, POINTER(&of_thread), 0, 0);
        ready = 1;
        while (!done)
                doze();
        for (;;)
                call4(NUMBER_exit, 0, 0, 0, 0);
}

static void try_threads(void)
{
        const struct alternate stack = {(uintptr_t)stack_memory, 0, sizeof stack_memory};
        act(SIGUSR1, plain, 0);
        call4(NUMBER_sigaltstack, POINTER(&stack), 0, 0, 0);
        long tid = thread_start(THREAD | SETTID_CLEARTID, thread_stack + sizeof thread_stack,
                                (void *)&thread_tid, thread);
        while (!ready)
                doze();
        check(of_thread.flags == SS_DISABLE, "thread", "no alternate stack: flags %x",
              of_thread.flags);
        long result = call4(NUMBER_tgkill, pid, tid, SIGUSR1, 0);
        while (!count)
                doze();
        check(!result && handled_by == tid && tid != pid, "tgkill", "%ld, the thread runs it: %ld",
              result, handled_by - tid);
        result = call4(NUMBER_tgkill, pid, pid, SIGUSR1, 0);
        check(!result && handled_by == pid, "tgkill", "%ld, the first one: %ld", result,
              handled_by - pid);
        signal_mask(0, SIGNAL_BIT(SIGUSR1));
        count = 0;
        send(pid, SIGUSR1);
        while (!count)
                doze();
        check(handled_by == tid, "kill", "goes to the thread that does not block it: %ld",
              handled_by - tid);
        signal_mask(2, 0);
        done = 1;
        while (thread_tid)
                doze();
}

/* What execve leaves: an exit code. */
static int second_life(void)
{
        struct action usr1 = {0}, usr2 = {0};
        struct alternate stack = {0};
        call4(NUMBER_rt_sigaction, SIGUSR1, 0, POINTER(&usr1), 8);
        call4(NUMBER_rt_sigaction, SIGUSR2, 0, POINTER(&usr2), 8);
        call4(NUMBER_sigaltstack, 0, POINTER(&stack), 0, 0);
        return usr1.handler != SIG_IGN                    ? 1
               : usr2.handler != SIG_DFL                  ? 2
               : signal_mask(0, 0) != SIGNAL_BIT(SIGTERM) ? 3
               : stack.flags != SS_DISABLE                ? 4
                                                          : 0;
}

static void try_execve(void)
{
        const char *const arguments[] = {self, "second", NULL};
        long child = call0(NUMBER_fork);
        if (!child) {
                act(SIGUSR1, (const void *)SIG_IGN, 0);
                act(SIGUSR2, plain, 0);
                signal_mask(2, SIGNAL_BIT(SIGTERM));
                call4(NUMBER_execve, POINTER(self), POINTER(arguments), POINTER(&arguments[2]), 0);
                leave(9);
        }
        int status = status_of(child, 0);
        check(!status, "execve", "keeps what is ignored, and the mask: %x", (unsigned)status);
}

/* --- every way in ------------------------------------------------------------------------------
 */

static bool dispatches(const struct toll_row *row)
{
        return !strcmp(row->suite, "toll") && !row->missing[0] && !row->quiet &&
               (strstr(row->id, "/standard") || strstr(row->id, "/nowork"));
}

/* No program sees -ERESTARTNOHAND, even where the way out does not look for work. */
static void try_rows(void)
{
        struct toll_row row;
        long result = 0;
        act(SIGUSR1, plain, 0);
        long child = nag();
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row, 0L, 0L, 0L, 0L); i++) {
                if (!dispatches(&row))
                        continue;
                toll_call(NUMBER_toll_select, i, 0L, 0L, 0L, 0L, 0L);
                result = gate_call((const void *)(uintptr_t)row.plain, NUMBER_pause);
                toll_call(NUMBER_toll_select, (long)TOLL_DEFAULT, 0L, 0L, 0L, 0L, 0L);
                check(result == -EINTR, row.id, "pause, interrupted: %ld", result);
        }
        end(child);
}

int main(int argc, char **argv)
{
        self = argv[0];
        pid = call0(NUMBER_getpid);
        if (argc > 1 && !strcmp(argv[1], "second"))
                return second_life();
        try_read();
        try_wait();
        try_sleep();
        try_suspend();
        try_stop();
        try_groups();
        try_pipe();
        try_threads();
        try_execve();
        try_rows();
        return check_status();
}
