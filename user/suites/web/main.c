/*
 * main.c - the suite `web`: the cost of a request to a static web server, from the client's write
 * to the last byte that it reads, with the server in each ring; and the server itself.
 *
 * This program is the client, in the origin of its folder. It starts the server from another
 * folder, with a listening socket. A row is one file size on a persistent connection, or 100 bytes
 * on a new connection each time. Then some requests are repeated with stamps around every call of
 * both: they give the number of calls, and the time between them. The rest of a request is the
 * kernel's.
 *
 *      serve=PATH or listener=FD       be the server, with root=FOLDER and way=NAME (ways.c)
 *      try=NAME                        whether that way exists here
 */
#include "child.h"
#include "http.h"
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "vdso.h"
#include "web.h"

#define MOST 200   /* samples */
#define COUNTED 10 /* requests that are repeated for counting */
#define ROOT "/tmp/web.root"
#define SOCKET "/tmp/web.socket"
#define SHARED "/tmp/web.shared"

static const unsigned sizes[] = {0, 100, 1024, 10240, 102400};
#define SIZES (sizeof sizes / sizeof *sizes)
#define LARGEST 102400
#define NEW_SIZE 1 /* index in `sizes` for the row with new connections */

/* A server: its program's folder and how it makes its calls. */
static const struct server {
        const char *name, *program, *way;
} servers[] = {{"user", "/bin/web", "system"},           {"compat", "/compat/web", "system"},
               {"trusted", "/trusted/web", "system"},    {"call", "/trusted/web", "call"},
               {"function", "/trusted/web", "function"}, {"file", "/trusted/web", "file"}};
#define SERVERS (sizeof servers / sizeof *servers)

/* The counts of the client and of the current server. */
static struct shared {
        struct web_count client, server;
} * shared;

static const char *origin, *only;
static const struct web_way *way;
static web_call *const *calls;
static unsigned samples, wrong;
static int64_t ticks[MOST + WARM_UP_LONG];
static char contents[LARGEST], answer[LARGEST + HTTP_HEAD];

#define CALL(name, a, b, c) calls[WEB_##name]((long)(a), (long)(b), (long)(c), 0, 0, 0)

static long connect_to(const char *path)
{
        struct web_address address;
        long fd = system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM, 0);
        long error = system_call(NUMBER_connect, fd, &address, web_address(&address, path));
        return error ? error : fd;
}

/* Start of the answer's body, behind an empty line; NULL: the head is incomplete. */
static const char *body_of(const char *end)
{
        for (const char *at = answer + 3; at < end; at++)
                if (*at == '\n' && at[-2] == '\n')
                        return at + 1;
        return NULL;
}

/* Times from the request to the answer's last byte. Returns the body's bytes. */
static long ask(long fd, const char *request, size_t length, unsigned size, const char **body)
{
        size_t came = 0, wanted = sizeof answer;
        CALL(WRITE, fd, request, length);
        while (came < wanted) {
                long part = CALL(READ, fd, answer + came, sizeof answer - came);
                if (part <= 0)
                        return -1;
                came += (size_t)part;
                if (wanted != sizeof answer)
                        continue;
                *body = body_of(answer + came);
                if (*body)
                        wanted = (size_t)(*body - answer) + size;
        }
        return (long)(came - (size_t)(*body - answer));
}

static size_t write_request(char *to, size_t room, unsigned size, bool last)
{
        return (size_t)snprintf(to, room, "GET /%u.html HTTP/1.1\r\nHost: tollgate\r\n%s\r\n", size,
                                last ? "Connection: close\r\n" : "");
}

static void look_at(long came, unsigned size, const char *body)
{
        wrong += came != (long)size || memcmp(body, contents, size);
}

/* Times one request; `fd` below 0: on a new connection. */
static __attribute__((noinline)) int64_t time_one(long fd, const char *request, size_t length,
                                                  unsigned size)
{
        const char *body = answer;
        bool own = fd < 0;
        uint64_t start = tsc();
        if (own)
                fd = connect_to(SOCKET);
        long came = ask(fd, request, length, size, &body);
        if (own)
                close((int)fd);
        int64_t took = (int64_t)(tsc() - start);
        look_at(came, size, body);
        return took;
}

static void take_samples(long fd, const char *request, size_t length, unsigned size)
{
        noise_pass();
        for (unsigned i = 0; i < WARM_UP_LONG + samples;) {
                int64_t took = time_one(fd, request, length, size);
                ticks[i < WARM_UP_LONG ? 0 : i - WARM_UP_LONG] = took;
                i += noise_keeps(took);
        }
}

struct parts {
        int64_t calls, client, server, entry;
};

static int64_t own_of(const struct web_count *count)
{
        return divide_signed(count->own - (int64_t)count->calls * count->extra, COUNTED);
}

/* Repeats the requests with stamps around every call on both sides. A first, uncounted one ends the
 * wait of a server that did not count. */
static struct parts count_parts(long fd, const char *request, size_t length, unsigned size)
{
        struct web_count *client = &shared->client, *server = &shared->server;
        const char *body;
        web_calibrate(way, client);
        server->on = true;
        ask(fd, request, length, size, &body);
        server->own = server->calls = 0;
        calls = web_counted(way, client);
        for (unsigned i = 0; i < COUNTED; i++) {
                web_begin();
                ask(fd, request, length, size, &body);
                web_end();
        }
        calls = web_uncounted(way);
        server->on = false;
        return (struct parts){
                (client->calls + server->calls) / COUNTED, own_of(client), own_of(server),
                divide_signed(client->calls * client->empty + server->calls * server->empty,
                              COUNTED)};
}

static void record(const char *id, unsigned size, const struct parts *parts)
{
        static struct statistics s;
        struct json json;
        statistics_of(&s, ticks, samples);
        result_open(&json, "web", id, "web", &s);
        json_number(&json, "bytes", size);
        if (parts) {
                json_number(&json, "calls", parts->calls);
                json_number(&json, "client", parts->client);
                json_number(&json, "server", parts->server);
                json_number(&json, "kernel", s.median - parts->client - parts->server);
                json_number(&json, "entry", parts->entry);
        }
        result_close(&json, "web", id);
        print("  %-28s %8lld", id, (long long)s.median);
        if (parts)
                print(": %lld calls; client %lld, server %lld, kernel %lld, of which the ways in "
                      "and out %lld",
                      (long long)parts->calls, (long long)parts->client, (long long)parts->server,
                      (long long)(s.median - parts->client - parts->server),
                      (long long)parts->entry);
        print("\n");
}

static void measure(const struct server *server, unsigned which, bool stays)
{
        char id[48], request[128];
        unsigned size = sizes[which];
        snprintf(id, sizeof id, "%s/%s/%u%s", origin, server->name, size, stays ? "" : "-new");
        progress_row(id);
        if (only && !strstr(id, only))
                return;
        size_t length = write_request(request, sizeof request, size, !stays);
        long fd = stays ? connect_to(SOCKET) : -1;
        do {
                noise_try();
                take_samples(fd, request, length, size);
        } while (noise_again(true));
        struct parts parts = {0};
        if (stays) {
                parts = count_parts(fd, request, length, size);
                close((int)fd);
        }
        record(id, size, stays ? &parts : NULL);
}

static long start(const struct server *server, int listener)
{
        char words[4][48];
        char *arguments[] = {
                (char *)(uintptr_t)server->program, words[0], words[1], words[2], words[3], NULL};
        snprintf(words[0], sizeof words[0], "listener=%d", listener);
        snprintf(words[1], sizeof words[1], "root=%s", ROOT);
        snprintf(words[2], sizeof words[2], "way=%s", server->way);
        snprintf(words[3], sizeof words[3], "count=%s", SHARED);
        long pid = fork();
        if (!pid) {
                execve(server->program, arguments, (char *[]){NULL});
                exit_group(127);
        }
        return pid;
}

/* Its program exists and has this way. */
static bool is_there(const struct server *server)
{
        char words[48];
        char *arguments[] = {(char *)(uintptr_t)server->program, words, NULL};
        struct stat facts;
        int status = -1;
        snprintf(words, sizeof words, "try=%s", server->way);
        if (stat(server->program, &facts))
                return false;
        long pid = fork();
        if (!pid) {
                execve(server->program, arguments, (char *[]){NULL});
                exit_group(127);
        }
        wait4(pid, &status, 0, NULL);
        return !status;
}

static void measure_server(const struct server *server)
{
        long listener = web_listen(SOCKET, O_CLOEXEC), copy = 0, pid;
        if (listener >= 0)
                copy = system_call(NUMBER_dup, listener); /* the server's */
        pid = start(server, (int)copy);
        for (unsigned i = 0; i < SIZES; i++)
                measure(server, i, true);
        measure(server, NEW_SIZE, false);
        int status = 0;
        long ended = wait4(pid, &status, WNOHANG, NULL);
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
        close((int)copy);
        close((int)listener);
        if (ended || wrong)
                check(false, server->name, "%u answers were wrong; the server %s", wrong,
                      ended ? "has ended" : "lives");
}

static unsigned count_servers(void)
{
        unsigned found = 0;
        for (size_t i = 0; i < SERVERS; i++)
                found += is_there(&servers[i]);
        return found;
}

static bool write_file(const char *path, const char *from, size_t size)
{
        long fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
        long done = fd < 0 ? fd : write((int)fd, from, size);
        close((int)fd);
        return done == (long)size;
}

static struct shared *share(const char *path)
{
        static const struct shared none;
        struct stat facts;
        if (stat(path, &facts) && !write_file(path, (const char *)&none, sizeof none))
                return NULL;
        long fd = open(path, O_RDWR, 0);
        long at = mmap_file(PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd);
        close((int)fd);
        return (unsigned long)at > -4096ul ? NULL : (struct shared *)at;
}

static bool make_root(void)
{
        bool made = true;
        mkdir(ROOT, 0755);
        for (unsigned i = 0; i < LARGEST; i++)
                contents[i] = (char)('a' + i % 23);
        for (unsigned i = 0; i < SIZES; i++) {
                char path[64];
                snprintf(path, sizeof path, "%s/%u.html", ROOT, sizes[i]);
                made = made && write_file(path, contents, sizes[i]);
        }
        return made;
}

static int be_server(char **argv)
{
        const char *path = option(argv, "serve"), *root = option(argv, "root");
        const char *name = option(argv, "way"), *count = option(argv, "count");
        const struct web_way *chosen = web_way(name ? name : "system");
        struct shared *counts = count ? share(count) : NULL;
        long listener =
                path ? web_listen(path, O_NONBLOCK) : (int)option_number(argv, "listener", 0);
        if (!chosen || listener < 0) {
                print("web: %s\n", chosen ? error_text(listener) : "there is no such way");
                return 1;
        }
        return web_serve((int)listener, root ? root : "/", chosen, counts ? &counts->server : NULL);
}

int main(int argc, char **argv, char **environment)
{
        const char *tried = option(argv, "try");
        web_sysinfo = (const void *)auxiliary(environment, AT_SYSINFO);
        if (tried)
                return !web_way(tried) || !web_way(tried)->begin();
        if (argc > 1 && (option(argv, "serve") || option(argv, "listener")))
                return be_server(argv);
        origin = program_origin(argv[0]);
        only = option(argv, "only");
        samples = option_number(argv, "samples", MOST);
        samples = samples && samples <= MOST ? samples : MOST;
        noise_init(argv);
        way = web_way("system");
        calls = way->calls;
        shared = share(SHARED);
        if (!shared || !make_root()) {
                print("web: there is no room in /tmp for what it serves\n");
                return 2;
        }
        progress_begin(argv, "web", count_servers() * (SIZES + 1));
        for (size_t i = 0; i < SERVERS; i++)
                if (is_there(&servers[i]))
                        measure_server(&servers[i]);
        return check_status();
}
