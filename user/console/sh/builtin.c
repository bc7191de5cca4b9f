/* builtin.c - commands that change the shell itself. */
#include "sh.h"

static int run_cd(char **arguments)
{
        const char *home = variable_get("HOME", 4);
        const char *path = arguments[1] ? arguments[1] : home ? home : "/";
        long error = chdir(path);
        return error < 0 ? complain("cd", path, error) : 0;
}

static int run_exit(char **arguments)
{
        exit_group(arguments[1] ? (int)decimal(arguments[1]) & 0xff : shell.previous);
        __builtin_unreachable();
}

static int run_export(char **arguments)
{
        int status = 0;
        if (!arguments[1])
                for (char **at = variable_environment(); *at; at++)
                        put_format(1, "export %s\n", *at);
        while (*++arguments) {
                size_t length = name_length(*arguments);
                if (!length || ((*arguments)[length] && (*arguments)[length] != '=')) {
                        status = complain("export", *arguments, -EINVAL);
                        continue;
                }
                if ((*arguments)[length])
                        variable_set(*arguments, length, *arguments + length + 1);
                variable_export(*arguments, length);
        }
        return status;
}

static int run_unset(char **arguments)
{
        while (*++arguments)
                variable_unset(*arguments, strlen(*arguments));
        return 0;
}

static int run_set(char **arguments)
{
        if (arguments[1])
                return complain("set", arguments[1], -EINVAL);
        variable_list();
        return 0;
}

static int run_shift(char **arguments)
{
        if (!*shell.arguments)
                return 1;
        shell.arguments++;
        return 0;
}

static int run_exec(char **arguments)
{
        if (!arguments[1])
                return 0;
        int status = run_program(arguments + 1);
        if (!shell.interactive) /* POSIX, "Consequences of Shell Errors" */
                exit_group(status);
        return status;
}

static int run_wait(char **arguments)
{
        long pid = arguments[1] ? decimal(arguments[1]) : -1, ended;
        int status;
        if (arguments[1] && pid <= 0)
                return complain("wait", arguments[1], -EINVAL);
        do
                ended = UNLESS_INTERRUPTED(wait4(pid, &status, 0, NULL));
        while (!interrupted && (ended == -EINTR || (ended > 0 && pid < 0)));
        if (interrupted)
                return STATUS_SIGNAL + SIGINT;
        if (pid < 0)
                return 0;
        return ended < 0 ? STATUS_NOT_FOUND : job_status(status);
}

static int run_help(char **arguments);

static int run_nothing(char **arguments)
{
        return 0;
}

static const struct builtin builtins[] = {
        {":", run_nothing, false},   {"kill", send_signals, false}, {"cd", run_cd, false},
        {"exec", run_exec, true},    {"exit", run_exit, false},     {"export", run_export, false},
        {"help", run_help, false},   {"set", run_set, false},       {"shift", run_shift, false},
        {"unset", run_unset, false}, {"wait", run_wait, false}};

static int run_help(char **arguments)
{
        put_text(1, "The shell's own:");
        for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
                put_format(1, " %s", builtins[i].name);
        const char *path = variable_get("PATH", 4);
        put_format(1, "\nPrograms: ls, with a folder of %s.\n", path ? path : "/bin");
        return 0;
}

const struct builtin *builtin_find(const char *name)
{
        for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
                if (!strcmp(name, builtins[i].name))
                        return &builtins[i];
        return NULL;
}
