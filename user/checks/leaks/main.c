/*
 * leaks.c - does a kind of thing many times, and asks the kernel whether it has as many frames and
 * objects as before.
 *
 *   leaks samples=ROUNDS only=PART      those whose name contains it
 *
 * The first rounds are not counted: the heap keeps the pages that it has cut. One is enough for
 * what is dear.
 */
#include "leaks.h"
#include "child.h"
#include "vdso.h"

#define UNCOUNTED 3

char *self, buffer[8192];
uintptr_t image;
uint8_t stacks[8][STACK] __attribute__((aligned(16)));

void reap(long pid)
{
        wait4(pid, NULL, 0, NULL);
}

long child_that(void (*act)(void))
{
        long pid = fork();
        if (!pid) {
                act();
                exit_group(0);
        }
        return pid;
}

void in_child(void (*act)(void))
{
        reap(child_that(act));
}

char *map(size_t pages, int flags)
{
        return (char *)mmap(0, pages * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags);
}

void touch(char *at, size_t pages)
{
        for (size_t i = 0; i < pages; i++)
                at[i * PAGE_SIZE] = 1;
}

static bool contains(const char *text, const char *part)
{
        for (; *text; text++)
                if (!strncmp(text, part, strlen(part)))
                        return true;
        return !*part;
}

static void try(const struct leak *leak, unsigned rounds)
{
        if (leak->share)
                rounds = rounds / leak->share ? rounds / leak->share : 1;
        for (unsigned i = 0; i < (leak->share ? 1 : UNCOUNTED); i++)
                leak->round();
        struct toll_counts before = counts_settled();
        for (unsigned i = 0; i < rounds; i++) {
                leak->round();
                if (i % 200 == 199)
                        print("leaks: %s, %u rounds\n", leak->name, i + 1);
        }
        struct lost lost = counts_lost(before);
        check(!lost.frames && !lost.objects, leak->name, "%u rounds lost %d frames and %d objects",
              rounds, lost.frames, lost.objects);
}

/* Touches all pages of this program's file, so that code which runs late is there, too. */
static void touch_self(void)
{
        struct stat about;
        int fd = (int)open(self, O_RDONLY, 0);
        stat(self, &about);
        char *at = (char *)mmap_file((size_t)about.size, PROT_READ, MAP_PRIVATE, fd);
        for (size_t i = 0; i < (size_t)about.size; i += PAGE_SIZE)
                (void)*(volatile char *)(at + i);
        munmap((uintptr_t)at, (size_t)about.size);
        close(fd);
}

int main(int argc, char **argv, char **environment)
{
        static const struct leak *const parts[] = {process_leaks, memory_leaks, file_leaks};
        unsigned rounds = option_number(argv, "samples", 10);
        const char *only = option(argv, "only");
        self = argv[0];
        image = auxiliary(environment, AT_SYSINFO_EHDR);
        if (argc > 1 && !strcmp(argv[1], "end"))
                return 0;
        touch_self();
        mkdir("/tmp", 0755);
        mkdir("/tmp/leaks", 0755);
        chdir("/tmp/leaks");
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
                for (const struct leak *leak = parts[part]; leak->name; leak++)
                        if (!only || contains(leak->name, only))
                                try(leak, rounds);
        chdir("/");
        rmdir("/tmp/leaks");
        return check_status();
}
