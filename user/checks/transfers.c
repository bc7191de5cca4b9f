/*
 * transfers.c - reads and writes by a high descriptor, or while another thread shares it: at most
 * slightly longer than by an unshared low one, and the file stays open during the call. (Lengths
 * are in TSC counts: instructions, if it counts those.)
 */
#include "linux.h"
#include "toll.h"
#include "uapi.h"

#define FAR 1000
#define MORE 12 /* instructions, at most */
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static char byte, stacks[2][16384] __attribute__((aligned(16)));
static int ends[2];
static volatile long got = -1;

static unsigned length_of(long number, int fd)
{
        unsigned least = ~0u;
        toll_call(NUMBER_toll_quiet, 1);
        for (int i = 0; i < 10; i++) {
                uint64_t start = tsc();
                system_call(number, fd, &byte, 0);
                unsigned took = (unsigned)(tsc() - start);
                least = took < least ? took : least;
        }
        toll_call(NUMBER_toll_quiet, 0);
        return least;
}

static void compare(const char *name, unsigned is, unsigned shortest)
{
        check(is >= shortest && is - shortest <= MORE, name, "%u, the shortest way takes %u", is,
              shortest);
}

static void sleeper(void)
{
        for (;;)
                pause();
}

static void reader(void)
{
        got = read(ends[0], &byte, 1);
        system_call(NUMBER_exit, 0);
}

static void rest(void)
{
        struct timespec time = {0, 50000000};
        nanosleep(&time, NULL);
}

/* Another thread closes the file in which one sleeps, and opens another. */
static void close_meanwhile(void)
{
        int frames = (int)counts_now().objects;
        pipe(ends);
        thread_start(THREAD, stacks[1] + sizeof stacks[1], NULL, reader);
        rest();
        close(ends[0]);
        int other = (int)open("/dev/null", O_RDWR, 0);
        check(other == ends[0], "the descriptor is free at once", "%d, was %d", other, ends[0]);
        check(write(ends[1], "x", 1) == 1, "the other end has a reader still", "no");
        rest();
        check(got == 1 && byte == 'x', "who slept in it has read", "%ld", got);
        check(write(ends[1], "x", 1) == -EPIPE, "then it is closed", "no");
        close(ends[1]);
        close(other);
        rest();
        int more = (int)counts_now().objects - frames;
        check(more <= 1, "and nothing of it is left", "%d objects",
              more); /* its thread is reaped late */
}

/* --- a close during a read that does not sleep ------------------------------------------------ */

static char text[1 << 20];
static volatile bool inside;
static volatile long last;

static void rereader(void)
{
        while (!system_call(NUMBER_lseek, FAR, 0, 0)) {
                inside = true;
                last = read(FAR, text, sizeof text);
                inside = false;
        }
        system_call(NUMBER_exit, 0);
}

/* A file without a name, which is freed after its last close. */
static void open_nameless(void)
{
        int fd = (int)open("/tmp/transfers", O_RDWR | O_CREAT, 0600);
        write(fd, text, sizeof text);
        unlink("/tmp/transfers");
        dup2(fd, FAR);
        close(fd);
}

/* Closes a file under a reader. Files opened right after it would reuse its memory. */
static void close_under_a_reader(void)
{
        int others[8];
        struct timespec meanwhile = {0, 2000000};
        bool met = false;
        for (unsigned tries = 0; !met && tries < 20; tries++) {
                open_nameless();
                thread_start(THREAD, stacks[1] + sizeof stacks[1], NULL, rereader);
                nanosleep(&meanwhile, NULL);
                met = inside;
                close(FAR);
                for (unsigned i = 0; i < 8; i++)
                        others[i] = (int)open("/dev/null", O_RDWR, 0);
                rest();
                for (unsigned i = 0; i < 8; i++)
                        close(others[i]);
        }
        check(met && !inside && last == (long)sizeof text, "who was in it has read all",
              "%ld of %u, %s", last, (unsigned)sizeof text, met ? "closed meanwhile" : "never met");
}

int main(void)
{
        int near = (int)open("/dev/null", O_RDWR, 0);
        struct sigaction ignored = {.handler = SIG_IGN};
        rt_sigaction(SIGPIPE, &ignored, NULL, 8);
        dup2(near, 64);
        dup2(near, FAR);
        unsigned read = length_of(NUMBER_read, near), write = length_of(NUMBER_write, near);
        compare("read, descriptor 64", length_of(NUMBER_read, 64), read);
        compare("read, descriptor 1,000", length_of(NUMBER_read, FAR), read);
        compare("write, descriptor 1,000", length_of(NUMBER_write, FAR), write);
        thread_start(THREAD, stacks[0] + sizeof stacks[0], NULL, sleeper);
        rest();
        compare("read, a second thread", length_of(NUMBER_read, near), read);
        compare("read, both", length_of(NUMBER_read, FAR), read);
        compare("write, a second thread", length_of(NUMBER_write, near), write);
        compare("write, both", length_of(NUMBER_write, FAR), write);
        close_meanwhile();
        close_under_a_reader();
        exit_group(check_status()); /* also ends the sleeper */
        return 0;
}
