/* clean.c - removes files and processes that deeds have left. */
#include "clean.h"
#include "linux.h"

/* Removes it with all its contents. */
static void remove(const char *path)
{
        char entries[1024];
        long fd = SYS(open, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), size;
        if (fd < 0) {
                unlink(path);
                return;
        }
        chdir(path);
        while ((size = getdents64((int)fd, entries, sizeof entries)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
                        if (strcmp(entry->name, ".") && strcmp(entry->name, ".."))
                                remove(entry->name);
                        at += entry->length;
                }
        close((int)fd);
        chdir("..");
        rmdir(path);
}

void clean_files(const char *directory)
{
        chdir("/");
        remove(directory);
}

void clean_processes(void)
{
        if (system_call(NUMBER_toll_sum) == -ENOSYS)
                return;
        for (int quiet = 0; quiet < 3;) {
                long killed = kill(-1, SIGKILL), reaped = 0;
                sleep_ms(1);
                while (wait4(-1, NULL, WNOHANG, NULL) > 0)
                        reaped++;
                /* (Others' orphans are given to the first program, and only it sees them go.) */
                quiet = reaped || (killed != -ESRCH && !getppid()) ? 0 : quiet + 1;
        }
}
