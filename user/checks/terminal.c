/* terminal.c - prints what it reads from the terminal: lines, until the end of file; then raw
 * bytes, until a q. It polls and never sleeps. */
#include "signals.h"

static char text[64];

/* Returns the available bytes as soon as there are some, 0 at the end of file. */
static long read_typed(void)
{
        long size;
        do
                size = read(0, text, sizeof text);
        while (size == -EAGAIN);
        return size;
}

/* Prints in one write, so that echoes come before or after it. */
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
        group = 0x7fffff;
        check(ioctl(0, TIOCSPGRP, &group) == -ESRCH, "TIOCSPGRP", "a group of nobody");
        check(ioctl(0, 0x5499, &group) == -ENOTTY, "ioctl", "no such request");
}

int main(void)
{
        struct termios termios = {0};
        long size;
        signal_act(SIGINT, (const void *)SIG_IGN, 0, 0); /* ^C still changes the line */
        try_requests(&termios);
        system_call(NUMBER_fcntl, 0, F_SETFL, O_NONBLOCK);
        check(read(0, text, 1) == -EAGAIN, "read", "nothing");
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
