/* com2.c - /dev/ttyS1: the second serial line, byte by byte, without a terminal's rules. */
#include "dev/com2.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/com2.h"
#include "file/file.h"
#include "file/poll.h"
#include "thread/user.h"
#include "calls.h"

#define PIECE 64

#define PAUSE ((1ull << 32) / 1000) /* of a line that takes nothing: a millisecond */

static struct waiters readers, writers; /* writers: nobody wakes them but the clock */

void com2_service(void)
{
        if (com2_has())
                wake_all(&readers);
}

int com2_open(struct file *file)
{
        (void)file;
        return com2_absent() ? -ENXIO : 0;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        size_t done = 0;
        if (!size)
                return 0;
        while (!com2_look()) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &readers))
                        return call_interrupted(ERESTARTSYS);
        }
        while (done < size && com2_has()) {
                uint8_t bytes[PIECE];
                size_t part = com2_take(bytes, size - done < PIECE ? size - done : PIECE);
                if (user_write(to + done, bytes, part))
                        return done ? (long)done : -EFAULT;
                done += part;
                interrupt_window();
        }
        return (long)done;
}

/* The other side may let us wait for as long as it likes. False = a signal came first. */
static bool put(struct file *file, uint8_t byte)
{
        bool waited = true;
        file_hold(file);
        while (waited && !com2_put(byte))
                waited = wait_until(&writers, clock_after(PAUSE));
        file_release(file);
        return waited;
}

static long write(struct file *file, uintptr_t from, size_t size)
{
        for (size_t done = 0; done < size;) {
                uint8_t bytes[PIECE];
                size_t part = size - done < PIECE ? size - done : PIECE;
                if (user_read(bytes, from + done, part))
                        return done ? (long)done : -EFAULT;
                for (size_t i = 0; i < part; i++, done++)
                        if (!put(file, bytes[i]))
                                return done ? (long)done : call_interrupted(ERESTARTSYS);
                if (!work_goes_on())
                        return (long)done;
        }
        return (long)size;
}

static unsigned poll(struct file *file, struct poll *poll)
{
        (void)file;
        poll_on(poll, &readers);
        return (com2_has() ? POLL_READABLE : 0) | POLL_WRITABLE;
}

const struct file_kind com2_kind = {"serial", .read = read, .write = write, .poll = poll};
