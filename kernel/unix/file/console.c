/* console.c - /dev/console and /dev/tty: the terminal, and the record line of programs. */
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "file/terminal.h"
#include "dev/screen.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"

#define LINE 4096 /* the longest record */
#define PIECE 64  /* bytes shown before other threads run */

/* Whether a program may write this record; `run` and `end` are the kernel's. */
static bool record_allowed(const char *line, size_t size)
{
        static const char *const types[] = {"result\"", "skip\"", "noisy\"", "check\""};
        const char *start = "@{\"v\":1,\"type\":\"";
        size_t length = strlen(start);
        if (size < length + 8 || line[size - 1] != '\n' || strncmp(line, start, length))
                return false;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
                if (!strncmp(line + length, types[i], strlen(types[i])))
                        return true;
        return false;
}

/* Ends at the end of a line, because a screen may scroll after it. */
static size_t piece_of(const char *text, size_t size)
{
        size_t length = 0;
        while (length < size && length < PIECE && text[length++] != '\n')
                ;
        return length;
}

/* Writes text; stops at SIGKILL, or if the kernel's own output would make the rest a record. */
static size_t console_show(const char *text, size_t size)
{
        size_t done = 0;
        while (done < size) {
                size_t part = piece_of(text + done, size - done);
                if (!console_write(text + done, part))
                        break;
                done += part;
                if (!work_goes_on())
                        break;
        }
        return done;
}

/* A record must be one whole write. No other text may begin a record, even across two writes. */
static long console_write_part(const char *text, size_t size, bool whole)
{
        if (whole && record_allowed(text, size))
                return console_record(text, size) ? (long)size : -EINVAL;
        return console_may_write(text, size) ? (long)console_show(text, size) : -EINVAL;
}

static long write_lines(uintptr_t from, size_t size)
{
        static char line[LINE];
        for (size_t done = 0; done < size;) {
                size_t part = size - done < LINE ? size - done : LINE;
                long shown = user_read(line, from + done, part)
                                     ? -EFAULT
                                     : console_write_part(line, part, !done && part == size);
                if (shown < 0)
                        return done ? (long)done : shown;
                done += (size_t)shown;
                if ((size_t)shown < part || cpu_work & (uint8_t)~WORK_METER)
                        return (long)done;
        }
        return (long)size;
}

/* A write is not split: other writers wait meanwhile. */
static long console_file_write(struct file *file, uintptr_t from, size_t size)
{
        static bool busy;
        static struct waiters writers;
        while (busy)
                if (!file_wait(file, &writers))
                        return call_interrupted(ERESTARTSYS);
        busy = true;
        long done = write_lines(from, size);
        busy = false;
        bool turn = writers.first;
        wake_all(&writers);
        if (turn)
                schedule(); /* it may write before this one does again */
        screen_show();
        return done;
}

static long console_file_read(struct file *file, uintptr_t to, size_t size)
{
        return size ? terminal_read(&console_terminal, file, to, size) : 0;
}

static long console_ioctl(struct file *file, unsigned long request, uintptr_t argument)
{
        return terminal_control(&console_terminal, request, argument, false);
}

static unsigned console_poll(struct file *file, struct poll *poll)
{
        return terminal_poll(&console_terminal, poll);
}

const struct file_kind console_kind = {"console", .read = console_file_read,
                                       .write = console_file_write, .ioctl = console_ioctl,
                                       .poll = console_poll};
