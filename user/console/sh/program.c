/* program.c - runs a program, or a script's shell, in the shell's process. */
#include "sh.h"

static bool is_elf(const char *path)
{
        char magic[4] = "";
        long file = open(path, O_RDONLY, 0);
        long got = file < 0 ? file : read((int)file, magic, sizeof magic);
        if (file >= 0)
                close((int)file);
        return got == sizeof magic && !memcmp(magic, "\177ELF", sizeof magic);
}

/* Returns only on error. */
static long become(const char *path, char **arguments, char **environment)
{
        long error = execve(path, arguments, environment);
        if (error == -ENOEXEC && !is_elf(path)) {
                long file = open(path, O_RDONLY, 0);
                redirect_keep(0);
                if (file >= 0)
                        shell_script((int)file, path, arguments + 1);
        }
        return error;
}

static int give_up(const char *name, const char *why, int status)
{
        say_error("%s: %s", name, why);
        return status;
}

int run_program(char **arguments)
{
        static char place[PATH_MAX];
        char **environment = variable_environment();
        const char *name = arguments[0], *path = variable_get("PATH", 4);
        long worst = -ENOENT;
        if (strchr(name, '/')) {
                worst = become(name, arguments, environment);
                return give_up(name, error_text(worst),
                               worst == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
        }
        for (path = path ? path : "/bin"; *path && *name;) {
                const char *colon = strchr(path, ':');
                size_t length = colon ? (size_t)(colon - path) : strlen(path);
                if (length + 1 + strlen(name) < sizeof place) {
                        snprintf(place, sizeof place, "%.*s/%s", (int)length, path, name);
                        long error = become(length ? place : name, arguments, environment);
                        if (error != -ENOENT && error != -ENOTDIR)
                                worst = error;
                }
                path += length + (colon != NULL);
        }
        if (worst == -ENOENT)
                return give_up(name, "not found", STATUS_NOT_FOUND);
        return give_up(name, error_text(worst), STATUS_NOT_EXECUTABLE);
}
