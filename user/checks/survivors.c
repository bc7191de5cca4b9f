/* survivors.c - one kill(-1, SIGKILL) must end all: processes of two threads. The first sleeps, and
 * signals prefer it; the second keeps forking more processes.
 *
 * samples=N: this many times, each at another moment. */
#include "linux.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

/* A child runs on the stack of the thread that forked it; its own thread gets the other. */
static uint8_t stacks[2][4096] __attribute__((aligned(16)));
static unsigned stack;

static void live(void);

static void multiply(void)
{
        for (;;) {
                if (!fork())
                        live();
                for (volatile int i = 0; i < 20000; i++)
                        ;
        }
}

static void live(void)
{
        int tid;
        stack ^= 1;
        thread_start(THREAD, stacks[stack] + sizeof stacks[stack], &tid, multiply);
        for (;;)
                pause();
}

static void rest(long microseconds)
{
        const struct timespec time = {0, microseconds * 1000};
        nanosleep(&time, NULL);
}

/* The number of processes left some time after the kill. */
static unsigned left(void)
{
        long pid;
        rest(50000);
        while ((pid = wait4(-1, NULL, WNOHANG, NULL)) > 0)
                ;
        return pid == 0;
}

int main(int argc, char **argv)
{
        unsigned times = option_number(argv, "samples", 5), survived = 0;
        for (unsigned seed = 0; seed < times; seed++) {
                if (!fork())
                        live();
                rest(5000 + 1237 * (long)(seed % 17) + 41 * (long)seed);
                kill(-1, SIGKILL);
                print("# kill %u\n", seed);
                if (left()) {
                        survived++;
                        for (int more = 0; more < 60 && left(); more++)
                                kill(-1, SIGKILL);
                }
        }
        check(!survived, "survivors", "somebody lived after %u of %u kills", survived, times);
        return check_status();
}
