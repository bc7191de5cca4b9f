/* descriptors.c - 1,024 of them. */
#include "answers.h"
#include <sys/stat.h>

static void far(void)
{
        struct stat facts;
        ASK(dup2(1, 1023));
        ASK(dup2(1, 1024));
        ASK(dup2(1, -1));
        ASK(dup3(1, 1022, O_CLOEXEC));
        ASK(fcntl(1, F_DUPFD, 1000));
        ASK(fcntl(1, F_DUPFD, 1024));
        ASK(fcntl(1, F_DUPFD, -1));
        ASK(fcntl(1022, F_GETFD));
        ASK(fcntl(1023, F_GETFD));
        ASK(fcntl(1023, F_SETFD, FD_CLOEXEC));
        ASK(fcntl(1023, F_GETFD));
        ASK(write(1023, "", 0));
        ASK(write(1021, "", 0));
        ASK(write(1024, "", 0));
        ASK(close(1023));
        ASK(close(1023));
        ASK(fstat(500, &facts));
        ASK(fstat(1000, &facts));
}

/* Of what is open some is closed by execve(). */
static void after_execve(void)
{
        char *arguments[] = {program, "after-execve", NULL};
        execv(program, arguments);
}

void ask_after_execve(void)
{
        ASK(fcntl(1000, F_GETFD));
        ASK(fcntl(1022, F_GETFD));
}

static void all(void)
{
        int most = 0, fd;
        while ((fd = dup(1)) >= 0)
                most = fd;
        ASK(most);
        ASK(dup(1));
        ASK(open("/dev/null", O_RDONLY));
        int ends[2];
        ASK(pipe(ends));
        for (fd = 3; fd < 1024; fd++)
                close(fd);
        ASK(dup(1));
        close(3);
}

void ask_descriptors(void)
{
        far();
        ASK(status_of(child(ask_after_execve)));
        ASK(status_of(child(after_execve)));
        all();
}
