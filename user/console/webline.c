/*
 * webline.c - many connections to the web server over one serial line: /dev/ttyS1 on this side, a
 * relay on the other (tools/tollgate/machines/webline.py), which is what a browser or curl talks
 * to.
 *
 * Both ways the line carries parts: a byte that says which connection, two that say how many bytes
 * (the low one first), and these. A part of none ends the connection; each side says that once, and
 * then the number may be given to another.
 *
 *      webline [root=FOLDER]   also starts the server, /bin/web
 */
#include "lib.h"
#include "linux.h"

#define LINE "/dev/ttyS1"
#define SOCKET "/tmp/webline"
#define CONNECTIONS 32
#define HEAD 3
#define PART 4096

struct pollfd {
        int fd;
        uint16_t events, answers;
};

static struct pollfd polls[1 + CONNECTIONS]; /* the line's, and a socket's or -1 each */
static bool ended[CONNECTIONS];              /* we have said so, and wait for them to */
static uint8_t head[HEAD], bytes[HEAD + PART];
static size_t heads, left; /* of the part that comes: bytes of its head, and those still to come */

static int *socket_of(unsigned i)
{
        return &polls[1 + i].fd;
}

static bool put(size_t size)
{
        for (size_t done = 0; done < size;) {
                long part = write(polls[0].fd, bytes + done, size - done);
                if (part <= 0)
                        return false;
                done += (size_t)part;
        }
        return true;
}

/* Sends the host a part of the answer of the server; 0 = the server has ended. */
static bool tell(unsigned i, long size)
{
        size = size > 0 ? size : 0;
        bytes[0] = (uint8_t)i;
        bytes[1] = (uint8_t)size;
        bytes[2] = (uint8_t)(size >> 8);
        return put(HEAD + (size_t)size);
}

static bool end(unsigned i)
{
        close(*socket_of(i));
        *socket_of(i) = -1;
        ended[i] = true;
        return tell(i, 0);
}

static long connect_to_server(void)
{
        struct {
                uint16_t family;
                char path[SOCKET_PATH_MAX];
        } address = {AF_UNIX, SOCKET};
        const struct timespec tick = {0, 1000000};
        long fd = system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM | O_CLOEXEC, 0), error = -1;
        for (unsigned i = 0; error && i < 1000; i++) {
                error = system_call(NUMBER_connect, fd, &address, sizeof address);
                if (error)
                        nanosleep(&tick, NULL);
        }
        system_call(NUMBER_fcntl, fd, F_SETFL, O_NONBLOCK);
        return fd;
}

/* The head of a part has come. */
static bool begin_part(void)
{
        unsigned i = head[0];
        left = head[1] | (size_t)head[2] << 8;
        heads = 0;
        if (i >= CONNECTIONS || left > PART)
                return false;
        if (!left && ended[i])
                ended[i] = false;
        else if (!left && *socket_of(i) >= 0)
                return end(i) && !(ended[i] = false);
        else if (left && !ended[i] && *socket_of(i) < 0)
                *socket_of(i) = (int)connect_to_server();
        return true;
}

/* For the server, or for nobody. One that takes no more has lost its connection. */
static bool pass(const uint8_t *from, size_t size)
{
        unsigned i = head[0];
        left -= size;
        if (*socket_of(i) < 0 || write(*socket_of(i), from, size) == (long)size)
                return true;
        return end(i);
}

static bool hear(void)
{
        static uint8_t came[PART];
        long size = read(polls[0].fd, came, sizeof came);
        for (long at = 0; at < size;) {
                if (!left) {
                        head[heads++] = came[at++];
                        if (heads == HEAD && !begin_part())
                                return false;
                        continue;
                }
                size_t part = left < (size_t)(size - at) ? left : (size_t)(size - at);
                if (!pass(came + at, part))
                        return false;
                at += (long)part;
        }
        return size > 0;
}

static bool serve(void)
{
        if (system_call(NUMBER_poll, polls, 1 + CONNECTIONS, -1) < 0)
                return false;
        if (polls[0].answers && !hear())
                return false;
        for (unsigned i = 0; i < CONNECTIONS; i++) {
                if (!polls[1 + i].answers || *socket_of(i) < 0)
                        continue;
                long size = read(*socket_of(i), bytes + HEAD, PART);
                if (size == -EAGAIN)
                        continue;
                if (!(size > 0 ? tell(i, size) : end(i)))
                        return false;
        }
        return true;
}

static long start_server(char **argv)
{
        const char *root = option(argv, "root");
        char words[64];
        char *arguments[] = {(char *)"/bin/web", (char *)"serve=" SOCKET, words, NULL};
        snprintf(words, sizeof words, "root=%s", root ? root : "/pages");
        long pid = fork();
        if (!pid) {
                execve("/bin/web", arguments, (char *[]){NULL});
                exit_group(127);
        }
        return pid;
}

int main(int argc, char **argv)
{
        (void)argc;
        long line = open(LINE, O_RDWR, 0);
        if (line < 0) {
                print("webline: %s: %s\n", LINE, error_text(line));
                return 1;
        }
        long server = start_server(argv);
        polls[0] = (struct pollfd){(int)line, POLLIN, 0};
        for (unsigned i = 0; i < CONNECTIONS; i++)
                polls[1 + i] = (struct pollfd){-1, POLLIN, 0};
        print("webline: serving\n");
        while (serve())
                ;
        print("webline: the other side says what nobody understands\n");
        kill(server, SIGKILL);
        wait4(server, NULL, 0, NULL);
        return 1;
}
