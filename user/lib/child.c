/* child.c - waits for a child with a time limit. */
#include "child.h"
#include "linux.h"

#define TICK 1 /* milliseconds */

int child_wait(long pid, unsigned limit)
{
        const struct timespec tick = {0, TICK * 1000000};
        int status = 0;
        for (unsigned slept = 0; slept < limit; slept += TICK) {
                long ended = wait4(pid, &status, WNOHANG, NULL);
                if (ended)
                        return ended == pid ? status : CHILD_HUNG;
                nanosleep(&tick, NULL);
        }
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
        return CHILD_HUNG;
}

bool would_do_harm(bool tollgate)
{
        if (tollgate || system_call(LIBC_geteuid))
                return false;
        print("not as root: on this kernel it would do harm\n");
        return true;
}

struct toll_counts counts_settled(void)
{
        sleep_ms(50);
        return counts_now();
}

struct lost counts_lost(struct toll_counts before)
{
        struct toll_counts now = counts_settled();
        return (struct lost){
                (int)(before.frames + before.heap_frames - now.frames - now.heap_frames),
                (int)(now.objects - before.objects)};
}

const char *end_name(unsigned signal)
{
        return signal ? signal_name((int)signal) : "lives";
}
