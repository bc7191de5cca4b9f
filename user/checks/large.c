/*
 * large.c - calls that are as long as a program's memory is large: this program sleeps again and
 * again beside one that gives back, moves, protects, copies, fills or cuts off 64 MiB. Its sleeps
 * end within the turns of the other.
 */
#include "child.h"
#include "linux.h"

#define SIZE (64u << 20)
#define SLEEP 1000000 /* ns */
#define MOST 15000000 /* ns: the other has 10 ms, and a stretch without interrupts besides */
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

static uint8_t stack[4096] __attribute__((aligned(16)));

static int64_t now(void)
{
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return (int64_t)time.seconds * 1000000000 + (int64_t)time.nanoseconds;
}

static uintptr_t touch(uintptr_t at)
{
        for (size_t i = 0; i < SIZE; i += PAGE_SIZE)
                *(volatile uint8_t *)(at + i) = 1;
        return at;
}

static uintptr_t mapped(void)
{
        return touch((uintptr_t)mmap(0, SIZE, PROT_READ | PROT_WRITE, PRIVATE));
}

static bool unmaps(void)
{
        return !munmap(mapped(), SIZE);
}

static void doze(void)
{
        const struct timespec long_time = {1000, 0};
        for (;;)
                nanosleep(&long_time, NULL);
}

static bool unmaps_beside_a_thread(void)
{
        int tid;
        thread_start(THREAD, stack + sizeof stack, &tid, doze);
        return unmaps();
}

static bool maps_over(void)
{
        uintptr_t at = mapped();
        return (uintptr_t)mmap(at, SIZE, PROT_READ, PRIVATE | MAP_FIXED) == at;
}

static bool shrinks(void)
{
        long old = system_call(NUMBER_brk, 0);
        uintptr_t at = ((uintptr_t)old + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
        system_call(NUMBER_brk, at + SIZE);
        touch(at);
        return system_call(NUMBER_brk, old) == old;
}

static bool forgets(void)
{
        return !system_call(NUMBER_madvise, mapped(), SIZE, MADV_DONTNEED);
}

static bool protects(void)
{
        return !mprotect(mapped(), SIZE, PROT_READ);
}

static bool moves(void)
{
        uintptr_t at = mapped();
        long to = mmap(0, SIZE, PROT_READ, PRIVATE);
        return system_call(NUMBER_mremap, at, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

static bool forks(void)
{
        int status = -1;
        mapped();
        long pid = fork();
        if (!pid)
                exit_group(0);
        return wait4(pid, &status, 0, NULL) == pid && !status;
}

static bool executes(void)
{
        const char *self = "/proc/self/exe";
        mapped();
        execve(self, (char *[]){(char *)self, "other", NULL}, (char *[]){NULL});
        return false;
}

static bool ends(void)
{
        return mapped();
}

static bool shares(void)
{
        long at = mmap(0, SIZE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS);
        return at > 0 || at < -4095;
}

#define MAPPINGS 64

/* Each page is mapped MAPPINGS times. */
static bool cuts(void)
{
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        system_call(NUMBER_ftruncate, file, SIZE / MAPPINGS);
        for (int i = 0; i < MAPPINGS; i++) {
                uintptr_t at = (uintptr_t)mmap_file(SIZE / MAPPINGS, PROT_READ, MAP_SHARED, file);
                for (size_t page = 0; page < SIZE / MAPPINGS; page += PAGE_SIZE)
                        (void)*(volatile uint8_t *)(at + page);
        }
        return !unlink("/tmp/large") && !system_call(NUMBER_ftruncate, file, 1);
}

static const struct way {
        const char *name;
        bool (*run)(void);
} ways[] = {
        {"munmap", unmaps},         {"munmap beside a thread", unmaps_beside_a_thread},
        {"MAP_FIXED", maps_over},   {"brk", shrinks},
        {"MADV_DONTNEED", forgets}, {"mprotect", protects},
        {"mremap", moves},          {"fork", forks},
        {"execve", executes},       {"the end", ends},
        {"MAP_SHARED", shares},     {"ftruncate", cuts},
};

static void try(const struct way *way)
{
        const struct timespec span = {0, SLEEP};
        int64_t most = 0;
        int status = -1;
        long pid = fork();
        if (!pid) {
                nanosleep(&span, NULL); /* until the parent looks */
                exit_group(!way->run());
        }
        while (!wait4(pid, &status, WNOHANG, NULL)) {
                int64_t began = now();
                nanosleep(&span, NULL);
                int64_t late = now() - began - SLEEP;
                most = late > most ? late : most;
        }
        check(!status && most < MOST, way->name, "status %x; a sleep was %u us late",
              (unsigned)status, (unsigned)most / 1000);
}

int main(int argc, char **argv)
{
        if (argc > 1 && !strcmp(argv[1], "other"))
                return 0;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
                try(&ways[i]);
        return check_status();
}
