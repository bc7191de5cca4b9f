/*
 * webclients.c - clients that a web server must survive: wrong requests, incomplete requests,
 * clients that stop reading, more clients at once than it has places for, and thousands one after
 * the other. The server is the suite `web`'s, in each ring and mode; its answers are compared with
 * the file.
 */
#include "child.h"
#include "linux.h"

#define ROOT "/tmp/webclients"
#define SOCKET "/tmp/webclients.socket"
#define PLACES 64
#define PATIENCE 2000 /* tries to find the server's socket, 1 ms each */
#define LARGE 102400

struct address {
        uint16_t family;
        char path[SOCKET_PATH_MAX];
};

static char answer[LARGE + 1024], large[LARGE];
static const char *program, *way;

static long connect_once(void)
{
        struct address address = {AF_UNIX, SOCKET};
        long fd = system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM, 0);
        long error = system_call(NUMBER_connect, fd, &address, sizeof address);
        if (error)
                close((int)fd);
        return error ? error : fd;
}

static long connect_to(void)
{
        const struct timespec tick = {0, 1000000};
        long fd = connect_once();
        for (unsigned i = 0; fd < 0 && i < PATIENCE; i++) {
                nanosleep(&tick, NULL);
                fd = connect_once();
        }
        return fd;
}

static void say(long fd, const char *text)
{
        write((int)fd, text, strlen(text));
}

/* Receives up to `most` bytes or the connection's end. */
static size_t hear(long fd, size_t most)
{
        size_t came = 0;
        long part = 1;
        while (part > 0 && came < most) {
                part = read((int)fd, answer + came, most - came);
                came += part > 0 ? (size_t)part : 0;
        }
        answer[came < sizeof answer ? came : sizeof answer - 1] = 0;
        return came;
}

/* Sends one request on a new connection and reads the whole answer. */
static size_t ask(const char *request)
{
        long fd = connect_to();
        say(fd, request);
        size_t came = hear(fd, sizeof answer);
        close((int)fd);
        return came;
}

static bool starts(const char *with)
{
        return !strncmp(answer, with, strlen(with));
}

#define LAST " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

static bool is_well(void)
{
        ask("GET /a.txt" LAST);
        return starts("HTTP/1.1 200 OK\r\n") && strstr(answer, "text/plain") &&
               strstr(answer, "\r\n\r\nsmall\n");
}

static void expect(const char *name, bool so)
{
        check(so, name, "%s by %s: %.*s", program, way, 40, answer);
}

static void try_requests(void)
{
        static const struct {
                const char *name, *request, *answer;
        } tries[] = {
                {"a file", "GET /a.txt" LAST, "HTTP/1.1 200 OK\r\n"},
                {"of HTTP/1.0", "GET /a.txt HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
                {"below a folder", "GET /in/b.html" LAST, "HTTP/1.1 200 OK\r\n"},
                {"no file", "GET /none" LAST, "HTTP/1.1 404 "},
                {"a folder", "GET /in" LAST, "HTTP/1.1 404 "},
                {"a file as a folder", "GET /a.txt/x" LAST, "HTTP/1.1 404 "},
                {"above the root", "GET /../init" LAST, "HTTP/1.1 404 "},
                {"above it, encoded", "GET /in/%2e%2e/%2e%2e/bin/init" LAST, "HTTP/1.1 404 "},
                {"out by a link", "GET /out/init" LAST, "HTTP/1.1 404 "},
                {"a link to a file outside", "GET /leak" LAST, "HTTP/1.1 404 "},
                {"a FIFO", "GET /fifo" LAST, "HTTP/1.1 404 "},
                {"another method", "PUT /a.txt" LAST, "HTTP/1.1 405 "},
                {"no request", "\x01\x02\r\n\r\n", "HTTP/1.1 400 "},
                {"no host", "GET /a.txt HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
        };
        for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
                size_t came = ask(tries[i].request);
                expect(tries[i].name, came && starts(tries[i].answer));
        }
        ask("HEAD /large.html" LAST);
        expect("HEAD has no body",
               strstr(answer, "Content-Length: 102400\r\n") && !strstr(answer, "\r\n\r\nx"));
}

static void try_long(void)
{
        static char request[4096];
        memset(request, 'a', sizeof request - 1);
        memcpy(request, "GET /", 5);
        ask(request);
        expect("a request without an end", starts("HTTP/1.1 414 "));
}

static void try_several(void)
{
        long fd = connect_to();
        say(fd, "GET /a.txt HTTP/1.1\r\nHost: h\r\n\r\nGET /none HTTP/1.1\r\nHost: h\r\n\r\n"
                "GET /a.txt" LAST);
        hear(fd, sizeof answer);
        const char *second = strstr(answer, "small\nHTTP/1.1 404 ");
        expect("three in one write", second && strstr(second, "\r\n\r\nsmall\n"));
        close((int)fd);
}

static void try_halves(void)
{
        const struct timespec tick = {0, 1000000};
        long half = connect_to();
        say(half, "GET /a.txt HTT");
        nanosleep(&tick, NULL);
        expect("beside half a request", is_well());
        say(half, "P/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        hear(half, sizeof answer);
        expect("and its other half", starts("HTTP/1.1 200 OK\r\n"));
        close((int)half);
        half = connect_to();
        say(half, "GET /a.t");
        close((int)half);
        expect("behind one that left", is_well());
}

/* Requests twice as much as any socket holds, and reads it after another client was served. */
static void try_slow_reader(void)
{
        bool well = true;
        long fd = connect_to();
        for (unsigned i = 0; i < 3; i++)
                say(fd, "GET /large.html HTTP/1.1\r\nHost: h\r\n\r\n");
        expect("beside one that does not read", is_well());
        for (unsigned i = 0; i < 3 && well; i++) {
                size_t head = 0;
                while (head < 4 || memcmp(answer + head - 4, "\r\n\r\n", 4))
                        if (read((int)fd, answer + head++, 1) != 1)
                                break;
                well = head < 300 && hear(fd, LARGE) == LARGE && !memcmp(answer, large, LARGE);
        }
        expect("what it reads at last", well);
        say(fd, "GET /large.html HTTP/1.1\r\nHost: h\r\n\r\n");
        close((int)fd);
        expect("behind one that left unread", is_well());
}

static void try_many(void)
{
        long many[2 * PLACES];
        unsigned open = 0;
        for (unsigned i = 0; i < 2 * PLACES; i++) {
                many[i] = connect_to();
                say(many[i], "GET /a");
        }
        expect("beside more than it has places for", is_well());
        for (unsigned i = 0; i < 2 * PLACES; i++) {
                say(many[i], ".txt" LAST);
                open += hear(many[i], sizeof answer) && starts("HTTP/1.1 200 ");
                close((int)many[i]);
        }
        check(open >= PLACES / 2 && open <= PLACES, "those that came last are served",
              "%s by %s: %u of %u", program, way, open, 2 * PLACES);
}

static void try_thousands(unsigned times)
{
        unsigned well = 0;
        is_well(); /* makes one-time allocations */
        struct toll_counts before = counts_now();
        for (unsigned i = 0; i < times; i++)
                well += is_well();
        struct toll_counts after = counts_now();
        check(well == times, "one after the other", "%s by %s: %u of %u", program, way, well,
              times);
        check(before.objects == after.objects, "nothing stays of them", "%s by %s: %u, then %u",
              program, way, (unsigned)before.objects, (unsigned)after.objects);
}

static void try_server(unsigned times)
{
        char words[3][64];
        char *arguments[] = {(char *)(uintptr_t)program, words[0], words[1], words[2], NULL};
        snprintf(words[0], sizeof words[0], "serve=%s", SOCKET);
        snprintf(words[1], sizeof words[1], "root=%s", ROOT);
        snprintf(words[2], sizeof words[2], "way=%s", way);
        unlink(SOCKET);
        long pid = fork();
        if (!pid) {
                execve(program, arguments, (char *[]){NULL});
                exit_group(127);
        }
        try_requests();
        try_long();
        try_several();
        try_halves();
        try_slow_reader();
        try_many();
        try_thousands(times);
        int status = 0;
        check(!wait4(pid, &status, WNOHANG, NULL), "it lives", "%s by %s: %x", program, way,
              (unsigned)status);
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
}

static void put(const char *path, const char *text, size_t size)
{
        int fd = (int)open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
        write(fd, text, size);
        close(fd);
}

int main(int argc, char **argv)
{
        static const char *const servers[][2] = {{"/bin/web", "system"},
                                                 {"/compat/web", "system"},
                                                 {"/trusted/web", "system"},
                                                 {"/trusted/web", "function"},
                                                 {"/trusted/web", "file"}};
        const char *only = option(argv, "only");
        struct stat facts;
        (void)argc;
        signal_set(SIGPIPE, SIG_IGN);
        memset(large, 'x', sizeof large);
        mkdir(ROOT, 0755);
        mkdir(ROOT "/in", 0755);
        put(ROOT "/a.txt", "small\n", 6);
        put(ROOT "/in/b.html", "below\n", 6);
        put(ROOT "/large.html", large, sizeof large);
        symlink("/bin", ROOT "/out");
        symlink("/bin/init", ROOT "/leak");
        system_call(NUMBER_mknod, ROOT "/fifo", S_IFIFO | 0644, 0);
        for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
                program = servers[i][0];
                way = servers[i][1];
                if (!stat(program, &facts) && (!only || strstr(program, only)))
                        try_server(option_number(argv, "samples", 1000));
        }
        return check_status();
}
