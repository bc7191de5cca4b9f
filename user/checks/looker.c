/*
 * looker.c - a look-up in a directory of a disk that has four million blocks: others have their
 * turns meanwhile, and SIGKILL ends it.
 */
#include "child.h"
#include "linux.h"

#define MOST 1000000         /* counts of the TSC, which are instructions, from the SIGKILL on */
#define SLEEP 20000000       /* nanoseconds */
#define LATE (SLEEP * 5 / 2) /* counts: the sleep, and a tick for each of the two and one more */

static uint64_t counts(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
        return (uint64_t)high << 32 | low;
}

int main(void)
{
        const struct timespec span = {0, SLEEP};
        uint64_t start = counts();
        int status = -1;
        long pid = fork();
        if (!pid)
                exit_group((int)open("/disk/big/x", O_RDONLY, 0) < 0);
        nanosleep(&span, NULL);
        uint64_t slept = counts();
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
        uint64_t end = counts();
        check(slept - start < LATE, "others have their turns", "a sleep of %u took %llu counts",
              SLEEP, (unsigned long long)(slept - start));
        check(status == SIGKILL && end - slept < MOST, "SIGKILL ends it",
              "status %x after %llu counts", (unsigned)status, (unsigned long long)(end - slept));
        return check_status();
}
