/*
 * terminal.c - says what the terminal gives it, read by read: lines, until the end of file is
 * typed; then bytes as they come, until a q. It asks again and again and sleeps never.
 */
#include "errno.h"
#include "file/file.h"
#include "lib.h"
#include "signals.h"

#define F_SETFL 4
#define TCGETS 0x5401L
#define TCSETS 0x5402L
#define TIOCGPGRP 0x540fL
#define TIOCSPGRP 0x5410L
#define TIOCGWINSZ 0x5413L
#define ISIG 1
#define ICANON 2
#define ECHO 010

struct termios {
        uint32_t input, output, control, local;
        uint8_t rest[20];
};

static char text[64];

static long ioctl(long fd, long request, void *argument)
{
        return system_call(NUMBER_ioctl, fd, request, argument, 0L, 0L, 0L);
}

/* What is there as soon as there is something, 0 at the end of file. */
static long read_typed(void)
{
        long size;
        do
                size = system_call(NUMBER_read, 0L, text, (long)sizeof text, 0L, 0L, 0L);
        while (size == -EAGAIN);
        return size;
}

/* In one write: what is typed meanwhile is echoed before it or behind it. */
static void say_typed(long size)
{
        char line[256];
        int at = snprintf(line, sizeof line, "read %ld:", size);
        for (long i = 0; i < size; i++)
                at += snprintf(line + at, sizeof line - (size_t)at, " %02x", (uint8_t)text[i]);
        print("%s\n", line);
}

static void try_requests(struct termios *termios)
{
        uint16_t size[4];
        int group = 0;
        bool ok = !ioctl(0, TCGETS, termios);
        check(ok && termios->local & ICANON, "TCGETS", "local modes %x", termios->local);
        check(ioctl(0, TCGETS, (void *)8) == -EFAULT, "TCGETS", "to a bad address");
        check(ioctl(0, TCSETS, (void *)8) == -EFAULT, "TCSETS", "from a bad address");
        ok = !ioctl(1, TIOCGWINSZ, size);
        check(ok && size[0] && size[1], "TIOCGWINSZ", "%u rows, %u columns", size[0], size[1]);
        ok = !ioctl(0, TIOCGPGRP, &group);
        check(ok && group > 0, "TIOCGPGRP", "%d", group);
        check(!ioctl(0, TIOCSPGRP, &group), "TIOCSPGRP", "%d", group);
        group = -1;
        check(ioctl(0, TIOCSPGRP, &group) == -EINVAL, "TIOCSPGRP", "no group");
        check(ioctl(0, 0x5499, &group) == -ENOTTY, "ioctl", "no such request");
}

int main(void)
{
        struct termios termios = {0};
        long size;
        signal_act(2, (const void *)1, 0, 0); /* SIGINT, SIG_IGN: what ^C does to the line stays */
        try_requests(&termios);
        system_call(NUMBER_fcntl, 0L, (long)F_SETFL, (long)O_NONBLOCK, 0L, 0L, 0L);
        check(system_call(NUMBER_read, 0L, text, 1L, 0L, 0L, 0L) == -EAGAIN, "read", "nothing");
        print("type lines\n");
        while ((size = read_typed()) > 0)
                say_typed(size);
        termios.local &= ~(uint32_t)(ISIG | ICANON | ECHO);
        check(!ioctl(0, TCSETS, &termios), "TCSETS", "bytes as they come");
        print("type bytes\n");
        do {
                size = read_typed();
                say_typed(size);
        } while (size > 0 && text[size - 1] != 'q');
        return check_status();
}
