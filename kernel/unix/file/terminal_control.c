/* terminal_control.c - a program reads and changes a terminal's settings: ioctl(). */
#include "errno.h"
#include "file/terminal.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"
#include "uapi.h"
#include "process/signal.h"

/* The request's sender and terminal. */
struct asked {
        struct terminal *of;
        bool outside;
        uintptr_t argument;
};

static long get_termios(const struct asked *ask)
{
        return user_put(ask->argument, &ask->of->termios);
}

static long set_termios(const struct asked *ask)
{
        struct termios wanted;
        if (user_get(&wanted, ask->argument))
                return -EFAULT;
        if ((ask->of->termios.local ^ wanted.local) & ICANON)
                terminal_mode_changes(ask->of);
        ask->of->termios = wanted;
        wake_all(&ask->of->readers); /* VMIN may be 0 now */
        return 0;
}

static long set_termios_flush(const struct asked *ask)
{
        long error = set_termios(ask);
        if (!error)
                terminal_flush(ask->of);
        return error;
}

static bool may_know(const struct asked *ask)
{
        return ask->outside || terminal_is_ours(ask->of);
}

static long get_group(const struct asked *ask)
{
        if (!may_know(ask))
                return -ENOTTY;
        return user_put(ask->argument, &ask->of->foreground);
}

static long set_group(const struct asked *ask)
{
        int32_t group;
        if (user_get(&group, ask->argument))
                return -EFAULT;
        if (group < 0)
                return -EINVAL;
        if (!terminal_is_ours(ask->of))
                return -ENOTTY;
        uint32_t session = process_session_of((uint32_t)group);
        if (session != ask->of->session)
                return session ? -EPERM : -ESRCH;
        ask->of->foreground = (uint32_t)group;
        return 0;
}

static long get_size(const struct asked *ask)
{
        return user_put(ask->argument, &ask->of->size);
}

/* Foreground processes are told the new size. */
static long set_size(const struct asked *ask)
{
        uint16_t wanted[4];
        const struct signal_info changed = {.signal = SIGWINCH, .code = SI_KERNEL};
        if (user_get(&wanted, ask->argument))
                return -EFAULT;
        if (!memcmp(wanted, ask->of->size, sizeof wanted))
                return 0;
        memcpy(ask->of->size, wanted, sizeof wanted);
        if (ask->of->foreground)
                signal_send_group(ask->of->foreground, &changed);
        return 0;
}

static long get_waiting(const struct asked *ask)
{
        const struct terminal *t = ask->of;
        int32_t count = 0;
        for (unsigned i = t->ready_out; i != t->ready_in; i++)
                count += !(t->ready[i % TERMINAL_READY] & TERMINAL_END);
        return user_put(ask->argument, &count);
}

static long get_session(const struct asked *ask)
{
        return may_know(ask) && ask->of->session ? user_put(ask->argument, &ask->of->session)
                                                 : -ENOTTY;
}

/* A session leader takes it; from another session only with the argument 1. */
static long take_terminal(const struct asked *ask)
{
        const struct process *process = task()->process;
        bool leads = process->session == process->pid;
        if (leads && terminal_is_ours(ask->of))
                return 0;
        if (!leads || terminal_of(process) || (ask->of->session && ask->argument != 1))
                return -EPERM;
        terminal_give(ask->of, process);
        return 0;
}

/* The leader gives it up for the whole session; another process for itself and later children. */
static long leave_terminal(const struct asked *ask)
{
        struct process *process = task()->process;
        if (!terminal_is_ours(ask->of))
                return -ENOTTY;
        if (process->pid == process->session)
                terminal_hang_up(process);
        else
                process->without_terminal = true;
        return 0;
}

long terminal_control(struct terminal *terminal, unsigned long request, uintptr_t argument,
                      bool outside)
{
        static const struct {
                uint32_t request;
                long (*answer)(const struct asked *ask);
        } requests[] = {
                {TCGETS, get_termios},        {TCSETS, set_termios},
                {TCSETSW, set_termios}, /* output is immediate */
                {TCSETSF, set_termios_flush}, {TIOCSCTTY, take_terminal},
                {TIOCGPGRP, get_group},       {TIOCSPGRP, set_group},
                {TIOCGWINSZ, get_size},       {TIOCSWINSZ, set_size},
                {TIOCGSID, get_session},      {TIOCNOTTY, leave_terminal},
                {FIONREAD, get_waiting},
        };
        const struct asked ask = {terminal, outside, argument};
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
                if (requests[i].request == (uint32_t)request)
                        return requests[i].answer(&ask);
        return -ENOTTY;
}
