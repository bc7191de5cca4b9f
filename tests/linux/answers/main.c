/* main.c - all parts one after the other, or the named ones. */
#include "answers.h"
#include <sys/resource.h>

static const struct {
        const char *name;
        void (*ask)(void);
} parts[] = {
        {"files", ask_files}, {"memory", ask_memory},     {"numbers", ask_numbers},
        {"poll", ask_poll},   {"programs", ask_programs}, {"limits", ask_limits},
        {"small", ask_small}, {"threads", ask_threads},   {"calls", ask_calls},
};

char *program;

void answer(const char *question, long result)
{
        printf("= %s: %ld\n", question, result == -1 && errno ? -(long)errno : result);
}

void note(const char *text, const char *word)
{
        printf("= %s: %s\n", text, word);
}

void nap(long milliseconds)
{
        struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        while (nanosleep(&time, &time))
                ;
}

pid_t child(void (*run)(void))
{
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
                run();
                fflush(stdout);
                _exit(0);
        }
        return pid;
}

int status_of(pid_t pid)
{
        int status = -1;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return status;
}

void catch (int signal, void (*handler)(int), int flags)
{
        struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
        sigaction(signal, &action, NULL);
}

/* only=NAME, or all. The arguments include the kernel's words, such as samples=20. */
static int is_wanted(const char *name, char **arguments)
{
        for (; *arguments; arguments++)
                if (!strncmp(*arguments, "only=", 5) && (*arguments)[5])
                        return !strcmp(*arguments + 5, name);
        return 1;
}

int main(int argc, char **argv)
{
        program = argv[0];
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
        setvbuf(stdout, NULL, _IOLBF, 0);
        if (argv[1] && (!strncmp(argv[1], "show", 4) || *argv[1] == '.'))
                return show_arguments(argv);
        if (argv[1] && !strcmp(argv[1], "three"))
                return 3;
        if (argv[1] && !strcmp(argv[1], "ids"))
                return show_ids(), 0;
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
                if (is_wanted(parts[i].name, argv + 1))
                        parts[i].ask();
        return 0;
}
