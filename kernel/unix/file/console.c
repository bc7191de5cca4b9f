/* console.c - /dev/console and /dev/tty: the terminal of people, the record line of programs. */
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "errno.h"
#include "file/file.h"
#include "file/terminal.h"
#include "lib/string.h"
#include "thread/user.h"

#define LINE 4096 /* the longest record */

/* What a program may write; `run` and `end` are the kernel's word. */
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

/* One record is one write, whole; nothing else may begin one, even if it comes in two writes. */
static bool put(const char *text, size_t size, bool whole)
{
        return whole && record_allowed(text, size) ? console_record(text, size)
                                                   : console_write(text, size);
}

static long write(struct file *file, uintptr_t from, size_t size)
{
        static char line[LINE];
        (void)file;
        for (size_t done = 0; done < size;) {
                size_t part = size - done < LINE ? size - done : LINE;
                if (user_read(line, from + done, part))
                        return done ? (long)done : -EFAULT;
                if (!put(line, part, !done && part == size))
                        return done ? (long)done : -EINVAL;
                done += part;
                if (done < size)
                        interrupt_window();
                if (done < size && cpu_work & (uint8_t)~WORK_METER)
                        return (long)done;
        }
        return (long)size;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        return size ? terminal_read(&console_terminal, file, to, size) : 0;
}

static long ioctl(struct file *file, unsigned long request, uintptr_t argument)
{
        (void)file;
        return terminal_control(&console_terminal, request, argument, false);
}

static unsigned poll(struct file *file, struct poll *poll)
{
        (void)file;
        return terminal_poll(&console_terminal, poll);
}

const struct file_kind console_kind = {"console", .read = read, .write = write, .ioctl = ioctl,
                                       .poll = poll};
