/* limit.c - shows the hole if kernel code lifts the address limit and forgets to restore it: a
 * ring-3 program with a lifted limit can write the kernel's memory by read(). This program lifts
 * the limit and becomes such a program, /bin/attack. The check on the way out kills it before it
 * runs; without the check the hole is open. */
#include "child.h"
#include "file/ladder.h"
#include "kernel.h"
#include "lib.h"
#include "linux.h"

KERNEL_FUNCTION(uintptr_t, limit_get, void);
KERNEL_FUNCTION(void, limit_set, uintptr_t limit);
KERNEL_DATA(bool, limit_unchecked);
KERNEL_DATA(volatile uint8_t, ladder_buffer);

#define LIMIT 5000 /* milliseconds */

static volatile unsigned handled;

static void handler(int signal)
{
        handled++;
}

/* Lifts the limit and runs the attack in a child; `deep`: in a child of the child. */
static int attack_lifted(bool deep)
{
        char where[32];
        snprintf(where, sizeof where, "at=%llu",
                 (unsigned long long)(uintptr_t)kernel_ladder_buffer);
        char *arguments[] = {(char *)"attack", (char *)"only=limit/read", where, NULL};
        char *environment[] = {NULL};
        memset((void *)kernel_ladder_buffer, 0, 4);
        long child = fork();
        if (!child) {
                kernel_limit_set(UINTPTR_MAX);
                long below = deep ? fork() : 0;
                if (!below)
                        execve("/bin/attack", arguments, environment);
                int status = child_wait(below, LIMIT);
                exit_group(CHILD_SIGNAL(status) ? 128 + CHILD_SIGNAL(status)
                                                : CHILD_STATUS(status));
        }
        return child_wait(child, LIMIT);
}

static bool written(void)
{
        return !memcmp((const void *)kernel_ladder_buffer, "HOLE", 4);
}

int main(void)
{
        uintptr_t limit = kernel_limit_get();
        int status = attack_lifted(false);
        check(CHILD_SIGNAL(status) == SIGSEGV && !written(), "execve with the limit lifted",
              "status %x, memory %s", (unsigned)status, written() ? "written" : "as it was");
        status = attack_lifted(true);
        check(CHILD_STATUS(status) == 128 + SIGSEGV && !written(), "fork, then execve",
              "status %x, memory %s", (unsigned)status, written() ? "written" : "as it was");

        *kernel_limit_unchecked = true;
        status = attack_lifted(false);
        *kernel_limit_unchecked = false;
        check(!CHILD_SIGNAL(status) && written(), "without the look the hole is there",
              "status %x, memory %s", (unsigned)status, written() ? "written" : "as it was");

        signal_set(SIGUSR1, (uintptr_t)handler);
        kernel_limit_set(UINTPTR_MAX);
        kill(getpid(), SIGUSR1);
        kernel_limit_set(limit);
        check(handled == 1, "a handler in ring 0", "with the limit lifted");
        check(kernel_limit_get() == limit, "restored", "%lx", (unsigned long)limit);
        return check_status();
}
