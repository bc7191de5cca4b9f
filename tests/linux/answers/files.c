/* files.c - results of slightly wrong calls on files. */
#include "answers.h"
#include <sys/stat.h>

/* Prints a link's target in /proc, beginning with the name in question. */
static void show_link(const char *link)
{
        char text[4096] = "";
        long size = readlink(link, text, sizeof text - 1);
        if (size < 0)
                ASK(readlink(link, text, sizeof text));
        else
                note("it leads to", strstr(text, "asked") ? strstr(text, "asked") : "");
}

/* An open file, or a current directory, after its removal. */
static void ask_deleted(void)
{
        char text[8192], link[40], name[201];
        int here = open(".", O_RDONLY), fd = open("asked", O_RDWR | O_CREAT, 0600);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        show_link(link);
        ASK(rename("asked", "asked.again"));
        show_link(link);
        ASK(unlink("asked.again"));
        show_link(link);
        ASK(mkdir("asked", 0755)), ASK(mkdir("asked/below", 0755)), ASK(chdir("asked/below"));
        ASK(rmdir("../below")), ASK(rmdir("../../asked"));
        show_link("/proc/self/cwd");
        ASK(syscall(SYS_getcwd, text, sizeof text)), ASK(fchdir(here));
        memset(name, 'a', 200);
        name[200] = 0;
        for (int i = 0; i < 21; i++)
                mkdir(name, 0700), chdir(name);
        show_link("/proc/self/cwd");
        for (int i = 0; i < 21; i++)
                chdir(".."), rmdir(name);
        close(here);
        close(fd);
}

/* Adding names to an object that already has one, where that is not allowed. */
static void ask_names(void)
{
        int fd = open("asked", O_RDWR | O_CREAT, 0600);
        ASK(link(".", "asked.2")), ASK(link("nothing", "asked.2")), ASK(link("asked", "asked"));
        ASK(link("asked", "nothing/x")), ASK(link("asked", "asked/x"));
        ASK(link("asked", "asked.2/")), ASK(link("asked", "."));
        ASK(link("/proc/version", "asked.2"));
        ASK(linkat(AT_FDCWD, "asked", AT_FDCWD, "asked.2", 1));
        ASK(linkat(fd, "x", AT_FDCWD, "asked.2", 0)), ASK(linkat(-1, "x", AT_FDCWD, "asked.2", 0));
        close(fd);
        unlink("asked");
}

static unsigned links_of(const char *name)
{
        struct stat facts;
        return stat(name, &facts) ? 0 : (unsigned)facts.st_nlink;
}

static int link_by(unsigned how, const char *name, const char *other)
{
        switch (how) {
        case 0: return close(open(name, O_CREAT | O_WRONLY, 0600));
        case 1: return link(name, other);
        case 2: return rename(name, other);
        default: return unlink(name);
        }
}

/* A few files in two directories: created, linked, moved, removed; one stays open. */
static void ask_links(void)
{
        static const char *const names[] = {"asked.d/a", "asked.d/b", "asked.a", "asked.b",
                                            "asked.c"};
        struct stat facts;
        unsigned long random = 1;
        mkdir("asked.d", 0700);
        int fd = open(names[0], O_CREAT | O_RDWR, 0600);
        for (int i = 0; i < 120; i++) {
                random = (random * 1103515245 + 12345) % 2147483648;
                unsigned name = random >> 16 & 255, other = random >> 10 & 63, how = random >> 26;
                int result = link_by(how % 4, names[name % 5], names[other % 5]);
                fstat(fd, &facts);
                printf("= %u of %u, %u: %d, %d links: %u", how % 4, name % 5, other % 5, result,
                       result ? errno : 0, (unsigned)facts.st_nlink);
                for (unsigned n = 0; n < 5; n++)
                        printf(" %u", links_of(names[n]));
                printf("\n");
        }
        for (unsigned n = 0; n < 5; n++)
                unlink(names[n]);
        fstat(fd, &facts);
        printf("= %u links\n", (unsigned)facts.st_nlink);
        ASK(rmdir("asked.d"));
        ASK(linkat(AT_FDCWD, "/proc/self/fd/3", AT_FDCWD, "asked.a", AT_SYMLINK_FOLLOW));
        close(fd);
        ASK(symlink("nowhere", "asked.a")), ASK(link("asked.a", "asked.b"));
        ASK(linkat(AT_FDCWD, "asked.a", AT_FDCWD, "asked.c", AT_SYMLINK_FOLLOW));
        show_link("asked.b");
        unlink("asked.a");
        unlink("asked.b");
}

void ask_files(void)
{
        ask_deleted();
        ask_names();
        ask_links();
        char text[256];
        int fd = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0644);
        ASK(syscall(SYS_write, fd, NULL, 0)), ASK(lseek(fd, 1 << 20, SEEK_SET));
        ASK(read(fd, text, 1)), ASK(fchmod(fd, 0600)), ASK(mkdir("/tmp", 0)), ASK(rmdir("/"));
        ASK(unlink("/tmp/")), ASK(readlink("asked", text, 10));
        ASK(execve("/tmp", (char *[]){NULL}, NULL)), ASK(chmod("asked", 0755)), ASK(close(fd));
        ASK(execve("asked", (char *[]){NULL}, NULL)), ASK(open("asked", 3) >= 0);
        ASK(rename("asked", "asked/x")), ASK(rename("nothing", "asked"));
        ASK(wait(NULL)), ASK(nanosleep(&(struct timespec){0, -1}, NULL));
        ASK(nanosleep(&(struct timespec){-1, 0}, NULL));
        ASK(nanosleep(&(struct timespec){0, 1000000000}, NULL));
        ASK(clock_gettime(99, &(struct timespec){0})), ASK(unlink("asked"));
}
