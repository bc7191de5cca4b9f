/* console.c - shared by the console programs (console.h has the contract). */
#include "console.h"

long put(int descriptor, const void *data, size_t size)
{
        const char *at = data;
        while (size) {
                long written = write(descriptor, at, size);
                if (written < 0 && written != -EINTR)
                        return written;
                if (written > 0) {
                        at += written;
                        size -= (size_t)written;
                }
        }
        return 0;
}

long put_text(int descriptor, const char *text)
{
        return put(descriptor, text, strlen(text));
}

void put_format(int descriptor, const char *format, ...)
{
        char text[1001];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        put_text(descriptor, text);
}

int complain(const char *program, const char *subject, long error)
{
        put_format(2, "%s: %s: %s\n", program, subject, error_text(error));
        return 1;
}

int usage(const char *text)
{
        put_format(2, "usage: %s\n", text);
        return 2;
}

int options_take(char ***arguments, const char *known)
{
        int given = 0;
        char **at = *arguments;
        if (*at)
                at++;
        for (; *at && **at == '-' && (*at)[1]; at++) {
                if (!strcmp(*at, "--")) {
                        at++;
                        break;
                }
                for (const char *letter = *at + 1; *letter; letter++) {
                        const char *place = strchr(known, *letter);
                        if (!place)
                                return -1;
                        given |= 1 << (place - known);
                }
        }
        *arguments = at;
        return given;
}

long decimal(const char *text)
{
        long value = 0;
        do {
                if (*text < '0' || *text > '9' || value > 99999999)
                        return -1;
                value = value * 10 + (*text - '0');
        } while (*++text);
        return value;
}

int for_each(const char *program, char **paths, long (*act)(const char *path))
{
        int status = 0;
        for (; *paths; paths++) {
                long error = act(*paths);
                if (error < 0)
                        status = complain(program, *paths, error);
        }
        return status;
}

int for_each_file(const char *program, char **paths, long (*act)(int descriptor, const char *path))
{
        static char *standard[] = {"-", NULL};
        int status = 0;
        for (paths = *paths ? paths : standard; *paths; paths++) {
                bool opened = strcmp(*paths, "-");
                long descriptor = opened ? open(*paths, O_RDONLY, 0) : 0;
                long error = descriptor < 0 ? descriptor : act((int)descriptor, *paths);
                if (error < 0)
                        status = complain(program, *paths, error);
                if (opened && descriptor >= 0)
                        close((int)descriptor);
        }
        return status;
}

const char *base_name(const char *path)
{
        const char *name = path;
        for (; *path; path++)
                if (*path == '/' && path[1])
                        name = path + 1;
        return name;
}

long path_join(char *to, const char *directory, const char *name)
{
        size_t length = strlen(directory);
        const char *slash = length && directory[length - 1] == '/' ? "" : "/";
        return snprintf(to, PATH_MAX, "%s%s%s", directory, slash, name) < PATH_MAX ? 0
                                                                                   : -ENAMETOOLONG;
}

bool is_directory(const char *path)
{
        struct stat about;
        return stat(path, &about) >= 0 && (about.mode & S_IFMT) == S_IFDIR;
}

const char *path_into(char *to, const char *path, const char *source)
{
        if (!is_directory(path))
                return path;
        return path_join(to, path, base_name(source)) < 0 ? NULL : to;
}

long copy_all(int from, int to)
{
        static char block[16384];
        for (;;) {
                long got = read(from, block, sizeof block);
                if (got <= 0)
                        return got;
                long error = put(to, block, (size_t)got);
                if (error < 0)
                        return error;
        }
}

int send_signals(char **arguments)
{
        int signal = SIGTERM, status = 0;
        if (arguments[1] && arguments[2] && arguments[1][0] == '-') {
                signal = signal_number(arguments[1] + 1);
                if (signal < 0)
                        return complain("kill", arguments[1], -EINVAL);
                arguments++;
        }
        if (!arguments[1])
                return usage("kill [-SIGNAL] PID...");
        while (*++arguments) {
                bool group = **arguments == '-';
                long pid = decimal(*arguments + group);
                long error = pid < 0 ? -EINVAL : kill(group ? -pid : pid, signal);
                if (error < 0)
                        status = complain("kill", *arguments, error);
        }
        return status;
}
