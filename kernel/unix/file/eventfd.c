/* eventfd.c - a counter as a file: a write adds to it, a read takes it (eventfd(2)). */
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"

#define MOST (UINT64_MAX - 1)

struct counter {
        uint64_t count;
        bool semaphore; /* a read takes 1 */
        struct waiters readers, writers;
};

static long eventfd_read(struct file *file, uintptr_t to, size_t size)
{
        struct counter *counter = file->data;
        if (size < sizeof counter->count)
                return -EINVAL;
        while (!counter->count) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &counter->readers))
                        return call_interrupted(ERESTARTSYS);
        }
        uint64_t taken = counter->semaphore ? 1 : counter->count;
        counter->count -= taken;
        wake_all(&counter->writers);
        return user_put(to, &taken) ? -EFAULT : (long)sizeof taken;
}

static long eventfd_write(struct file *file, uintptr_t from, size_t size)
{
        struct counter *counter = file->data;
        uint64_t more;
        if (size < sizeof more)
                return -EINVAL;
        if (user_get(&more, from))
                return -EFAULT;
        if (more > MOST)
                return -EINVAL;
        while (more > MOST - counter->count) {
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &counter->writers))
                        return call_interrupted(ERESTARTSYS);
        }
        counter->count += more;
        wake_all(&counter->readers);
        return sizeof more;
}

static unsigned eventfd_poll(struct file *file, struct poll *poll)
{
        struct counter *counter = file->data;
        poll_on(poll, &counter->readers);
        poll_on(poll, &counter->writers);
        return (counter->count ? POLLIN : 0) | (counter->count < MOST ? POLLOUT : 0);
}

static void eventfd_close(struct file *file)
{
        heap_free(file->data);
}

static const struct file_kind eventfd_kind = {"eventfd",
                                              .mode = 0600,
                                              .read = eventfd_read,
                                              .write = eventfd_write,
                                              .poll = eventfd_poll,
                                              .close = eventfd_close};

long sys_eventfd2(long count, long flags, AFTER_2)
{
        if ((unsigned)flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK | EFD_SEMAPHORE))
                return -EINVAL;
        struct counter *counter = heap_allocate(sizeof *counter);
        struct file *file =
                counter ? file_create(&eventfd_kind, NULL, O_RDWR | ((unsigned)flags & O_NONBLOCK))
                        : NULL;
        if (!file) {
                heap_free(counter);
                return -ENOMEM;
        }
        *counter = (struct counter){.count = (uint32_t)count, .semaphore = flags & EFD_SEMAPHORE};
        file->data = counter;
        return descriptor_give(file, flags & O_CLOEXEC);
}
