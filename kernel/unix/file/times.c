/* times.c - sets files' times: utimensat(). */
#include "errno.h"
#include "file/file.h"
#include "file/path.h"
#include "thread/user.h"
#include "calls.h"

#define SECOND 1000000000 /* nanoseconds */
#define SET 2             /* settable times: last read and last write */

struct wanted {
        struct node_time times[NODE_TIMES];
        unsigned which; /* a bit for each that is to be set */
        bool wrong;     /* a value is invalid */
};

static void want(struct wanted *wanted, unsigned i, int64_t seconds, uint64_t nanoseconds)
{
        wanted->wrong |=
                nanoseconds >= SECOND && nanoseconds != UTIME_NOW && nanoseconds != UTIME_OMIT;
        if (nanoseconds != UTIME_OMIT)
                wanted->which |= 1u << i;
        wanted->times[i] = nanoseconds == UTIME_NOW
                                   ? node_now()
                                   : (struct node_time){seconds, (uint32_t)nanoseconds};
}

/* Two struct timespec; NULL = now for both. */
static int read_times(struct wanted *wanted, uintptr_t from)
{
        uintptr_t words[2 * SET] = {0, UTIME_NOW, 0, UTIME_NOW};
        *wanted = (struct wanted){0};
        if (from && user_get_words(words, from, 2 * SET))
                return -EFAULT;
        for (unsigned i = 0; i < SET; i++)
                want(wanted, i, call_narrow() ? (int32_t)words[2 * i] : (long)words[2 * i],
                     words[2 * i + 1]);
        return 0;
}

/* The same with 64-bit fields; for 32-bit programs half of the nanoseconds counts. */
static int read_wide_times(struct wanted *wanted, uintptr_t from)
{
        int64_t words[2 * SET] = {0, UTIME_NOW, 0, UTIME_NOW};
        *wanted = (struct wanted){0};
        if (from && user_get(&words, from))
                return -EFAULT;
        for (unsigned i = 0; i < SET; i++)
                want(wanted, i, words[2 * i], (uint32_t)words[2 * i + 1]);
        return 0;
}

static int set_times(struct node *node, const struct wanted *wanted)
{
        if (wanted->wrong)
                return -EINVAL;
        if (node->kind->refuses || !node->kind->touch)
                return node_refusal(node);
        node->kind->touch(node, wanted->which, wanted->times);
        return 0;
}

static int set_open(long fd, const struct wanted *wanted)
{
        struct file *file = file_of(fd);
        if (!file)
                return -EBADF;
        return file->node ? set_times(file->node, wanted) : wanted->wrong ? -EINVAL : 0;
}

static int set_at(long fd, uintptr_t text, const struct wanted *wanted, unsigned flags)
{
        struct node *node;
        if (!wanted->which)
                return 0;
        if (flags & ~(unsigned)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
                return -EINVAL;
        if (!text && (int)fd != AT_FDCWD)
                return flags ? -EINVAL : set_open(fd, wanted);
        if (path_is_empty((long)text, flags))
                return set_open(fd, wanted);
        int error = node_at(&node, fd, (long)text, !(flags & AT_SYMLINK_NOFOLLOW));
        if (!error)
                error = set_times(node, wanted);
        node_release(node);
        return error;
}

long sys_utimensat(long fd, long text, long times, long flags, AFTER_4)
{
        struct wanted wanted;
        int error = read_times(&wanted, (uintptr_t)times);
        return error ? error : set_at(fd, (uintptr_t)text, &wanted, (unsigned)flags);
}

/* 32-bit programs */
long sys_utimensat_time64(long fd, long text, long times, long flags, AFTER_4)
{
        struct wanted wanted;
        int error = read_wide_times(&wanted, (uintptr_t)times);
        return error ? error : set_at(fd, (uintptr_t)text, &wanted, (unsigned)flags);
}
