/* job.c - processes and their groups. With a terminal every job has a group of its own, and the
 * foreground one has the terminal. */
#include "sh.h"

static const int ignored[] = {SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
#define IGNORED (sizeof ignored / sizeof *ignored)

volatile bool interrupt_leads;
void *interrupt_leads_to[5];

static void on_interrupt(int signal)
{
        interrupted = true;
        if (interrupt_leads)
                __builtin_longjmp(interrupt_leads_to, 1);
}

static void take_terminal(long group)
{
        int number = (int)group;
        ioctl(0, TIOCSPGRP, &number);
}

void job_control(void)
{
        for (size_t i = 0; i < IGNORED; i++)
                signal_set(ignored[i], SIG_IGN);
        const struct sigaction take = {(uintptr_t)on_interrupt,
                                       SA_RESTORER | SA_SIGINFO | SA_NODEFER,
                                       (uintptr_t)signal_return, 0};
        rt_sigaction(SIGINT, &take, NULL, sizeof take.mask);
        setpgid(0, 0); /* a session leader already leads its group */
        take_terminal(shell.pid);
}

static void begin_child(const struct job *job, const uint64_t *mask)
{
        if (shell.interactive) {
                setpgid(0, job->group);
                if (!job->background)
                        take_terminal(job->group ? job->group : getpid());
                signal_set(SIGINT, SIG_DFL);
                /* SIGTSTP stays: nothing would continue a stopped job. */
                for (size_t i = 0; i < IGNORED; i++)
                        if (ignored[i] != SIGTSTP)
                                signal_set(ignored[i], SIG_DFL);
                rt_sigprocmask(SIG_SETMASK, mask, NULL, sizeof *mask);
        } else if (job->background) {
                signal_set(SIGINT, SIG_IGN);
                signal_set(SIGQUIT, SIG_IGN);
                close(0);
                open("/dev/null", O_RDONLY, 0);
        }
        input_close();
        shell.interactive = false;
}

/* The shell ignores the signal, so one sent to a job before it has its own actions stays pending
 * until then. */
long job_fork(struct job *job)
{
        const uint64_t held = SIGNAL_BIT(SIGINT) | SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGTERM);
        uint64_t mask;
        if (shell.interactive)
                rt_sigprocmask(SIG_BLOCK, &held, &mask, sizeof held);
        long pid = fork();
        if (pid == 0)
                begin_child(job, &mask);
        else if (pid < 0)
                say_error("fork: %s", error_text(pid));
        else if (shell.interactive) {
                if (!job->group)
                        job->group = pid;
                setpgid(pid, job->group);
                if (!job->background)
                        take_terminal(job->group);
        }
        if (pid && shell.interactive)
                rt_sigprocmask(SIG_SETMASK, &mask, NULL, sizeof mask);
        if (pid > 0 && interrupted && !job->background) /* it was meant for the job */
                kill(-job->group, SIGINT);
        return pid;
}

int job_status(int waited)
{
        int signal = waited & 0x7f;
        return signal ? STATUS_SIGNAL + signal : waited >> 8 & 0xff;
}

static void report(const char *name, int signal)
{
        bool by_key = signal == SIGINT || signal == SIGQUIT;
        if (by_key && shell.interactive)
                put(2, "\n", 1);
        interrupted |= signal == SIGINT && shell.interactive;
        if (signal && signal != SIGPIPE)
                say_error("%s: killed by %s", name, signal_name(signal));
}

void job_wait(const long *pids, unsigned count, const char *name)
{
        int status = 0;
        for (unsigned i = 0; i < count; i++) {
                long ended;
                do
                        ended = wait4(pids[i], &status, 0, NULL);
                while (ended == -EINTR);
                if (ended < 0)
                        status = STATUS_NOT_FOUND << 8;
        }
        if (shell.interactive)
                take_terminal(shell.pid);
        if (count) {
                report(name, status & 0x7f);
                shell.status = job_status(status);
        }
}

void job_reap(void)
{
        int status;
        long pid;
        while (shell.interactive && (pid = wait4(-1, &status, WNOHANG, NULL)) > 0) {
                if (status & 0x7f)
                        put_format(2, "[%ld] killed by %s\n", pid, signal_name(status & 0x7f));
                else
                        put_format(2, "[%ld] ended, status %d\n", pid, status >> 8 & 0xff);
        }
}
