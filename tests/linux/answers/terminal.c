/* terminal.c - whose terminal it is, and waiting for what is typed. */
#include "answers.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>

static char typed[64];

static void whose(void)
{
        int session = 0, group = 0;
        ASK(ioctl(0, TIOCGSID, &session));
        ASK(session == getsid(0));
        ASK(ioctl(0, TIOCGPGRP, &group));
        ASK(group == getpgrp());
        ASK(ioctl(0, TIOCSPGRP, &group));
        ASK(ioctl(0, TIOCSPGRP, &(int){0}));
        ASK(ioctl(0, TIOCSPGRP, &(int){-1}));
        ASK(ioctl(0, TIOCSPGRP, 8));
        ASK(ioctl(0, TIOCSCTTY, 0));
        ASK(ioctl(0, TIOCGPGRP, 8));
        int fd = open("/dev/tty", O_RDWR);
        ASK(fd < 0 ? fd : 0);
        ASK(tcgetpgrp(fd) == getpgrp());
        ASK(close(fd));
}

static void pause_alone(void)
{
        for (;;)
                pause();
}

static void without(void)
{
        int some = getpid(), fd = open("/dev/tty", O_RDWR);
        ASK(setsid() == getpid());
        ASK(ioctl(0, TIOCGPGRP, &some));
        ASK(ioctl(0, TIOCSPGRP, &some));
        ASK(ioctl(0, TIOCSPGRP, 8));
        ASK(ioctl(0, TIOCSPGRP, &(int){-1}));
        ASK(ioctl(0, TIOCGSID, &some));
        ASK(ioctl(0, TIOCSCTTY, 0));
        ASK(open("/dev/tty", O_RDWR));
        ASK(open("/dev/tty", O_RDONLY | O_NOCTTY));
        ASK(isatty(0));
        ASK(write(fd, "", 0));
        ASK(tcgetpgrp(fd));
}

static void lead_another(void)
{
        setsid();
        kill(getpid(), SIGSTOP);
}

/* A group of another session may not be in front; the number of a process is as good as a group's
 * of its session. */
static void groups(void)
{
        int status, own = getpgrp();
        pid_t other = child(lead_another), same = child(pause_alone);
        waitpid(other, &status, WUNTRACED);
        signal(SIGTTOU, SIG_IGN); /* who is not in front is stopped for asking */
        ASK(ioctl(0, TIOCSPGRP, &other));
        ASK(ioctl(0, TIOCSPGRP, &same));
        ASK(ioctl(0, TIOCSPGRP, &own));
        ASK(ioctl(0, TIOCSPGRP, &(int){0x3fffffff}));
        kill(other, SIGKILL);
        kill(same, SIGKILL);
        status_of(other);
        status_of(same);
        signal(SIGTTOU, SIG_DFL);
}

static void left_by_its_parent(void)
{
        int some;
        ASK(ioctl(0, TIOCGPGRP, &some));
        ASK(open("/dev/tty", O_RDWR));
}

/* One process leaves the terminal, and who it makes then. */
static void leave(void)
{
        int some;
        ASK(ioctl(0, TIOCNOTTY, 0));
        ASK(ioctl(0, TIOCNOTTY, 0));
        ASK(ioctl(0, TIOCGPGRP, &some));
        ASK(ioctl(0, TIOCSCTTY, 0));
        ASK(open("/dev/tty", O_RDWR));
        ASK(status_of(child(left_by_its_parent)));
}

/* Says that something is to be typed, and reads it once `wait` has seen it. */
static void type(const char *what, void (*wait)(void))
{
        printf("type %s\n", what);
        wait();
        ASK(read(0, typed, sizeof typed));
}

static void show(const char *when)
{
        struct pollfd one = {.fd = 0, .events = 0x3ff};
        int result = poll(&one, 1, 0);
        printf("= poll %s: %d, %x\n", when, result, one.revents);
}

static void by_poll(void)
{
        struct pollfd two[2] = {{.fd = -1}, {.fd = 0, .events = POLLIN}};
        ASK(poll(two, 2, -1));
        ASK(two[1].revents);
        show("of a line that is there");
}

static void by_ppoll(void)
{
        struct pollfd one = {.fd = 0, .events = POLLIN};
        sigset_t none;
        sigemptyset(&none);
        ASK(ppoll(&one, 1, &(struct timespec){1000, 0}, &none));
        ASK(one.revents);
}

static void by_select(void)
{
        fd_set in, out;
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_SET(0, &in);
        ASK(select(1, &in, NULL, NULL, NULL));
        ASK(FD_ISSET(0, &in) != 0);
        FD_SET(0, &out);
        ASK(select(1, &in, &out, NULL, NULL));
}

static void by_pselect(void)
{
        fd_set in;
        sigset_t none;
        sigemptyset(&none);
        FD_ZERO(&in);
        FD_SET(0, &in);
        ASK(pselect(1, &in, NULL, NULL, &(struct timespec){1000, 0}, &none));
        ASK(FD_ISSET(0, &in) != 0);
}

void ask_terminal(void)
{
        struct pollfd one = {.fd = 0, .events = POLLIN};
        printf("the terminal:\n"); /* behind a prompt, perhaps */
        whose();
        ASK(status_of(child(without)));
        groups();
        ASK(status_of(child(leave)));
        ASK(tcgetpgrp(0) == getpgrp());
        show("of nothing typed");
        ASK(poll(&one, 1, 20));
        type("to poll", by_poll);
        show("of a line that was read");
        type("to ppoll", by_ppoll);
        type("to select", by_select);
        type("to pselect6", by_pselect);
        printf("type no more\n");
}
