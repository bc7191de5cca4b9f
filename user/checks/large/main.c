/* main.c - calls whose length depends on a program's memory: this program sleeps repeatedly,
 * beside one that frees, moves, protects, copies, fills or cuts off 64 MiB. Its sleeps must end
 * within the other's turns.
 *
 * `only`: beside this many pairs of such calls and of the suite latency's, drawn from `samples`,
 * with sizes doubled up to each one's maximum. A sleep ends within a turn of each of their threads,
 * plus one. With more than one pair, the maximum is 256 MiB, 1,000 mappings, or what the kind
 * allows. */
#include "large.h"
#include "../../suites/latency/deeds.h"

#define SIZE_MOST (256u << 20)
#define MOST 15000000 /* ns: the other has 10 ms, plus a stretch without interrupts */
#define TICK 10000000 /* ns */

static bool run(const struct way *way)
{
        int tid;
        if (way->beside)
                thread_start(THREAD, thread_stack + sizeof thread_stack, &tid, sleep_for_ever);
        return way->run();
}

/* The delay of a sleep's end, in ns. */
static int64_t lateness(void)
{
        int64_t began = monotonic_now();
        nanosleep(&span, NULL);
        return monotonic_now() - began - SLEEP;
}

static unsigned deed_count(void)
{
        unsigned count = 0;
        while (deeds[count].name)
                count++;
        return count;
}

/* The name of a way; for higher numbers the name of one of latency's calls. */
static const char *name_of(unsigned which)
{
        return which < way_count ? ways[which].name : deeds[which - way_count].name;
}

/* The maximum for calls that are too large for this suite, and the number of turns a sleep may
 * wait: one for each thread that may run. */
static const struct most {
        const char *name;
        unsigned size, turns;
} most_of[] = {{"threads", 0, 180},  {"processes", 0, 150},    {"turns", 0, 64},
               {"pages", 65536, 2},  {"tables", 4096, 2},      {"content", 32768, 2},
               {"mapped", 32768, 2}, {"poll", 0, POLLERS + 2}, {"execve beside locks", 0, 3}};

static const struct most *find_most(unsigned which)
{
        static const struct most other = {"", 0, 2};
        for (size_t i = 0; i < sizeof most_of / sizeof *most_of; i++)
                if (!strcmp(name_of(which), most_of[i].name))
                        return &most_of[i];
        return &other;
}

static unsigned turns_of(unsigned which)
{
        return find_most(which)->turns;
}

static void try(const struct way *way)
{
        int64_t most = 0;
        int status = -1;
        long pid = fork();
        if (!pid) {
                nanosleep(&span, NULL); /* until the parent checks */
                exit_group(!run(way));
        }
        while (!wait4(pid, &status, WNOHANG, NULL)) {
                int64_t late = lateness();
                most = late > most ? late : most;
        }
        int64_t allowed = MOST + (int64_t)(turns_of((unsigned)(way - ways)) - 2) * TICK;
        check(!status && most < allowed, way->name, "status %x; a sleep was %u us late",
              (unsigned)status, (unsigned)most / 1000);
}

static void do_all(unsigned which, bool large)
{
        const struct deed *deed = &deeds[which - way_count];
        unsigned size, most = find_most(which)->size;
        most = large && most ? most : deed->most;
        for (size = deed->from; size < most; size *= 2)
                deed->run(size);
        deed->run(most);
}

/* Runs each size in a process of its own. */
static bool do_sizes(const struct way *way, size_t largest)
{
        int status = 0;
        for (; !status && bytes <= largest; bytes *= 2) {
                long pid = fork();
                if (!pid)
                        exit_group(!run(way));
                wait4(pid, &status, 0, NULL);
        }
        return !status;
}

static long begin(unsigned which, bool large)
{
        long pid = fork();
        if (pid)
                return pid;
        nanosleep(&span, NULL);
        mappings = large ? 1000 : mappings;
        counted = true;
        if (which < way_count)
                exit_group(!do_sizes(&ways[which], large ? SIZE_MOST : SIZE));
        do_all(which, large);
        exit_group(0);
        return 0;
}

static void try_pair(unsigned one, unsigned other, bool large)
{
        unsigned turns = turns_of(one) + turns_of(other) + 1;
        int64_t most = 0;
        char names[64];
        int status = 0, wrong = 0;
        snprintf(names, sizeof names, "%s, %s", name_of(one), name_of(other));
        print("  beside %s\n", names); /* printed first, in case it freezes */
        long first = begin(one, large), second = begin(other, large);
        while (first || second) {
                int64_t late = lateness();
                most = late > most ? late : most;
                long ended = wait4(-1, &status, WNOHANG, NULL);
                wrong |= ended > 0 && (ended == first || ended == second) ? status : 0;
                first = ended == first ? 0 : first;
                second = ended == second ? 0 : second;
        }
        check(!wrong && most <= (int64_t)turns * TICK, names,
              "status %x; a sleep was %u us late, with %u turns", (unsigned)wrong,
              (unsigned)most / 1000, turns);
}

static int try_pairs(unsigned count, unsigned seed)
{
        unsigned all = way_count + deed_count(), drawn = seed;
        deeds_begin();
        for (unsigned i = 0; i < count; i++) {
                unsigned one = (seed + i) % all, other;
                do {
                        drawn = drawn * 1103515245 + 12345;
                        other = (drawn >> 16) % all;
                } while (other == one || (turns_of(one) > 50 && turns_of(other) > 50));
                try_pair(one, other, count > 1);
        }
        deeds_end();
        return check_status();
}

static bool is_alone(void)
{
        static char text[2048];
        read((int)open("/proc/self/status", O_RDONLY, 0), text, sizeof text - 1);
        return strstr(text, "Threads:\t1\n");
}

int main(int argc, char **argv)
{
        unsigned count = option_number(argv, "only", 0);
        if (argc > 1 && !strcmp(argv[1], "other"))
                return 0;
        if (argc > 1 && !strcmp(argv[1], "alone"))
                return !is_alone();
        if (count)
                return try_pairs(count, option_number(argv, "samples", 1));
        for (size_t i = 0; i < way_count; i++)
                try(&ways[i]);
        try_chains();
        try_wakes();
        try_misses();
        try_room();
        try_copies();
        try_written(argv[0]);
        try_seek();
        try_parts();
        try_shared_position();
        try_appends();
        try_words();
        try_ends();
        return check_status();
}
