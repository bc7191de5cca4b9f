/* terminal.c - the line discipline (POSIX, "General Terminal Interface"; defaults as Linux's). */
#include "file/terminal.h"
#include "dev/console.h"
#include "dev/input.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/space.h"
#include "proc/calls.h"
#include "proc/process.h"
#include "uapi.h"

#define BACKSPACE 8 /* erases, whatever VERASE says: keyboards disagree */

enum {
        VINTR,
        VQUIT,
        VERASE,
        VKILL,
        VEOF,
        VTIME,
        VMIN,
        CONTROLS = 19
};

/* Linux's struct termios of the kernel, the same for programs of 32 and 64 bits. */
struct termios {
        uint32_t input, output, control, local;
        uint8_t line;
        uint8_t of[CONTROLS];
};
_Static_assert(sizeof(struct termios) == 36, "termios");

static struct termios termios = {
        .input = ICRNL,
        .output = 05,                                                /* OPOST ONLCR */
        .control = 010277,                                           /* B115200 CS8 CREAD */
        .local = ISIG | ICANON | ECHO | ECHOCTL | 020 | 040 | 04000, /* ECHOE ECHOK ECHOKE */
        .of = {[VINTR] = 3, [VQUIT] = 034, [VERASE] = 0177, [VKILL] = 025, [VEOF] = 4, [VMIN] = 1},
};

/* What can be read. A mark says that a line ends with this entry; or, alone, the end of file. */
#define MARK 0x100
#define END_OF_FILE 0x200
#define READY 1024
static uint16_t ready[READY];
static unsigned ready_in, ready_out, lines;

#define EDIT 256 /* the longest line */
static uint8_t edit[EDIT];
static unsigned edit_size;

static struct waiters readers;
static uint32_t session, foreground; /* whose terminal it is; 0 = nobody's */

static void ready_add(unsigned entry)
{
        if (ready_in - ready_out == READY)
                return;
        ready[ready_in++ % READY] = (uint16_t)entry;
        lines += (entry & MARK) != 0;
}

static void flush(void)
{
        edit_size = ready_in = ready_out = lines = 0;
}

/* What is being edited can be read as it is. */
static void edit_done(void)
{
        for (unsigned i = 0; i < edit_size; i++)
                ready_add(edit[i]);
        edit_size = 0;
        wake_all(&readers);
}

static void line_done(unsigned last)
{
        edit_done();
        ready_add(last);
}

static bool is_control(uint8_t c)
{
        return (c < ' ' && c != '\n' && c != '\t') || c == 0177;
}

static void echo(uint8_t c)
{
        const char shown[2] = {'^', (char)(c ^ 0100)}, same = (char)c;
        bool control = is_control(c) && termios.local & ECHOCTL;
        if (!(termios.local & ECHO))
                return;
        if (!(control ? console_write(shown, 2) : console_write(&same, 1)))
                console_write("?", 1);
}

static void erase(void)
{
        if (!edit_size)
                return;
        unsigned width = is_control(edit[--edit_size]) && termios.local & ECHOCTL ? 2 : 1;
        for (; width && termios.local & ECHO; width--)
                console_write("\b \b", 3);
}

static void interrupt(uint8_t c, int number)
{
        struct signal_info info = {.signal = number, .code = SI_KERNEL};
        if (!(termios.local & NOFLSH))
                flush();
        echo(c);
        if (foreground)
                signal_send_group(foreground, &info);
}

/* Control characters that edit the line; true = it was one. */
static bool edit_line(uint8_t c)
{
        if (c == termios.of[VERASE] || c == BACKSPACE) {
                erase();
        } else if (c == termios.of[VKILL]) {
                while (edit_size)
                        erase();
        } else if (c == termios.of[VEOF]) {
                line_done(MARK | END_OF_FILE);
        } else {
                return false;
        }
        return true;
}

static void take(uint8_t c)
{
        if (c == '\r' && termios.input & ICRNL)
                c = '\n';
        if (termios.local & ISIG && c && c == termios.of[VINTR]) {
                interrupt(c, SIGINT);
        } else if (termios.local & ISIG && c && c == termios.of[VQUIT]) {
                interrupt(c, SIGQUIT);
        } else if (!(termios.local & ICANON)) {
                echo(c);
                ready_add(c);
                wake_all(&readers);
        } else if (!edit_line(c)) {
                if (c == '\n') {
                        echo(c);
                        line_done(MARK | c);
                } else if (edit_size < EDIT - 1) {
                        echo(c);
                        edit[edit_size++] = c;
                }
        }
}

void terminal_service(void)
{
        for (int c = input_take(); c >= 0; c = input_take())
                take((uint8_t)c);
}

void terminal_give(const struct process *leader)
{
        session = leader->session;
        foreground = leader->group;
}

uint32_t terminal_of(const struct process *process, int32_t *front)
{
        bool has = process->session == session;
        *front = has ? (int32_t)foreground : -1;
        return has ? CONSOLE_DEVICE : 0;
}

bool terminal_is_ours(void)
{
        return cpu_current->process->session == session;
}

/* /dev/tty is the terminal of who opens it. */
int terminal_open(struct file *file)
{
        (void)file;
        return terminal_is_ours() ? 0 : -ENXIO;
}

void terminal_hang_up(const struct process *leader)
{
        const struct signal_info gone = {.signal = SIGHUP, .code = SI_KERNEL},
                                 on = {.signal = SIGCONT, .code = SI_KERNEL};
        uint32_t front = foreground;
        if (leader->pid != session)
                return;
        session = foreground = 0;
        if (!front)
                return;
        signal_send_group(front, &gone);
        signal_send_group(front, &on);
}

static bool can_read(void)
{
        return termios.local & ICANON ? lines != 0 : ready_in != ready_out || !termios.of[VMIN];
}

/* Up to the end of a line; without ICANON, up to what there is. */
static size_t take_ready(uint8_t *to, size_t size)
{
        size_t count = 0;
        while (ready_in != ready_out && count < size) {
                unsigned entry = ready[ready_out++ % READY];
                lines -= (entry & MARK) != 0;
                if (!(entry & END_OF_FILE))
                        to[count++] = (uint8_t)entry;
                if (entry & MARK && termios.local & ICANON)
                        break;
        }
        return count;
}

long terminal_read(struct file *file, uintptr_t to, size_t size)
{
        uint8_t text[EDIT];
        if (!size)
                return 0;
        for (terminal_service(); !can_read(); terminal_service()) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                file_hold(file);
                bool woken = wait_on(&readers);
                file_release(file);
                if (!woken)
                        return call_interrupted(ERESTARTSYS);
        }
        size_t count = take_ready(text, size < EDIT ? size : EDIT);
        return user_write(to, text, count) ? -EFAULT : (long)count;
}

unsigned terminal_poll(struct file *file, struct poll *poll)
{
        (void)file;
        poll_on(poll, &readers);
        terminal_service();
        return (can_read() ? POLL_READABLE : 0) | POLL_WRITABLE;
}

static long get_termios(uintptr_t to)
{
        return user_write(to, &termios, sizeof termios);
}

static long set_termios(uintptr_t from)
{
        struct termios wanted;
        if (user_read(&wanted, from, sizeof wanted))
                return -EFAULT;
        if ((termios.local ^ wanted.local) & ICANON)
                edit_done();
        termios = wanted;
        return 0;
}

static long set_termios_flush(uintptr_t from)
{
        long error = set_termios(from);
        if (!error)
                flush();
        return error;
}

static long get_group(uintptr_t to)
{
        if (!terminal_is_ours())
                return -ENOTTY;
        return user_write(to, &foreground, sizeof foreground);
}

static long set_group(uintptr_t from)
{
        int32_t group;
        if (user_read(&group, from, sizeof group))
                return -EFAULT;
        if (group < 0)
                return -EINVAL;
        if (!terminal_is_ours())
                return -ENOTTY;
        if (!process_in_session((uint32_t)group, session))
                return -ESRCH;
        foreground = (uint32_t)group;
        return 0;
}

static long get_size(uintptr_t to)
{
        static const uint16_t rows_columns_pixels[4] = {25, 80, 0, 0};
        return user_write(to, rows_columns_pixels, sizeof rows_columns_pixels);
}

static long get_session(uintptr_t to)
{
        return terminal_is_ours() ? user_write(to, &session, sizeof session) : -ENOTTY;
}

/* A session's leader takes it, from another session only with the argument 1. */
static long take_terminal(uintptr_t argument)
{
        const struct process *process = cpu_current->process;
        bool leads = process->session == process->pid;
        if (leads && terminal_is_ours())
                return 0;
        if (!leads || (session && argument != 1))
                return -EPERM;
        terminal_give(process);
        return 0;
}

long terminal_control(unsigned long request, uintptr_t argument)
{
        static const struct {
                uint32_t request;
                long (*answer)(uintptr_t argument);
        } requests[] = {
                {TCGETS, get_termios},        {TCSETS, set_termios},
                {TCSETSW, set_termios}, /* output does not wait */
                {TCSETSF, set_termios_flush}, {TIOCSCTTY, take_terminal},
                {TIOCGPGRP, get_group},       {TIOCSPGRP, set_group},
                {TIOCGWINSZ, get_size},       {TIOCGSID, get_session},
        };
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
                if (requests[i].request == (uint32_t)request)
                        return requests[i].answer(argument);
        return -ENOTTY;
}
