/* web.h - a static web server over AF_UNIX, and the suite `web`, its client: shared declarations.
 * Both are one program, so that the server runs in either ring. */
#pragma once
#include "linux.h"

#define WEB_CONNECTIONS 64

/* A server's call into the kernel, with as many words as it has; -errno. */
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
        WEB_EMPTY, /* the shortest call of the way */
        WEB_CALLS
};

/* A way in which a server makes its calls. */
struct web_way {
        const char *name;
        bool (*begin)(void); /* false: this program does not have it */
        web_call *calls[WEB_CALLS];
};
extern const struct web_way web_ways[];
extern const void *web_sysinfo;                  /* AT_SYSINFO, or NULL */
const struct web_way *web_way(const char *name); /* NULL: no such way */

/* Counts in memory shared by the client and its server. */
struct web_count {
        bool on;              /* the server must count */
        uint32_t calls;       /* made */
        int64_t own;          /* ticks between the calls */
        int64_t empty, extra; /* WEB_EMPTY's time in that way, and the cost of counting a call */
};

/* A way's calls with stamps around each, added to *count; and without. */
web_call *const *web_counted(const struct web_way *way, struct web_count *count);
web_call *const *web_uncounted(const struct web_way *way);
/* Begins and ends counting: outside of any call. */
void web_begin(void), web_end(void);
/* Measures `empty` and `extra`; counting is off. */
void web_calibrate(const struct web_way *way, struct web_count *count);

/* Serves the tree below `root` on a listening socket, for ever. `count` may be NULL. Returns the
 * program's exit status. */
int web_serve(int listener, const char *root, const struct web_way *way, struct web_count *count);
/* A listening socket at a path, replacing an existing file; or -errno. */
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
