/* pages.c - more bytes than a page: in order, peeked at, and from a file that is cut meanwhile. */
#include "sockets.h"

#define MUCH 60000 /* bytes that a socket can hold, also on Linux */

static char sent[MUCH], came[MUCH];

static void make(int pair[2], int flags)
{
        SYS(socketpair, AF_UNIX, SOCK_STREAM | flags, 0, pair);
        for (unsigned i = 0; i < MUCH; i++)
                sent[i] = (char)(i * 7 + i / 251);
}

/* Tries a different size each time, so that page boundaries fall anywhere. */
static void try_order(void)
{
        int pair[2];
        bool well = true;
        make(pair, O_NONBLOCK);
        for (unsigned round = 0; round < 40 && well; round++) {
                long size = MUCH - 977 * round, done = 0, part = 1;
                well = write(pair[0], sent, (size_t)size) == size;
                memset(came, 0, sizeof came);
                for (; part > 0; done += part > 0 ? part : 0)
                        part = read(pair[1], came + done, 3001 + round * 97);
                well = well && done == size && !memcmp(sent, came, (size_t)size);
        }
        check(well, "more than a page", "in order");
        expect("more than a page: all of it", read(pair[1], came, 1), -EAGAIN);
        write(pair[0], sent, 9000);
        expect("peek over pages", SYS(recvfrom, pair[1], came, 9000, MSG_PEEK, 0, 0), 9000);
        check(!memcmp(sent, came, 9000), "peek over pages", "in order");
        expect("peek over pages: it is all there", read(pair[1], came, MUCH), 9000);
        close_both(pair);
}

/* A send that cannot read its bytes leaves the room free. */
static void try_failing(void)
{
        int pair[2];
        make(pair, O_NONBLOCK);
        expect("a page", write(pair[0], sent, 4096), 4096);
        for (unsigned i = 0; i < 3; i++)
                expect("from nowhere, at a page's start", write(pair[0], (void *)8, 4), -EFAULT);
        expect("behind it", write(pair[0], sent + 4096, 10), 10);
        expect("all of it", read(pair[1], came, MUCH), 4106);
        check(!memcmp(sent, came, 4106), "all of it", "in order");
        close_both(pair);
}

static void fill(const char *path, char what, size_t size)
{
        int fd = (int)open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        memset(came, what, size);
        write(fd, came, size);
        close(fd);
}

/* Sends a file to a full socket; in a child. */
static void send_file(int fd)
{
        int file = (int)open("file", O_RDONLY, 0);
        while (write(fd, sent, 1000) > 0)
                ;
        SYS(fcntl, fd, F_SETFL, 0);
        exit_group(SYS(sendfile, fd, file, 0, 8192) < 4096);
}

/* Bytes in transit keep the file's old content, even if the file is changed later. */
static void try_cutting(void)
{
        int pair[2], status = -1;
        long part, other = 0, before = 0;
        make(pair, O_NONBLOCK);
        memset(sent, 'b', sizeof sent);
        fill("file", 'f', 8192);
        long pid = fork();
        if (!pid)
                send_file(pair[0]);
        close(pair[0]);
        until_asleep(pid);
        SYS(truncate, "file", 0);
        fill("another", 'a', 8192);
        SYS(fcntl, pair[1], F_SETFL, 0);
        while ((part = read(pair[1], came, sizeof came)) > 0)
                for (long i = 0; i < part; i++) {
                        before += came[i] == 'b';
                        other += came[i] != 'b' && came[i] != 'f';
                }
        wait4(pid, &status, 0, NULL);
        expect("sendfile of a file that is cut", status, 0);
        check(before && !other, "sendfile of a file that is cut", "%ld bytes are not its own",
              other);
        close(pair[1]);
        unlink("file");
        unlink("another");
}

void try_pages(void)
{
        try_order();
        try_failing();
        try_cutting();
}
