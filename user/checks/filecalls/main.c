/* main.c - the calls on files, compared with Linux's results: the same program passes on Linux. It
 * works in its own directory below the current one, and removes it at the end. */
#include "filecalls.h"

char buffer[8192];

long open_at(const char *path, int flags)
{
        return SYS(open, path, flags, 0644);
}

void fill(const char *path, const char *text)
{
        long fd = open_at(path, O_CREAT | O_WRONLY | O_TRUNC);
        SYS(write, fd, text, strlen(text));
        SYS(close, fd);
}

bool holds(const char *path, const char *text)
{
        long fd = open_at(path, O_RDONLY), size = SYS(read, fd, buffer, sizeof buffer);
        SYS(close, fd);
        return size == (long)strlen(text) && !memcmp(buffer, text, (size_t)size);
}

int main(int argc, char **argv)
{
        const char *only = option(argv, "only");
        SYS(mkdir, PLACE, 0755);
        expect("chdir", SYS(chdir, PLACE), 0);
        SYS(umask, 022);
        if (only && !strcmp(only, "space")) {
                try_space();
                try_room_of_names();
                try_room_of_pipes();
        }
        try_open();
        try_busy_text();
        try_positions();
        try_at_positions();
        try_lengths();
        try_sending();
        try_descriptors();
        try_names();
        try_links();
        try_directories();
        try_pipes();
        try_waits();
        try_pointers();
        try_bounds();
        SYS(chdir, "..");
        expect("rmdir: all is taken away", SYS(rmdir, PLACE), 0);
        return check_status();
}
