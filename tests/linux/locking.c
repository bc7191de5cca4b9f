/* locking.c - three processes lock parts of one file by a script with a line for each action:
 * process, action, type of lock, first byte and length. Prints the results. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 3

struct step {
        char act; /* s: F_SETLK, g: F_GETLK, o: F_OFD_SETLK, f: flock, c: close another, x: end */
        int type;
        long start, length;
};

static struct process {
        pid_t pid;
        int orders[2], answers[2];
} processes[PROCESSES];

static int number_of(pid_t pid)
{
        for (int i = 0; i < PROCESSES; i++)
                if (processes[i].pid == pid)
                        return i;
        return -1;
}

static void act(const struct step *step, int fd, char *text, size_t size)
{
        static const int how[] = {LOCK_SH, LOCK_EX, LOCK_UN};
        struct flock lock = {.l_type = (short)step->type,
                             .l_whence = SEEK_SET,
                             .l_start = step->start,
                             .l_len = step->length};
        int result = 0;
        errno = 0;
        switch (step->act) {
        case 's': result = fcntl(fd, F_SETLK, &lock); break;
        case 'g': result = fcntl(fd, F_GETLK, &lock); break;
        case 'o': result = fcntl(fd, F_OFD_SETLK, &lock); break;
        case 'f': result = flock(fd, how[step->type] | LOCK_NB); break;
        case 'c': result = close(open("locked", O_RDWR)); break;
        default: _exit(0);
        }
        if (step->act == 'g' && !result && lock.l_type != F_UNLCK)
                snprintf(text, size, "%d from %ld length %ld pid %d", lock.l_type,
                         (long)lock.l_start, (long)lock.l_len, (int)lock.l_pid);
        else
                snprintf(text, size, "%d", result ? -errno : 0);
}

static void obey(const struct process *me)
{
        int fd = open("locked", O_RDWR);
        struct step step;
        while (read(me->orders[0], &step, sizeof step) == sizeof step) {
                char text[80] = "";
                act(&step, fd, text, sizeof text);
                (void)!write(me->answers[1], text, sizeof text);
        }
        _exit(0);
}

static void start(struct process *process)
{
        (void)!pipe2(process->orders, O_CLOEXEC), (void)!pipe2(process->answers, O_CLOEXEC);
        fflush(stdout);
        process->pid = fork();
        if (!process->pid)
                obey(process);
}

static void end(struct process *process)
{
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
        for (int i = 0; i < 2; i++)
                close(process->orders[i]), close(process->answers[i]);
}

static void ask(struct process *process, const struct step *step)
{
        char text[80] = "ended";
        int pid = -2;
        (void)!write(process->orders[1], step, sizeof *step);
        if (step->act == 'x') {
                end(process);
                start(process);
        } else {
                (void)!read(process->answers[0], text, sizeof text);
        }
        char *at = strstr(text, "pid ");
        if (at && (pid = atoi(at + 4)) > 0)
                sprintf(at, "process %d", number_of(pid));
        printf("= %d %c %d %ld %ld: %s\n", (int)(process - processes), step->act, step->type,
               step->start, step->length, text);
}

int main(void)
{
        FILE *script = fopen("/script", "r");
        char line[100];
        close(open("locked", O_RDWR | O_CREAT | O_TRUNC, 0600));
        if (!script)
                script = fopen("script", "r");
        for (int i = 0; i < PROCESSES; i++)
                start(&processes[i]);
        while (script && fgets(line, sizeof line, script)) {
                struct step step = {0};
                unsigned which = 0;
                if (sscanf(line, "%u %c %d %ld %ld", &which, &step.act, &step.type, &step.start,
                           &step.length) == 5 &&
                    which < PROCESSES)
                        ask(&processes[which], &step);
        }
        for (int i = 0; i < PROCESSES; i++)
                end(&processes[i]);
        unlink("locked");
        return 0;
}
