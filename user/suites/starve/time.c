/* time.c - the cost of recovery: a push that needs a page of the stack, compared with the same push
 * to a present page. In a trusted program that is starvation, at CPL 3 a usual page fault. */
#include "starve.h"
#include "linux.h"
#include "result.h"

#define FIGURE "/tmp/starve" /* /bin/starve leaves its figure there for /trusted/starve */

static int64_t samples[SAMPLES_MAX];

static void record(const struct statistics *s)
{
        char id[40];
        snprintf(id, sizeof id, "%s/starve/push", origin);
        print_result("starve", id, "starve", s);
}

static void leave_figure(unsigned long figure)
{
        long file = open(FIGURE, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0) {
                write((int)file, &figure, sizeof figure);
                close((int)file);
        }
}

static unsigned long take_figure(void)
{
        unsigned long figure = 0;
        long file = open(FIGURE, O_RDONLY, 0);
        if (file >= 0) {
                if (read((int)file, &figure, sizeof figure) != sizeof figure)
                        figure = 0;
                close((int)file);
                unlink(FIGURE);
        }
        return figure;
}

void measure_recovery(unsigned n)
{
        const struct stack *stack = stack_named("demand-zero");
        struct statistics s;
        unsigned long present = ~0ul;
        starve_in[REG_SP] = stack->make(0);
        for (unsigned i = 0; i < 10; i++) {
                unsigned long ticks = starve_timed();
                present = ticks < present ? ticks : present;
        }
        toll_call(NUMBER_toll_quiet, 1);
        for (unsigned i = 0; i < n; i++) {
                starve_in[REG_SP] = stack->make(i);
                samples[i] = (int64_t)starve_timed() - (int64_t)present;
        }
        toll_call(NUMBER_toll_quiet, 0);
        statistics_of(&s, samples, n);
        record(&s);
        print("%s: a push that needs a page of the stack: %lld ticks (median)\n", origin,
              (long long)s.median);
        if (!strcmp(origin, "user"))
                leave_figure((unsigned long)s.median);
        unsigned long ring_3 = trusted ? take_figure() : 0;
        if (ring_3) {
                unsigned long percent = (unsigned long)s.median * 100 / ring_3;
                print("recovery from starvation : stack growth at CPL 3 = %lu.%02lu\n",
                      percent / 100, percent % 100);
        }
}
