/* unquiet.c - quiet programs that loop, by themselves or in calls, must not stop the machine: they
 * are killed after an hour of the real-time clock. The clock must run fast compared to the
 * processor, because an hour passes. */
#include "child.h"
#include "linux.h"
#include "toll.h"

#define LIMIT 60000

static _Noreturn void loop(void)
{
        for (;;)
                __asm__ volatile(".rept 400\n nop\n .endr");
}

static _Noreturn void call_on(void)
{
        for (;;) {
                for (int i = 0; i < 100; i++)
                        __asm__ volatile(".rept 400\n nop\n .endr");
                toll_call(NUMBER_getpid);
        }
}

int main(void)
{
        static const struct {
                const char *name;
                void (*run)(void);
        } ways[] = {{"a loop", loop}, {"calls", call_on}};
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                struct toll_counts first, before, after;
                toll_call(NUMBER_toll_row, TOLL_COUNTS, &first);
                long pid = fork();
                if (!pid) {
                        toll_call(NUMBER_toll_quiet, 1);
                        ways[i].run();
                }
                int status = child_wait(pid, LIMIT);
                toll_call(NUMBER_toll_row, TOLL_COUNTS, &before);
                sleep_ms(20);
                toll_call(NUMBER_toll_row, TOLL_COUNTS, &after);
                check(CHILD_SIGNAL(status) == SIGSEGV, ways[i].name, "ended with %x",
                      (unsigned)status);
                check(after.ticks != before.ticks, ways[i].name, "the timer ticks: %u, %u",
                      before.ticks, after.ticks);
                check(before.nmis > first.nmis, ways[i].name, "by %u NMIs",
                      before.nmis - first.nmis);
        }
        return check_status();
}
