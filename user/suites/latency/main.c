/* main.c - how long interrupts are off: the longest stretch of each call, and of everything else
 * that clears IF, during calls with much work, the attacks and torture. The limit is 50,000
 * instructions, whatever is requested.
 *
 * Each call is made with doubled sizes until the worst stretch has stopped growing twice. `only`:
 * one call, or (deeds) all of them, or another program. */
#include "calls.h"
#include "child.h"
#include "deeds.h"
#include "linux.h"
#include "progress.h"
#include "result.h"
#include "toll.h"

#define MOST 50000
#define LIMIT 120000 /* milliseconds for one part */
#define CALLS_MOST 400
#define ASK(number, to) system_call(NUMBER_toll_latency, number, to)

static const char *const stretches[] = {
#define NAME(name) #name,
        TOLL_STRETCH_NAMES(NAME)};

/* The longest stretch so far, and their number, indexed by a call's name or by a stretch. */
static struct toll_latency of_call[CALLS_MOST], of_stretch[TOLL_STRETCHES];

/* The current call or program, and the one with each longest stretch. */
static const char *now, *in_call[CALLS_MOST], *in_stretch[TOLL_STRETCHES];

static uint64_t add(struct toll_latency *sum, const char **in, long number)
{
        struct toll_latency l = {0};
        if (ASK(number, &l))
                return 0;
        sum->calls += l.calls;
        if (l.longest > sum->longest || (l.calls && !*in)) {
                sum->longest = l.longest;
                *in = now;
        }
        return l.longest;
}

/* A quiet program's stretch may have any length. */
static bool is_bounded(unsigned stretch)
{
        return stretch != TOLL_STRETCH_quiet;
}

/* Collects the stretches since the last call, and returns the longest. */
static uint64_t gather(void)
{
        uint64_t longest = 0;
        for (unsigned i = 0; i < named_call_count && i < CALLS_MOST; i++) {
                long number = named_calls[i].number;
                uint64_t l = number < 0 ? 0 : add(&of_call[i], &in_call[i], number);
                longest = l > longest ? l : longest;
        }
        for (unsigned i = 0; i < TOLL_STRETCHES; i++) {
                uint64_t l = add(&of_stretch[i], &in_stretch[i], TOLL_OF_STRETCH | i);
                longest = l > longest && is_bounded(i) ? l : longest;
        }
        ASK(TOLL_BEGIN, 0);
        return longest;
}

static void search(const struct deed *deed)
{
        uint64_t worst = 0;
        unsigned size = deed->from, still = 0;
        now = deed->name;
        *deed_calls = (struct deed_calls){0};
        for (; still < 2; size = size * 2 < deed->most ? size * 2 : deed->most) {
                deed->run(size);
                uint64_t longest = gather();
                if (size == deed->from)
                        print("  %-12s %6u calls, %u fail\n", deed->name, deed_calls->made,
                              deed_calls->failed);
                still = longest > worst + worst / 64 ? 0 : still + 1;
                worst = longest > worst ? longest : worst;
                if (size == deed->most)
                        break;
        }
        print("  %-12s %6u: %lld\n", deed->name, size, (long long)worst);
}

/* `only`: one call, or (NULL, "deeds") all. False = unknown name. */
static bool search_all(const char *only)
{
        bool all = !only || !strcmp(only, "deeds"), found = all;
        for (const struct deed *deed = deeds; deed->name; deed++)
                if (all || !strcmp(only, deed->name)) {
                        search(deed);
                        found = true;
                }
        return found;
}

/* Another program in this one's directory, if it exists. */
static void part(const char *self, const char *other, char *word)
{
        char path[64];
        const char *slash = strchr(self + 1, '/');
        char *arguments[] = {path, word, NULL}, *environment[] = {NULL};
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self), self, other);
        struct stat s;
        if (stat(path, &s))
                return;
        progress_row(other);
        now = other;
        long pid = fork();
        if (!pid) {
                execve(path, arguments, environment);
                exit_group(127);
        }
        int status = child_wait(pid, LIMIT);
        check(!status, other, "its status %x", (unsigned)status);
        gather();
}

static void record(const char *origin, const char *name, const struct toll_latency *l,
                   const char *in)
{
        static int64_t value[1];
        struct statistics s;
        char id[64];
        if (!l->calls)
                return;
        value[0] = (int64_t)l->longest;
        statistics_of(&s, value, 1);
        snprintf(id, sizeof id, "%s/%s/off", origin, name);
        print_result("latency", id, "", &s);
        print("  %-36s %8lld  %8u times, %s\n", id, (long long)l->longest, l->calls, in);
}

static uint64_t longest;
static const char *which = "none";

static void record_all(const char *origin)
{
        for (unsigned i = 0; i < named_call_count + TOLL_STRETCHES; i++) {
                bool call = i < named_call_count;
                unsigned stretch = i - named_call_count;
                const char *name = call ? named_calls[i].name : stretches[stretch];
                const struct toll_latency *l = call ? &of_call[i] : &of_stretch[stretch];
                record(origin, name, l, call ? in_call[i] : in_stretch[stretch]);
                if (l->longest > longest && (call || is_bounded(stretch))) {
                        longest = l->longest;
                        which = name;
                }
        }
}

/* A process that sleeps in a measured call continues after the measurement has ended. */
static void end_beside_a_sleeper(void)
{
        const struct timespec moment = {0, 5000000}, longer = {0, 20000000};
        long pid = fork();
        if (!pid) {
                nanosleep(&longer, NULL);
                exit_group(0);
        }
        nanosleep(&moment, NULL);
        ASK(TOLL_END, 0);
        int status = child_wait(pid, LIMIT / 100);
        check(!status, "a sleeper goes on", "its status %x", (unsigned)status);
}

int main(int argc, char **argv)
{
        const char *only = option(argv, "only");
        if (only && !*only)
                only = NULL;
        bool whole = !only;
        progress_begin(argv, "latency", whole ? 3 : 1); /* a part is a row: all figures come last */
        progress_row("deeds");
        if (ASK(TOLL_BEGIN, 0))
                return 2;
        deeds_begin();
        print("sizes in which the longest stretch did not grow any more, and that stretch:\n");
        bool found = search_all(only);
        deeds_end();
        if (!found)
                part(argv[0], only, "samples=2000");
        if (whole) {
                part(argv[0], "attack", NULL);
                part(argv[0], "torture", NULL);
        }
        print("interrupts off, longest stretches, in instructions:\n");
        record_all(program_origin(argv[0]));
        check(!of_stretch[TOLL_STRETCH_unseen].calls, "every end seen", "%u were not",
              of_stretch[TOLL_STRETCH_unseen].calls);
        end_beside_a_sleeper();
        if (option_number(argv, "exact", 0))
                check(longest <= MOST, "interrupts off", "%lld at most, by %s", (long long)longest,
                      which);
        return check_status();
}
