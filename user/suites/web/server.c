/* server.c - a static web server: GET and HEAD, connections that stay, 64 of them by poll().
 *
 * No connection blocks another: each buffers output that its client does not read, and incomplete
 * requests. If all places are taken, a new client replaces the connection that was idle longest. A
 * path is opened name by name, without following links, so no path leads out of the root. */
#include "http.h"
#include "web.h"

#define SMALL 3072 /* bytes of a file sent together with the head */
#define OUT (HTTP_HEAD + SMALL)

struct connection {
        long file;         /* being sent, or -1 */
        size_t have;       /* bytes of requests, in `in` */
        size_t from, size; /* unsent part of `out` */
        size_t left;       /* bytes of the file after it */
        bool closes;       /* after everything is sent */
        uint32_t turn;     /* its last activity */
        char in[HTTP_REQUEST], out[OUT];
};

static struct connection connections[WEB_CONNECTIONS];
/* The listener, followed by the sockets of all connections. */
static struct pollfd polls[1 + WEB_CONNECTIONS];
static struct connection *of[WEB_CONNECTIONS];
static unsigned count;
static uint32_t turns;
static web_call *const *calls;
static long root;

#define CALL(name, a, b, c, d) calls[WEB_##name]((long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static bool is_sending(const struct connection *c)
{
        return c->from < c->size || c->left;
}

static void end_file(struct connection *c)
{
        if (c->file >= 0)
                CALL(CLOSE, c->file, 0, 0, 0);
        c->file = -1;
        c->left = 0;
}

/* 0: all sent. -EAGAIN: the client does not read now. Otherwise the connection is lost. */
static long send(struct connection *c, int fd)
{
        while (is_sending(c)) {
                bool head = c->from < c->size;
                long done = head ? CALL(WRITE, fd, c->out + c->from, c->size - c->from, 0)
                                 : CALL(SENDFILE, fd, c->file, 0, c->left);
                if (done <= 0) /* a file that was shortened ends the connection */
                        return done ? done : -EIO;
                if (head)
                        c->from += (size_t)done;
                else if ((c->left -= (size_t)done))
                        return -EAGAIN;
        }
        end_file(c);
        return 0;
}

/* Opens a file below the root, or -errno. Writes 0s into the path. */
static long open_below(char *path)
{
        long at = root, fd;
        for (char *name = path, *slash;; name = slash + 1) {
                slash = strchr(name, '/');
                if (slash)
                        *slash = 0;
                fd = CALL(OPEN, at, name,
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (slash ? O_DIRECTORY : 0), 0);
                if (at != root)
                        CALL(CLOSE, at, 0, 0, 0);
                if (!slash || fd < 0)
                        return fd;
                at = fd;
        }
}

/* A regular file and its size; false: see the status. */
static bool find(struct connection *c, struct http_request *request, size_t *size)
{
        struct stat facts;
        c->file = open_below(request->path);
        if (c->file < 0) {
                request->status = c->file == -EMFILE || c->file == -ENFILE || c->file == -ENOMEM
                                          ? HTTP_FAILED
                                          : HTTP_NOT_FOUND;
                return false;
        }
        if (CALL(FSTAT, c->file, &facts, 0, 0) < 0 || (facts.mode & S_IFMT) != S_IFREG ||
            facts.size > INT32_MAX) {
                request->status = HTTP_NOT_FOUND;
                end_file(c);
                return false;
        }
        *size = (size_t)facts.size;
        return true;
}

/* Appends a small file's bytes to the head. */
static void take_file(struct connection *c, size_t size)
{
        long done = size && size <= SMALL ? CALL(READ, c->file, c->out + c->size, size, 0) : 0;
        c->size += done > 0 ? (size_t)done : 0;
        c->left = done > 0 ? size - (size_t)done : size;
        if (!c->left)
                end_file(c);
}

static void refuse(struct connection *c, const struct http_request *request)
{
        const char *reason = http_reason(request->status);
        size_t length = strlen(reason);
        c->size = http_head(c->out, request, "text/plain; charset=utf-8", (uint32_t)length + 1);
        if (request->head)
                return;
        memcpy(c->out + c->size, reason, length);
        c->out[c->size + length] = '\n';
        c->size += length + 1;
}

static void answer(struct connection *c, struct http_request *request)
{
        size_t size;
        const char *type = request->status == HTTP_OK ? http_type(request->path) : NULL;
        c->from = 0;
        c->closes = !request->stays;
        if (!type || !find(c, request, &size)) {
                refuse(c, request);
                return;
        }
        c->size = http_head(c->out, request, type, (uint32_t)size);
        if (request->head)
                end_file(c);
        else
                take_file(c, size);
}

/* False: no complete request. */
static bool answer_next(struct connection *c)
{
        struct http_request request;
        if (!c->have)
                return false;
        http_parse(&request, c->in, c->have);
        if (request.status == HTTP_MORE)
                return false;
        c->have -= request.size;
        if (c->have)
                memmove(c->in, c->in + request.size, c->have);
        answer(c, &request);
        return true;
}

static void end(unsigned i)
{
        struct connection *c = of[i];
        end_file(c);
        CALL(CLOSE, polls[1 + i].fd, 0, 0, 0);
        count--;
        of[i] = of[count];
        of[count] = c;
        polls[1 + i] = polls[1 + count];
}

/* Everything that can be done now, with one read. False: it has ended, or must end. */
static bool serve(struct connection *c, struct pollfd *poll)
{
        bool asked = false;
        c->turn = ++turns;
        for (;;) {
                long error = is_sending(c) ? send(c, poll->fd) : 0;
                poll->events = error ? POLLOUT : POLLIN;
                if (error || c->closes)
                        return error == -EAGAIN;
                if (answer_next(c))
                        continue;
                if (asked)
                        return true;
                asked = true;
                long done = CALL(READ, poll->fd, c->in + c->have, HTTP_REQUEST - c->have, 0);
                if (done <= 0)
                        return done == -EAGAIN;
                c->have += (size_t)done;
        }
}

/* The one that was idle longest. */
static unsigned oldest(void)
{
        unsigned found = 0;
        for (unsigned i = 1; i < count; i++)
                if (turns - of[i]->turn > turns - of[found]->turn)
                        found = i;
        return found;
}

static void accept_next(void)
{
        long fd = CALL(ACCEPT, polls[0].fd, 0, 0, O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                return;
        if (count == WEB_CONNECTIONS)
                end(oldest());
        struct connection *c = of[count];
        c->file = -1;
        c->have = c->from = c->size = c->left = 0;
        c->closes = false;
        c->turn = ++turns;
        polls[1 + count++] = (struct pollfd){(int)fd, POLLIN, 0};
}

static _Noreturn void serve_all(const struct web_way *way, struct web_count *counted)
{
        for (;;) {
                calls = counted && counted->on ? web_counted(way, counted) : web_uncounted(way);
                if (CALL(POLL, polls, 1 + count, -1, 0) < 0)
                        continue;
                for (unsigned i = count; i-- > 0;)
                        if (polls[1 + i].answer && !serve(of[i], &polls[1 + i]))
                                end(i);
                if (polls[0].answer)
                        accept_next();
        }
}

long web_listen(const char *path, int flags)
{
        struct web_address address;
        long fd = system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM | flags, 0);
        unlink(path);
        long error =
                fd < 0 ? fd : system_call(NUMBER_bind, fd, &address, web_address(&address, path));
        if (!error)
                error = system_call(NUMBER_listen, fd, WEB_CONNECTIONS);
        return error < 0 ? error : fd;
}

int web_serve(int listener, const char *path, const struct web_way *way, struct web_count *counted)
{
        signal_set(SIGPIPE, SIG_IGN);
        for (unsigned i = 0; i < WEB_CONNECTIONS; i++)
                of[i] = &connections[i];
        polls[0] = (struct pollfd){listener, POLLIN, 0};
        if (!way->begin()) {
                print("web: this program cannot make its calls by `%s`\n", way->name);
                return 1;
        }
        calls = way->calls;
        root = CALL(OPEN, AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
        if (root < 0) {
                print("web: %s: %s\n", path, error_text(root));
                return 1;
        }
        if (counted)
                web_calibrate(way, counted);
        serve_all(way, counted);
}
