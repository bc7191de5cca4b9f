/* count.c - counts a process's calls, and the time between them. */
#include "web.h"

#define TRIES 100

static struct web_count *counting;
static web_call *const *plain;
static uint64_t left, window; /* the return of the last call, and its time */

#define STAMPED(name)                                                                              \
        static long stamped_##name(long a, long b, long c, long d, long e, long f)                 \
        {                                                                                          \
                uint64_t came = tsc();                                                             \
                long result = plain[WEB_##name](a, b, c, d, e, f);                                 \
                uint64_t went = tsc();                                                             \
                counting->own += (int64_t)(came - left);                                           \
                counting->calls++;                                                                 \
                window = went - came;                                                              \
                left = went;                                                                       \
                return result;                                                                     \
        }
STAMPED(ACCEPT)
STAMPED(POLL)
STAMPED(READ)
STAMPED(WRITE)
STAMPED(OPEN)
STAMPED(FSTAT)
STAMPED(SENDFILE)
STAMPED(CLOSE)
STAMPED(EMPTY)

static web_call *const stamped[WEB_CALLS] = {
        [WEB_ACCEPT] = stamped_ACCEPT,     [WEB_POLL] = stamped_POLL,   [WEB_READ] = stamped_READ,
        [WEB_WRITE] = stamped_WRITE,       [WEB_OPEN] = stamped_OPEN,   [WEB_FSTAT] = stamped_FSTAT,
        [WEB_SENDFILE] = stamped_SENDFILE, [WEB_CLOSE] = stamped_CLOSE, [WEB_EMPTY] = stamped_EMPTY,
};

web_call *const *web_counted(const struct web_way *way, struct web_count *count)
{
        if (!counting)
                web_begin();
        counting = count;
        plain = way->calls;
        return stamped;
}

web_call *const *web_uncounted(const struct web_way *way)
{
        counting = NULL;
        return way->calls;
}

void web_begin(void)
{
        left = tsc();
}

void web_end(void)
{
        counting->own += (int64_t)(tsc() - left);
}

static long nothing(long a, long b, long c, long d, long e, long f)
{
        return 0;
}

/* The minimum time of a call, from stamp to stamp. */
static int64_t least(web_call *call)
{
        int64_t found = INT64_MAX;
        for (unsigned i = 0; i < TRIES; i++) {
                uint64_t start = tsc();
                call(0, 0, 0, 0, 0, 0);
                int64_t took = (int64_t)(tsc() - start);
                found = took < found ? took : found;
        }
        return found;
}

/* A call is timed from the caller, minus a call that returns at once. */
void web_calibrate(const struct web_way *way, struct web_count *count)
{
        int64_t none = least(nothing);
        web_counted(way, count);
        count->empty = least(plain[WEB_EMPTY]) - none;
        int64_t outside = least(stamped_EMPTY) - (int64_t)window;
        count->extra = outside - none;
        count->own = 0;
        count->calls = 0;
        web_uncounted(way);
}
