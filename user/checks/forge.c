/* forge.c - tries to make the kernel write a record for it: prints an `@`, then causes every
 * message that may contain a program's text. The reader of the serial line sees the result. */
#include "lib/crc32.h"
#include "linux.h"

#define ENDS "{\"v\":1,\"type\":\"end\",\"records\":1,\"failed\":0}"
#define NAME 128

static volatile uintptr_t nowhere = 16; /* an address in page 0 */
static const char *self;

/* Ends the child under its new name. */
static _Noreturn void die(void)
{
        *(volatile int *)nowhere = 1;
        exit_group(1);
        __builtin_unreachable();
}

static long status_of(long pid)
{
        int status = -1;
        return wait4(pid, &status, 0, NULL) == pid ? status : -1;
}

/* Begins a line like a record, so that the kernel's message continues it. */
static long executed(const char *path, const char *name, const char *variable)
{
        char *const arguments[] = {(char *)name, "die", NULL};
        char *const environment[] = {(char *)variable, NULL};
        write(1, "\n@", 2);
        long pid = fork();
        if (!pid) {
                execve(path, arguments, environment);
                exit_group(99);
        }
        return status_of(pid);
}

int main(int argc, char **argv)
{
        char record[NAME], lines[NAME + 4], directory[NAME + 4], below[2 * NAME];
        self = argv[0];
        if (argc > 1 && !strcmp(argv[1], "die"))
                die();
        snprintf(record, sizeof record, ENDS " *%08x\n", crc32(ENDS, strlen(ENDS)));
        snprintf(lines, sizeof lines, "\n@%s", record);
        snprintf(directory, sizeof directory, "d%s", lines);
        snprintf(below, sizeof below, "%s/x", directory);
        mkdir("/tmp/forge", 0755);
        chdir("/tmp/forge");
        mkdir(directory, 0755);
        long made = symlink(self, record) | symlink(self, lines) | symlink(self, below);
        check(!made, "names", "%ld", made);
        const struct {
                const char *name;
                long status, wanted;
        } tries[] = {{"written", write(1, lines, strlen(lines)), -EINVAL},
                     {"path", executed(record, self, "A=B"), SIGSEGV},
                     {"path of two lines", executed(lines, self, "A=B"), SIGSEGV},
                     {"folder", executed(below, self, "A=B"), SIGSEGV},
                     {"argument", executed(self, record, "A=B"), SIGSEGV},
                     {"variable", executed(self, self, record), SIGSEGV}};
        for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
                check(tries[i].status == tries[i].wanted, tries[i].name, "%ld", tries[i].status);
        char image[64] = "\177ELF";
        unlink(record);
        long file = open(record, O_CREAT | O_WRONLY, 0755);
        write((int)file, image, sizeof image);
        close((int)file);
        check(executed(record, self, "A=B") == 99 << 8, "refused", "a bad image of that name");
        unlink(record);
        unlink(lines);
        unlink(below);
        rmdir(directory);
        chdir("/");
        rmdir("/tmp/forge");
        int status = check_status();
        write(1, "left open @", 11);
        return status;
}
