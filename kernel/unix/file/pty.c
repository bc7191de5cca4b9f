/* pty.c - pseudo-terminals: a terminal, and a ring for its output. */
#include "file/pty.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "file/terminal.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"

#define RING PAGE_SIZE
#define PIECE 128 /* bytes copied at a time */

struct pty {
        struct terminal terminal; /* the slave's */
        struct pty *next;
        unsigned number, slaves; /* `slaves`: open files of the slave */
        bool master, locked;     /* the master is open; the slave may not be opened */
        bool left;               /* the last open slave was closed */
        uint8_t *ring;
        uint32_t in, out;                /* total bytes written and read */
        struct waiters readers, writers; /* waiting masters; slaves that wait to write */
};

static struct pty *ptys;

static struct pty *pty_of(struct terminal *terminal)
{
        return (struct pty *)terminal;
}

struct pty *pty_find(unsigned number)
{
        struct pty *pty = ptys;
        while (pty && (pty->number != number || !pty->master))
                pty = pty->next;
        return pty;
}

int pty_next(unsigned number)
{
        for (; number < PTYS_MOST; number++)
                if (pty_find(number))
                        return (int)number;
        return -1;
}

static bool put_character(struct pty *pty, char c)
{
        const struct termios *termios = &pty->terminal.termios;
        bool two = c == '\n' && termios->output & OPOST && termios->output & ONLCR;
        if (RING - (pty->in - pty->out) < 1u + two)
                return false;
        if (two)
                pty->ring[pty->in++ % RING] = '\r';
        pty->ring[pty->in++ % RING] = (uint8_t)c;
        return true;
}

/* Writes as much as fits. */
static size_t put_text(struct pty *pty, const char *text, size_t size)
{
        size_t done = 0;
        while (done < size && put_character(pty, text[done]))
                done++;
        if (done)
                wake_all(&pty->readers);
        return done;
}

/* An echo that does not fit is lost. type_text() wakes who waits for it. */
static bool put_echo(struct terminal *terminal, const char *text, size_t size)
{
        while (size-- && put_character(pty_of(terminal), *text))
                text++;
        return true;
}

/* One side writes to the other, in pieces as large as `put` accepts; wakes `waiters` after each. */
static long write_through(struct file *file, uintptr_t from, size_t size,
                          size_t (*put)(struct pty *pty, const char *text, size_t size),
                          struct waiters *waiters)
{
        struct pty *pty = file->data;
        for (size_t done = 0; done < size;) {
                char piece[PIECE];
                size_t part = size - done < PIECE ? size - done : PIECE;
                if (pty->terminal.gone) /* never for the master, which is open */
                        return done ? (long)done : -EIO;
                if (user_read(piece, from + done, part))
                        return done ? (long)done : -EFAULT;
                size_t taken = put(pty, piece, part);
                done += taken;
                if (taken && work_goes_on())
                        continue;
                if (file->flags & O_NONBLOCK)
                        return done ? (long)done : -EAGAIN;
                if (!file_wait(file, waiters))
                        return done ? (long)done : call_interrupted(ERESTARTSYS);
        }
        return (long)size;
}

static long write_slave(struct file *file, uintptr_t from, size_t size)
{
        struct pty *pty = file->data;
        return write_through(file, from, size, put_text, &pty->writers);
}

static long read_slave(struct file *file, uintptr_t to, size_t size)
{
        struct pty *pty = file->data;
        if (!size)
                return 0;
        long done = terminal_read(&pty->terminal, file, to, size);
        wake_all(&pty->readers); /* a master may wait to write */
        return done;
}

static unsigned poll_slave(struct file *file, struct poll *poll)
{
        struct pty *pty = file->data;
        poll_on(poll, &pty->writers);
        unsigned answer = terminal_poll(&pty->terminal, poll);
        bool full = pty->in - pty->out > RING - 2 && !pty->terminal.gone;
        return full ? answer & ~(unsigned)POLL_WRITABLE : answer;
}

static long control_slave(struct file *file, unsigned long request, uintptr_t argument)
{
        struct pty *pty = file->data;
        if (pty->terminal.gone)
                return -EIO;
        long result = terminal_control(&pty->terminal, request, argument, false);
        wake_all(&pty->readers); /* what it has read no more is room for the master */
        return result;
}

static long read_master(struct file *file, uintptr_t to, size_t size)
{
        struct pty *pty = file->data;
        if (!size)
                return 0;
        while (pty->in == pty->out) {
                if (pty->left)
                        return -EIO;
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &pty->readers))
                        return call_interrupted(ERESTARTSYS);
        }
        size_t at = pty->out % RING, count = pty->in - pty->out;
        count = count < size ? count : size;
        count = count < RING - at ? count : RING - at;
        if (user_write(to, pty->ring + at, count))
                return -EFAULT;
        pty->out += (uint32_t)count;
        wake_all(&pty->writers);
        return (long)count;
}

/* Types as much as fits, until others have their turn: a character may wake many. */
static size_t type_text(struct pty *pty, const char *text, size_t size)
{
        size_t taken = 0;
        while (taken < size && terminal_has_room(&pty->terminal) &&
               !(taken && cpu_work & WORK_RESCHEDULE)) {
                uint32_t before = pty->in;
                terminal_take(&pty->terminal, (uint8_t)text[taken++]);
                if (pty->in != before)
                        wake_all(&pty->readers);
        }
        return taken;
}

static long write_master(struct file *file, uintptr_t from, size_t size)
{
        struct pty *pty = file->data;
        return write_through(file, from, size, type_text, &pty->readers);
}

static unsigned poll_master(struct file *file, struct poll *poll)
{
        struct pty *pty = file->data;
        poll_on(poll, &pty->readers);
        return (pty->in != pty->out ? POLL_READABLE : 0) |
               (terminal_has_room(&pty->terminal) ? POLL_WRITABLE : 0) | (pty->left ? POLLHUP : 0);
}

static long control_master(struct file *file, unsigned long request, uintptr_t argument)
{
        struct pty *pty = file->data;
        uint32_t lock, waiting;
        long result;
        switch ((uint32_t)request) {
        case FIONREAD: waiting = pty->in - pty->out; return user_put(argument, &waiting);
        case TIOCGPTN: return user_put(argument, &pty->number);
        case TIOCGPTLCK: lock = pty->locked; return user_put(argument, &lock);
        case TIOCSPTLCK:
                if (user_get(&lock, argument))
                        return -EFAULT;
                pty->locked = lock;
                return 0;
        default:
                result = terminal_control(&pty->terminal, request, argument, true);
                wake_all(&pty->readers); /* a flush makes room for what others write here */
                return result;
        }
}

static void pty_release(struct pty *pty)
{
        if (pty->master || pty->slaves)
                return;
        struct pty **link = &ptys;
        while (*link != pty)
                link = &(*link)->next;
        *link = pty->next;
        terminal_forget(&pty->terminal);
        heap_free(pty->ring);
        heap_free(pty);
}

static void close_slave(struct file *file)
{
        struct pty *pty = file->data;
        if (!--pty->slaves) {
                pty->left = true;
                wake_all(&pty->readers);
        }
        pty_release(pty);
}

static void close_master(struct file *file)
{
        struct pty *pty = file->data;
        pty->master = false;
        terminal_close(&pty->terminal);
        wake_all(&pty->writers);
        pty_release(pty);
}

const struct file_kind pty_master_kind = {"ptmx",
                                          .read = read_master,
                                          .write = write_master,
                                          .ioctl = control_master,
                                          .poll = poll_master,
                                          .close = close_master};
const struct file_kind pty_slave_kind = {"pty",
                                         .read = read_slave,
                                         .write = write_slave,
                                         .ioctl = control_slave,
                                         .poll = poll_slave,
                                         .close = close_slave};

bool pty_has_group(uint32_t number)
{
        bool has = console_terminal.foreground == number;
        for (const struct pty *pty = ptys; pty && !has; pty = pty->next)
                has = pty->terminal.foreground == number;
        return has;
}

/* The lowest number not in use, even by a pair without a master. */
static int free_number(void)
{
        for (unsigned number = 0; number < PTYS_MOST; number++) {
                const struct pty *pty = ptys;
                while (pty && pty->number != number)
                        pty = pty->next;
                if (!pty)
                        return (int)number;
        }
        return -ENOSPC;
}

int pty_open_master(struct file *file)
{
        int number = free_number();
        struct pty *pty = number < 0 ? NULL : heap_allocate(sizeof *pty);
        uint8_t *ring = pty ? heap_allocate(RING) : NULL;
        if (!ring) {
                heap_free(pty);
                return number < 0 ? number : -ENOMEM;
        }
        *pty = (struct pty){.terminal = {.device = PTY_DEVICE((unsigned)number), .put = put_echo},
                            .next = ptys,
                            .number = (unsigned)number,
                            .master = true,
                            .locked = true,
                            .ring = ring};
        ptys = pty;
        terminal_init(&pty->terminal);
        file->data = pty;
        return 0;
}

/* A session leader without a terminal gets this one, unless O_NOCTTY is set. */
int pty_open_slave(struct file *file, struct pty *pty)
{
        const struct process *process = cpu_current ? task()->process : NULL;
        if (pty->locked || pty->terminal.gone)
                return -EIO;
        pty->slaves++;
        pty->left = false;
        file->data = pty;
        file_become(file, &pty_slave_kind); /* it may be that of /dev/tty */
        if (process && !(file->flags & O_NOCTTY) && process->pid == process->session &&
            !pty->terminal.session && !terminal_of(process))
                terminal_give(&pty->terminal, process);
        return 0;
}

int terminal_open(struct file *file)
{
        struct terminal *terminal = terminal_of(task()->process);
        if (!terminal)
                return -ENXIO;
        return terminal == &console_terminal ? 0 : pty_open_slave(file, pty_of(terminal));
}
