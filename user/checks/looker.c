/* looker.c - calls whose length depends on a disk or on their program: a look-up in a directory of
 * four million blocks, reads and writes of 256 MiB, hundreds of long paths. Other threads must run
 * meanwhile, and SIGKILL must end each call. */
#include "child.h"
#include "linux.h"

#define MOST 1000000         /* TSC counts (instructions) after the SIGKILL */
#define SLEEP 20000000       /* nanoseconds */
#define LATE (SLEEP * 5 / 2) /* counts: the sleep, and three ticks */
#define PARTS 128
#define HOLE (256 << 20)

static char buffer[2 << 20];

static uint64_t counts(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
        return (uint64_t)high << 32 | low;
}

/* Passes the same buffer many times in one call. */
static void each(long number, const char *path, int flags)
{
        static uintptr_t vectors[PARTS][2];
        for (size_t i = 0; i < PARTS; i++)
                vectors[i][0] = (uintptr_t)buffer, vectors[i][1] = sizeof buffer;
        system_call(number, open(path, flags, 0), vectors, PARTS);
}

static long hole(void)
{
        long file = open("/tmp/hole", O_CREAT | O_RDWR, 0600);
        system_call(NUMBER_ftruncate, file, HOLE);
        return file;
}

static void look_up(void)
{
        open("/disk/big/x", O_RDONLY, 0);
}

static void read_zeros(void)
{
        each(NUMBER_readv, "/dev/zero", O_RDONLY);
}

static void read_random(void)
{
        each(NUMBER_readv, "/dev/urandom", O_RDONLY);
}

static void write_random(void)
{
        each(NUMBER_writev, "/dev/urandom", O_WRONLY);
}

static void read_hole(void)
{
        close((int)hole());
        each(NUMBER_readv, "/tmp/hole", O_RDONLY);
}

static void send_hole(void)
{
        long from = hole(), to = open("/dev/urandom", O_WRONLY, 0);
        system_call(NUMBER_sendfile, to, from, NULL, HOLE);
}

/* A file in many areas, at the end of a path of 4,000 characters. */
static void map_deep(void)
{
        const size_t size = 4 << 20;
        chdir("/tmp");
        for (int depth = 0; depth < 2000; depth++) {
                mkdir("a", 0700);
                chdir("a");
        }
        int file = (int)open("f", O_CREAT | O_RDWR, 0600);
        system_call(NUMBER_ftruncate, file, size);
        uintptr_t at = (uintptr_t)mmap_file(size, PROT_READ, MAP_SHARED, file);
        for (size_t i = 0; i < size; i += 2 * PAGE_SIZE)
                mprotect(at + i, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

static void read_maps(void)
{
        long maps = open("/proc/self/maps", O_RDONLY, 0);
        while (read((int)maps, buffer, PAGE_SIZE) > 0)
                ;
}

static const struct way {
        const char *name;
        void (*run)(void);
} ways[] = {{"a look-up", look_up},        {"zeros", read_zeros},
            {"random bytes", read_random}, {"bytes for the random ones", write_random},
            {"a hole", read_hole},         {"a hole, sent", send_hole},
            {"paths", read_maps}};

static void try(const struct way *way)
{
        const struct timespec span = {0, SLEEP};
        uint64_t start = counts();
        int status = -1;
        long pid = fork();
        if (!pid) {
                way->run();
                exit_group(0);
        }
        nanosleep(&span, NULL);
        uint64_t slept = counts();
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
        uint64_t end = counts();
        check(slept - start < LATE, way->name, "others have turns: a sleep of %u took %llu counts",
              SLEEP, (unsigned long long)(slept - start));
        /* An emulated disk answers when the host does, and meanwhile the counter runs ahead. */
        check(status == SIGKILL && (end - slept < MOST || way->run == look_up), way->name,
              "SIGKILL ends it: status %x after %llu counts", (unsigned)status,
              (unsigned long long)(end - slept));
}

int main(void)
{
        map_deep();
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
                try(&ways[i]);
        unlink("/tmp/hole");
        return check_status();
}
