/* turns.c - a turn of another process and back: by a word of shared memory that both wait for
 * (futex), and by giving up the processor (sched_yield). No Tollgate call is timed: Linux has the
 * same. But Linux's fair scheduler may let a yielding process continue at once. So on Linux both
 * are SCHED_FIFO, where a yield passes the turn to the next. */
#include "const.h"
#include "linux.h"
#include "switch.h"

static struct shared {
        volatile int there, back;
        volatile unsigned turns;
} * shared;

static void futex_wait(volatile int *word, int value)
{
        system_call(NUMBER_futex, word, FUTEX_WAIT, value, 0);
}

static void futex_wake(volatile int *word)
{
        system_call(NUMBER_futex, word, FUTEX_WAKE, 1);
}

/* Returns everything that it receives. */
static void echo_word(void)
{
        for (int seen = 0;;) {
                while (shared->there == seen)
                        futex_wait(&shared->there, seen);
                seen = shared->back = shared->there;
                futex_wake(&shared->back);
        }
}

static void ask_word(int word)
{
        int before = shared->back;
        shared->there = word;
        futex_wake(&shared->there);
        while (shared->back == before)
                futex_wait(&shared->back, before);
}

static void yield_for_ever(void)
{
        for (;;) {
                shared->turns++;
                system_call(NUMBER_sched_yield);
        }
}

static long start(void (*run)(void))
{
        long child = fork();
        if (!child) {
                quiet(true);
                run();
        }
        quiet(true);
        return child;
}

void end(long child)
{
        quiet(false);
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
}

static void set_class(int class)
{
        const int priority = class != SCHED_OTHER;
        system_call(NUMBER_sched_setscheduler, 0, class, &priority);
}

/* Whether one yield gives the other process one turn. */
static bool yield_gives_turn(void)
{
        unsigned before = shared->turns;
        system_call(NUMBER_sched_yield);
        system_call(NUMBER_sched_yield);
        return shared->turns == before + 2;
}

static void measure_yield(void)
{
        unsigned asked = 0;
        long child = start(yield_for_ever);
        system_call(NUMBER_sched_yield);
        bool by_class = !yield_gives_turn();
        if (by_class) {
                end(child);
                set_class(SCHED_FIFO);
                child = start(yield_for_ever);
                system_call(NUMBER_sched_yield);
        }
        unsigned before = shared->turns;
        MEASURE(system_call(NUMBER_sched_yield), asked++);
        unsigned turns = shared->turns - before;
        end(child);
        if (by_class)
                set_class(SCHED_OTHER);
        record("turn/yield");
        check(turns == asked, "turn/given", "%u turns for %u yields", turns, asked);
}

static void measure_futex(void)
{
        unsigned asked = 0, answered = 0;
        long child = start(echo_word);
        MEASURE(ask_word((int)round + 1), (asked++, answered += shared->back == (int)round + 1));
        end(child);
        record("turn/futex");
        check(answered == asked, "turn/answered", "%u of %u words came back", answered, asked);
}

void measure_turns(void)
{
        if (!shared)
                shared = (struct shared *)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS);
        if (begins("turn/futex"))
                measure_futex();
        if (begins("turn/yield-alone")) {
                quiet(true);
                MEASURE(system_call(NUMBER_sched_yield), );
                quiet(false);
                record("turn/yield-alone");
        }
        if (begins("turn/yield"))
                measure_yield();
}
