/* main.c - the shell: sh, sh FILE [ARGUMENT...], sh -c TEXT [NAME [ARGUMENT...]]. */
#include "sh.h"

#define SCRIPT 19 /* the script's descriptor, outside of those that scripts redirect */

struct shell shell = {.name = "sh"};
volatile bool interrupted;

void say_error(const char *format, ...)
{
        char text[600];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        put_format(2, "sh: %s\n", text);
}

static void set_prompt(void)
{
        static char prompt[PATH_MAX + 4], directory[PATH_MAX];
        long error = getcwd(directory, sizeof directory);
        snprintf(prompt, sizeof prompt, "%s # ", error < 0 ? "?" : directory);
        input_prompt(prompt);
}

_Noreturn static void work(void)
{
        for (bool more = true; more;) {
                struct node *node;
                bool wrong = false;
                size_t mark = memory_used;
                job_reap();
                interrupted = false;
                if (shell.interactive)
                        set_prompt();
                more = parse_line(&node, &wrong);
                if (interrupted) {
                        put(2, "\n", 1);
                        shell.status = STATUS_SIGNAL + SIGINT;
                        more = true;
                } else if (wrong) {
                        shell.status = STATUS_MISUSE;
                        more = shell.interactive;
                } else if (node) {
                        run(node);
                }
                memory_release(mark);
        }
        if (shell.interactive)
                put(2, "\n", 1);
        exit_group(shell.status);
        __builtin_unreachable();
}

_Noreturn void shell_script(int file, const char *name, char **arguments)
{
        dup2(file, SCRIPT);
        close(file);
        shell.interactive = false;
        shell.name = name;
        shell.arguments = arguments;
        input_open_file(SCRIPT);
        work();
}

int main(int argc, char **argv, char **envp)
{
        static char *nothing[] = {NULL};
        shell.pid = getpid();
        shell.arguments = nothing;
        variable_import(envp);
        if (argc > 1 && !strcmp(argv[1], "-c")) {
                if (argc < 3)
                        return usage("sh -c TEXT [NAME [ARGUMENT...]]");
                if (argc > 3) {
                        shell.name = argv[3];
                        shell.arguments = argv + 4;
                }
                input_open_text(argv[2]);
        } else if (argc > 1) {
                long file = open(argv[1], O_RDONLY, 0);
                if (file < 0) {
                        complain("sh", argv[1], file);
                        return STATUS_NOT_FOUND;
                }
                shell_script((int)file, argv[1], argv + 2);
        } else {
                int group;
                shell.interactive = ioctl(0, TIOCGPGRP, &group) >= 0;
                input_open_file(0);
                if (shell.interactive)
                        job_control();
        }
        work();
}
