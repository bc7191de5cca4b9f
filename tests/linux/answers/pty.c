/* pty.c - a pseudo-terminal by a libc's functions: a program on it, its lines, its end. */
#include "answers.h"
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

/* Up to the end of a line, or of all. */
static void show_line(int master)
{
        char line[100];
        size_t size = 0;
        while (size < sizeof line - 1 && read(master, line + size, 1) == 1 && line[size] != '\n')
                size++;
        line[size] = 0;
        for (char *c = line; *c; c++)
                if (*c == '\r')
                        *c = '$';
        note("a line", line);
}

static void be_asked(void)
{
        char name[100], line[100];
        struct winsize size;
        ASK(isatty(0) + isatty(1) + isatty(2));
        ASK(ttyname_r(0, name, sizeof name));
        ASK(strncmp(name, "/dev/pts/", 9));
        ASK(tcgetpgrp(0) == getpid());
        ASK(ioctl(0, TIOCGWINSZ, &size));
        ASK(size.ws_row * 1000 + size.ws_col);
        ssize_t got = read(0, line, sizeof line);
        ASK(got);
        ASK(open("/dev/tty", O_RDWR));
        for (;;)
                pause();
}

void ask_pty(void)
{
        int master;
        struct winsize size = {.ws_row = 33, .ws_col = 77};
        fflush(stdout);
        pid_t pid = forkpty(&master, NULL, NULL, &size);
        if (!pid) {
                setvbuf(stdout, NULL, _IOLBF, 0);
                be_asked();
        }
        for (int i = 0; i < 6; i++)
                show_line(master);
        ASK(write(master, "typed\n", 6));
        for (int i = 0; i < 3; i++)
                show_line(master);
        ASK(write(master, "\003", 1));
        ASK(status_of(pid));
        ASK(close(master));
}
