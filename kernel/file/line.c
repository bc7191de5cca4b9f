/*
 * line.c - /dev/ttyS1: the second serial line. Bytes as they are, no terminal. A read takes what
 * has come and waits, tick by tick, while there is nothing.
 */
#include "dev/line.h"
#include "clock/clock.h"
#include "errno.h"
#include "file/file.h"
#include "mem/user.h"
#include "proc/calls.h"

#define PIECE 256
#define TICK ((1ull << 32) / 100) /* of the clock: a hundredth of a second */
#define PATIENCE 100              /* ticks that it may take no byte */

int line_file_open(struct file *file)
{
        (void)file;
        return line_open() ? 0 : -ENXIO;
}

/* False = a signal wants the process first. */
static bool wait_a_tick(struct file *file)
{
        struct waiters nobody = {0};
        file_hold(file);
        bool woken = wait_until(&nobody, clock_now() + TICK);
        file_release(file);
        return woken;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        uint8_t text[PIECE];
        size_t count;
        if (!size)
                return 0;
        while (!(count = line_take(text, size < PIECE ? size : PIECE))) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!wait_a_tick(file))
                        return call_interrupted(ERESTARTSYS);
        }
        return user_write(to, text, count) ? -EFAULT : (long)count;
}

static long write(struct file *file, uintptr_t from, size_t size)
{
        uint8_t text[PIECE];
        size_t done = 0, count = size < PIECE ? size : PIECE;
        if (user_read(text, from, count))
                return -EFAULT;
        for (unsigned waited = 0; done < count;) {
                if (line_put(text[done])) {
                        done++;
                        waited = 0;
                } else if (waited++ == PATIENCE) {
                        return done ? (long)done : -EIO;
                } else if (!wait_a_tick(file)) {
                        return done ? (long)done : call_interrupted(ERESTARTSYS);
                }
        }
        return (long)done;
}

const struct file_kind line_kind = {"line", .read = read, .write = write};
