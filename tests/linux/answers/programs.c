/* programs.c - files that execve() accepts as programs, and their arguments. */
#include "answers.h"
#include <sys/stat.h>

/* The interpreter of the scripts: prints its arguments except the first, which is its path. */
int show_arguments(char **arguments)
{
        for (int i = 1; arguments[i]; i++)
                printf("=   %s\n", arguments[i]);
        return 4;
}

static void put(const char *path, const char *before, const char *interpreter, const char *after)
{
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0755);
        dprintf(fd, "%s%s%s", before, interpreter, after);
        close(fd);
        chmod(path, 0755);
}

static void run(const char *path)
{
        char *arguments[] = {"nobody", "a b", "c", NULL};
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
                ASK(execve(path, arguments, NULL));
                _exit(1);
        }
        ASK(status_of(pid));
}

static void script(const char *before, const char *after)
{
        put("./script", before, program, after);
        run("./script");
}

static void scripts(void)
{
        script("#!", " show");
        script("#! \t", " show  two words\t \nthe rest\n");
        script("#!", " show\r\n");
        script("#!", "\n");
        put("./script", "#!", "", "\nexit 3\n");
        run("./script");
        put("./script", "#!", "/nowhere/nothing", "\n");
        run("./script");
        put("./script", "#!", "/tmp", "\n");
        run("./script");
        put("./script", "", "exit 3", "\n");
        run("./script");

        char spaces[300];
        memset(spaces, ' ', sizeof spaces);
        strcpy(spaces + 280, "/bin/true\n");
        put("./script", "#!", spaces, "\n");
        run("./script");
        memset(spaces, 'x', 280);
        put("./script", "#!/", spaces, "\n");
        run("./script");
        spaces[10] = ' ';
        put("./script", "#!/", spaces, "\n");
        run("./script");

        put("./script", "#!", program, " show\n");
        put("./second", "#!", "./script", " more\n");
        run("./second");
        put("./second", "#!", "./second", "\n");
        run("./second");
        chmod("./script", 0644);
        run("./script");
        fflush(stdout);
        chmod("./script", 0755);
        pid_t pid = fork();
        if (!pid) {
                char *none[] = {NULL};
                ASK(execve("./script", none, NULL));
        }
        ASK(status_of(pid));
        unlink("./script");
        unlink("./second");
}

void ask_programs(void)
{
        scripts();
}
