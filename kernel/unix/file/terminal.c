/* terminal.c - the line discipline (POSIX, "General Terminal Interface"; defaults as Linux's). */
#include "file/terminal.h"
#include "cpu/window.h"
#include "machine/console.h"
#include "dev/input.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"
#include "uapi.h"
#include "process/signal.h"

#define MODES                                                                                      \
        {                                                                                          \
                .input = ICRNL, .output = OPOST | ONLCR,                                           \
                .control = 010277, /* B115200 CS8 CREAD */                                         \
                        .local = ISIG | ICANON | ECHO | ECHOCTL | 020 | 040 |                      \
                                 04000, /* ECHOE ECHOK ECHOKE                                      \
                                         */                                                        \
                        .of = {[VINTR] = 3,   [VQUIT] = 034, [VERASE] = 0177,                      \
                               [VKILL] = 025, [VEOF] = 4,    [VMIN] = 1},                          \
        }

static bool console_put(struct terminal *terminal, const char *text, size_t size)
{
        return console_write(text, size);
}

struct terminal console_terminal = {
        .device = CONSOLE_DEVICE, .put = console_put, .termios = MODES, .size = {25, 80}};
static struct terminal *terminals = &console_terminal; /* list of all terminals */

void terminal_init(struct terminal *terminal)
{
        terminal->termios = (struct termios)MODES;
        terminal->termios.control = 0277; /* B38400 CS8 CREAD */
        terminal->next = terminals;
        terminals = terminal;
}

void terminal_forget(struct terminal *terminal)
{
        struct terminal **link = &terminals;
        while (*link != terminal)
                link = &(*link)->next;
        *link = terminal->next;
}

static void ready_add(struct terminal *t, unsigned entry)
{
        if (t->ready_in - t->ready_out == TERMINAL_READY)
                return;
        t->ready[t->ready_in++ % TERMINAL_READY] = (uint16_t)entry;
        t->lines += (entry & TERMINAL_MARK) != 0;
}

bool terminal_has_room(const struct terminal *t)
{
        return TERMINAL_READY - (t->ready_in - t->ready_out) > TERMINAL_EDIT;
}

void terminal_flush(struct terminal *t)
{
        t->edit_size = t->ready_in = t->ready_out = t->lines = 0;
}

void terminal_edit_done(struct terminal *t)
{
        for (unsigned i = 0; i < t->edit_size; i++)
                ready_add(t, t->edit[i]);
        t->edit_size = 0;
        wake_all(&t->readers);
}

/* What was typed until now can be read, also as a line without an end. */
void terminal_mode_changes(struct terminal *t)
{
        terminal_edit_done(t);
        uint16_t *last = &t->ready[(t->ready_in - 1) % TERMINAL_READY];
        if (t->ready_in != t->ready_out && !(*last & TERMINAL_MARK)) {
                *last |= TERMINAL_MARK;
                t->lines++;
        }
}

/* Readers see the end of the line when they run. */
static void line_done(struct terminal *t, unsigned last)
{
        terminal_edit_done(t);
        ready_add(t, last);
}

static bool is_control(uint8_t c)
{
        return (c < ' ' && c != '\n' && c != '\t') || c == 0177;
}

static void echo(struct terminal *t, uint8_t c)
{
        const char shown[2] = {'^', (char)(c ^ 0100)}, same = (char)c;
        bool control = is_control(c) && t->termios.local & ECHOCTL;
        if (!(t->termios.local & ECHO))
                return;
        if (!(control ? t->put(t, shown, 2) : t->put(t, &same, 1)))
                t->put(t, "?", 1);
}

static void erase(struct terminal *t)
{
        if (!t->edit_size)
                return;
        unsigned width = is_control(t->edit[--t->edit_size]) && t->termios.local & ECHOCTL ? 2 : 1;
        for (; width && t->termios.local & ECHO; width--)
                t->put(t, "\b \b", 3);
}

/* ^C, ^\, and ^Z where it is set: a signal to the foreground group, whether in ring 0 or 3. A busy
 * program gets it on the way out of the key's interrupt, or of the next tick (signal_deliver). */
static void terminal_interrupt(struct terminal *t, uint8_t c, int number)
{
        struct signal_info info = {.signal = number, .code = SI_KERNEL};
        if (!(t->termios.local & NOFLSH))
                terminal_flush(t);
        echo(t, c);
        if (t->foreground)
                signal_send_group(t->foreground, &info);
}

/* Control characters that edit the line; true = it was one. */
static bool edit_line(struct terminal *t, uint8_t c)
{
        const uint8_t *of = t->termios.of;
        if (c == of[VERASE] || c == BACKSPACE) {
                erase(t);
        } else if (c == of[VKILL]) {
                for (; t->edit_size; interrupt_window())
                        erase(t);
        } else if (c == of[VEOF]) {
                line_done(t, TERMINAL_MARK | TERMINAL_END);
        } else {
                return false;
        }
        return true;
}

static int signal_of(const struct termios *termios, uint8_t c)
{
        const uint8_t *of = termios->of;
        return !c || !(termios->local & ISIG) ? 0
               : c == of[VINTR]               ? SIGINT
               : c == of[VQUIT]               ? SIGQUIT
               : c == of[VSUSP]               ? SIGTSTP
                                              : 0;
}

void terminal_take(struct terminal *t, uint8_t c)
{
        const struct termios *termios = &t->termios;
        if (c == '\r' && termios->input & ICRNL)
                c = '\n';
        int signal = signal_of(termios, c);
        if (signal) {
                terminal_interrupt(t, c, signal);
        } else if (!(termios->local & ICANON)) {
                echo(t, c);
                ready_add(t, c);
                wake_all(&t->readers);
        } else if (!edit_line(t, c)) {
                if (c == '\n') {
                        echo(t, c);
                        line_done(t, TERMINAL_MARK | c);
                } else if (t->edit_size < TERMINAL_EDIT - 1) {
                        echo(t, c);
                        t->edit[t->edit_size++] = c;
                }
        }
}

void terminal_service(void)
{
        for (int c = input_take(); c >= 0; c = input_take())
                terminal_take(&console_terminal, (uint8_t)c);
}

void terminal_give(struct terminal *terminal, const struct process *leader)
{
        terminal->session = leader->session;
        terminal->foreground = leader->group;
}

struct terminal *terminal_of(const struct process *process)
{
        struct terminal *t = terminals;
        while (t && t->session != process->session)
                t = t->next;
        return process->without_terminal ? NULL : t;
}

bool terminal_is_ours(const struct terminal *terminal)
{
        const struct process *process = task()->process;
        return process->session == terminal->session && !process->without_terminal;
}

static const struct signal_info gone = {.signal = SIGHUP, .code = SI_KERNEL},
                                on = {.signal = SIGCONT, .code = SI_KERNEL};

void terminal_hang_up(const struct process *leader)
{
        struct terminal *terminal = terminal_of(leader);
        uint32_t group = terminal ? terminal->foreground : leader->left_in_front;
        if (leader->pid != leader->session)
                return;
        if (terminal)
                terminal->session = terminal->foreground = 0;
        if (group && !signal_send_group(group, &gone))
                signal_send_group(group, &on);
}

void terminal_close(struct terminal *terminal)
{
        struct process *leader = process_find(terminal->session);
        terminal->gone = true;
        wake_all(&terminal->readers);
        if (leader) {
                leader->left_in_front = terminal->foreground;
                signal_send_process(leader->pid, &gone);
                signal_send_process(leader->pid, &on);
        }
        terminal->session = terminal->foreground = 0;
}

static bool can_read(const struct terminal *t)
{
        return t->termios.local & ICANON ? t->lines != 0
                                         : t->ready_in != t->ready_out || !t->termios.of[VMIN];
}

/* Takes bytes up to the end of a line; without ICANON, all there are. */
static size_t take_ready(struct terminal *t, uint8_t *to, size_t size)
{
        size_t count = 0;
        while (t->ready_in != t->ready_out && count < size) {
                unsigned entry = t->ready[t->ready_out++ % TERMINAL_READY];
                t->lines -= (entry & TERMINAL_MARK) != 0;
                if (!(entry & TERMINAL_END))
                        to[count++] = (uint8_t)entry;
                if (entry & TERMINAL_MARK && t->termios.local & ICANON)
                        return count;
        }
        if (count && t->lines && t->ready[t->ready_out % TERMINAL_READY] & TERMINAL_END) {
                t->ready_out++; /* an end directly behind it belongs to it */
                t->lines--;
        }
        return count;
}

/* After the other side has closed, a new read finds the end; a waiting one gets an error. */
long terminal_read(struct terminal *t, struct file *file, uintptr_t to, size_t size)
{
        uint8_t text[TERMINAL_EDIT];
        if (!size || t->gone)
                return 0;
        for (terminal_service(); !can_read(t); terminal_service()) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &t->readers))
                        return call_interrupted(ERESTARTSYS);
                if (t->gone)
                        return -EIO;
        }
        size_t count = take_ready(t, text, size < TERMINAL_EDIT ? size : TERMINAL_EDIT);
        return user_write(to, text, count) ? -EFAULT : (long)count;
}

unsigned terminal_poll(struct terminal *terminal, struct poll *poll)
{
        poll_on(poll, &terminal->readers);
        if (terminal->gone)
                return POLL_READABLE | POLL_WRITABLE | POLLERR | POLLHUP;
        return (can_read(terminal) ? POLL_READABLE : 0) | POLL_WRITABLE;
}
