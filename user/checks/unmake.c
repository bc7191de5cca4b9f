/* unmake.c - removes part of the tree, as only=NAME says, and ends: files that the kernel looks up
 * before the next program starts, or others. */
#include "linux.h"

/* A mounted file system must stay. */
static void take_dev(void)
{
        if (rename("/dev", "/gone") != -EBUSY || rmdir("/dev") != -EBUSY)
                print("unmake: /dev was taken\n");
}

static void take_console(void)
{
        unlink("/dev/console");
}

static void file_for_console(void)
{
        take_console();
        close((int)open("/dev/console", O_CREAT | O_WRONLY, 0755));
}

static void directory_for_console(void)
{
        take_console();
        mkdir("/dev/console", 0755);
}

static void loop_for_console(void)
{
        take_console();
        symlink("console", "/dev/console");
}

/* The last one on the list, and itself. */
static void take_programs(void)
{
        rename("/bin", "/gone");
        rename("/compat", "/gone2");
        rename("/trusted", "/gone3");
}

static void directory_for_program(void)
{
        unlink("/bin/usystime");
        mkdir("/bin/usystime", 0755);
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*deed)(void);
        } deeds[] = {{"dev", take_dev},
                     {"console", take_console},
                     {"file-console", file_for_console},
                     {"folder-console", directory_for_console},
                     {"loop-console", loop_for_console},
                     {"programs", take_programs},
                     {"folder-program", directory_for_program}};
        const char *only = option(argv, "only");
        for (size_t i = 0; only && i < sizeof deeds / sizeof *deeds; i++)
                if (!strcmp(deeds[i].name, only)) {
                        deeds[i].deed();
                        print("unmake: %s\n", only);
                        return 0;
                }
        return 2;
}
