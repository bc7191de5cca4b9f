/*
 * web.h - a static web server over AF_UNIX, and the suite `web`, which asks it: what the parts of
 * the program share. One program is both, so that the server runs in either ring.
 */
#ifndef TOLLGATE_USER_SUITES_WEB_WEB_H
#define TOLLGATE_USER_SUITES_WEB_WEB_H

#include "linux.h"

#define WEB_CONNECTIONS 64

struct pollfd {
        int fd;
        uint16_t events, answers;
};

/* --- ways (ways.c) ------------------------------------------------------------------------------
 */

/* A call that the server makes of the kernel, with as many words as it has; -errno. */
typedef long web_call(long a, long b, long c, long d, long e, long f);

enum web_name {
        WEB_ACCEPT,
        WEB_POLL,
        WEB_READ,
        WEB_WRITE,
        WEB_OPEN,
        WEB_FSTAT,
        WEB_SENDFILE,
        WEB_CLOSE,
        WEB_EMPTY, /* the shortest there is that way */
        WEB_CALLS
};

/* How a server makes its calls. */
struct web_way {
        const char *name;
        bool (*begin)(void); /* false: there is no such way for this program */
        web_call *calls[WEB_CALLS];
};
extern const struct web_way web_ways[];
extern const void *web_sysinfo;                  /* AT_SYSINFO, or NULL */
const struct web_way *web_way(const char *name); /* NULL: there is none */

/* --- what a process has done, counted (count.c) -------------------------------------------------
 */

/* In memory that the client and its server share. */
struct web_count {
        bool on;        /* the server is to count */
        uint32_t calls; /* made */
        int64_t own;    /* ticks between them */
        int64_t empty,
                extra; /* of the way: what WEB_EMPTY takes, and what counting adds to a call */
};

/* The calls of a way, with stamps around each: they are added to *count; and without. */
web_call *const *web_counted(const struct web_way *way, struct web_count *count);
web_call *const *web_uncounted(const struct web_way *way);
/* Counting begins here, and ends: outside of any call. */
void web_begin(void), web_end(void);
/* Finds `empty` and `extra`; nothing is counted yet. */
void web_calibrate(const struct web_way *way, struct web_count *count);

/* --- the server (server.c) ----------------------------------------------------------------------
 */

/* Serves the tree below `root` on a socket that listens, for ever. `count` may be NULL. The status
 * that the program ends with. */
int web_serve(int listener, const char *root, const struct web_way *way, struct web_count *count);
/* A socket that listens at a path, in place of what was there; or -errno. */
long web_listen(const char *path, int flags);

/* struct sockaddr_un */
struct web_address {
        uint16_t family;
        char path[SOCKET_PATH_MAX];
};
static inline uint32_t web_address(struct web_address *address, const char *path)
{
        address->family = AF_UNIX;
        snprintf(address->path, sizeof address->path, "%s", path);
        return sizeof *address;
}

#endif
