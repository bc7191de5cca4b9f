/*
 * objects.c - terminals, sockets and files whose other end is closed while a call sleeps in them,
 * or which another thread closes.
 */
#include "attack.h"
#include "child.h"
#include "signals.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define STACK 16384
#define PLENTY 100000 /* bytes: more than any ring can hold */

static uint8_t stack[STACK] __attribute__((aligned(16)));
static char buffer[PLENTY];
static int ends[2], one;
static volatile long answer;
static volatile int there, back;
static long (*volatile deed)(void);

static _Noreturn void do_deed(void)
{
        there = 1;
        answer = deed();
        back = 1;
        for (;;)
                call(NUMBER_exit, 0);
}

static void doze(void)
{
        const struct timespec moment = {0, 20000000};
        call(NUMBER_nanosleep, &moment);
}

/* Starts a thread that calls `act`, and returns when it must be asleep there. */
static void asleep_in(long (*act)(void))
{
        deed = act;
        there = back = 0;
        if (thread_start(THREAD, stack + STACK, NULL, do_deed) < 0)
                wrong("no thread");
        while (!there)
                call(NUMBER_sched_yield);
        doze();
}

/* Whether the call returns one of Linux's results for it. */
static void comes_back(const char *what, long first, long second)
{
        for (int i = 0; i < 100 && !back; i++)
                doze();
        if (!back)
                wrong("%s has not come back", what);
        if (answer != first && answer != second)
                wrong("%s answered %ld", what, answer);
}

static long read_first(void)
{
        return call(NUMBER_read, ends[0], buffer, 8);
}

static long read_second(void)
{
        return call(NUMBER_read, ends[1], buffer, 8);
}

static long write_first(void)
{
        return call(NUMBER_write, ends[0], buffer, PLENTY);
}

static long write_second(void)
{
        return call(NUMBER_write, ends[1], buffer, PLENTY);
}

static long send_file(void)
{
        return call(NUMBER_sendfile, ends[1], one, 0, PLENTY);
}

static void close_both(void)
{
        call(NUMBER_close, ends[0]);
        call(NUMBER_close, ends[1]);
}

/* ends[0] = the master, ends[1] = its slave. */
static void open_pty(void)
{
        char name[32];
        unsigned number = 0, unlocked = 0;
        ends[0] = (int)call(NUMBER_open, "/dev/ptmx", O_RDWR | O_NOCTTY, 0);
        if (ends[0] < 0)
                not_here();
        call(NUMBER_ioctl, ends[0], TIOCGPTN, &number);
        call(NUMBER_ioctl, ends[0], TIOCSPTLCK, &unlocked);
        snprintf(name, sizeof name, "/dev/pts/%u", number);
        ends[1] = (int)call(NUMBER_open, name, O_RDWR | O_NOCTTY, 0);
        if (ends[1] < 0)
                not_here();
}

static void master_reads(uintptr_t unused)
{
        (void)unused;
        open_pty();
        asleep_in(read_first);
        close_both();
        comes_back("read of a master", -EIO, 0);
}

static void slave_reads(uintptr_t unused)
{
        (void)unused;
        open_pty();
        asleep_in(read_second);
        close_both();
        comes_back("read of a slave", -EIO, 0);
}

/* The bytes that fit are counted. */
static void slave_writes(uintptr_t unused)
{
        (void)unused;
        open_pty();
        asleep_in(write_second);
        close_both();
        for (int i = 0; i < 100 && !back; i++)
                doze();
        if (!back || (answer != -EIO && answer <= 0))
                wrong("write of a slave: back %d, %ld", back, answer);
}

/* While a reader sleeps, the memory of its ring is reused. */
static void many_ptys(uintptr_t rounds)
{
        for (uintptr_t i = 0; i < rounds; i++) {
                open_pty();
                call(NUMBER_write, ends[0], "typed\n\003\034\004", 9);
                call(NUMBER_write, ends[1], buffer, 100);
                asleep_in(i % 2 ? read_first : read_second);
                close_both();
                for (int wait = 0; wait < 100 && !back; wait++)
                        doze();
        }
}

static void socket_reads(uintptr_t unused)
{
        (void)unused;
        call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        asleep_in(read_first);
        close_both();
        comes_back("read of a socket", 0, 0);
}

static void socket_writes(uintptr_t unused)
{
        (void)unused;
        signal_act(SIGPIPE, (const void *)SIG_IGN, 0, 0);
        call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        asleep_in(write_first);
        close_both();
        for (int i = 0; i < 100 && !back; i++)
                doze();
        if (!back || (answer != -EPIPE && answer <= 0))
                wrong("write of a socket: back %d, %ld", back, answer);
}

/* While a file is being sent it is closed and cut, and the pipe's reader ends. */
static void file_is_sent(uintptr_t unused)
{
        char name[48];
        (void)unused;
        signal_act(SIGPIPE, (const void *)SIG_IGN, 0, 0);
        snprintf(name, sizeof name, "/tmp/sent-%ld", call(NUMBER_getpid));
        call(NUMBER_mkdir, "/tmp", 0777);
        one = (int)call(NUMBER_open, name, O_CREAT | O_RDWR, 0600);
        call(NUMBER_write, one, buffer, PLENTY);
        call(NUMBER_lseek, one, 0, SEEK_SET);
        call(NUMBER_unlink, name);
        call(NUMBER_pipe, ends);
        asleep_in(send_file);
        call(NUMBER_ftruncate, one, 0);
        call(NUMBER_close, one);
        close_both();
        for (int i = 0; i < 100 && !back; i++)
                doze();
        if (!back || (answer != -EPIPE && answer <= 0))
                wrong("sendfile: back %d, %ld", back, answer);
}

static const struct attack objects[] = {
        {"object/pty_master_reads", LIVES, master_reads, 0},
        {"object/pty_slave_reads", LIVES, slave_reads, 0},
        {"object/pty_slave_writes", LIVES, slave_writes, 0},
        {"object/many_ptys", LIVES | 1u << SIGINT | 1u << SIGQUIT, many_ptys, 20},
        {"object/socket_reads", LIVES, socket_reads, 0},
        {"object/socket_writes", LIVES, socket_writes, 0},
        {"object/file_is_sent", LIVES, file_is_sent, 0},
};

static unsigned count(void)
{
        return sizeof objects / sizeof *objects;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        (void)name;
        *attack = objects[i];
}

const struct subject objects_subject = {"objects", count, at};
