/* starve - a program at CPL 0 without a stack: provoked, survived, resumed, timed.
 *
 * The processor pushes an exception's frame at the stack pointer; at CPL 0 that is the program's.
 * Tries every kind of event on every kind of bad stack (stacks.c), samples=N times, the first with
 * the chain of vectors that the kernel saw. At CPL 3 the same faults are ordinary. only=PART: cases
 * whose name contains it; only=unprotected resets the machine. */
#include "starve.h"
#include "child.h"
#include "progress.h"
#include "result.h"

#define DEATHS 2 /* maximum: each prints a message */

const char *origin;
bool trusted;

void timer(long hertz)
{
        toll_call(NUMBER_toll_timer, hertz);
}

static void try_case(const char *name, const struct way *way, const struct stack *stack, unsigned n)
{
        bool interrupt = !strcmp(way->name, "interrupt");
        unsigned end = end_expected(way, stack), done = 1;
        const char *how = end ? end_name(end) : "resumed";
        if (interrupt)
                timer(TIMER_HITS);
        const char *wrong = try_with_fpu(way, stack); /* and touches all pages but the stack's */
        const char *chained = try_once(way, stack, CHAINED);
        chain_print(name, try_signal ? end_name(try_signal) : "resumed");
        if (!wrong)
                wrong = chained;
        while (!wrong && done < n)
                wrong = try_once(way, stack, CHAINED + done++);
        stacks_end();
        check(!wrong, name, "%s, %u times%s%s", how, done, wrong ? ", then: " : "",
              wrong ? wrong : "");
        unsigned deaths = n < DEATHS ? n : DEATHS, alone = 0;
        bool dies = end || (!stack->fixed_up && !strcmp(way->name, "step"));
        for (unsigned i = 0; dies && i < deaths; i++)
                alone += CHILD_SIGNAL(die_alone(way, stack, i)) == 11;
        if (dies)
                check(alone == deaths, name, "%u of %u died alone without an alternate stack",
                      alone, deaths);
        if (interrupt)
                timer(TIMER_USUAL);
}

static const char *only;
static unsigned n;

static void try_cases(void)
{
        for (unsigned w = 0; w < way_count; w++) {
                const char *missing = way_missing(&ways[w]);
                if (ways[w].privileged && !trusted)
                        continue; /* at CPL 3 it uses the kernel's stack */
                for (unsigned s = 0; s < stack_count; s++) {
                        char name[60];
                        snprintf(name, sizeof name, "%s/%s/%s", origin, ways[w].name,
                                 stacks[s].name);
                        if ((only && !strstr(name, only)) || (stacks[s].wide && !WIDE) ||
                            !progress_row(name))
                                continue;
                        if (missing)
                                print_skip("starve", name, missing);
                        else
                                try_case(name, &ways[w], &stacks[s], n);
                }
        }
}

static bool chosen(const char *name)
{
        return (!only || !*only || !strcmp(only, name)) && progress_row(name);
}

static void try_all(void)
{
        if (trusted && counts_now().lacks & TOLL_LACKS_double_fault) {
                print_skip("starve", "trusted/starve/push", NO_DOUBLE_FAULT);
                try_cases(); /* reports each as skipped */
                return;
        }
        if (chosen("time")) /* before the cases, which leave many areas */
                measure_recovery(n);
        try_cases();
        if (trusted && chosen("lost"))
                try_lost(n);
        if (chosen("red-zone"))
                try_red_zone();
        if (chosen("reentry"))
                try_reentry();
        if (chosen("refused"))
                try_refused();
}

int main(int argc, char **argv)
{
        only = option(argv, "only");
        n = option_number(argv, "samples", 1000);
        trusted = at_cpl_0();
        origin = trusted ? "trusted" : !strncmp(argv[0], "/compat/", 8) ? "compat" : "user";
        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;
        stacks_init();
        try_init();
        if (only && !strcmp(only, "unprotected")) {
                starve_unprotected();
                return check_status();
        }
        progress_walk(argv, "starve", try_all);
        return check_status();
}
