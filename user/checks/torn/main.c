/* torn - the page of the time (kernel/unix/clock/page.h) on the machine. A reader is single-stepped
 * (TF, SIGTRAP). Before one instruction the writer makes some of its stores, and before another the
 * rest (toll_clock). Interrupts are off, because they would make stores of their own.
 *
 * Every reading must be of one update. Variants without the check, with the numbers in the other
 * order, or with one of them twice, must be caught mixing updates.
 *
 * It tries each number of stores before each instruction, with the rest before each later one, or
 * when the reader has waited for long. `samples=N`: at most N of these, evenly spread; `only=`: a
 * reader. */
#include "const.h"
#include "layout.h"
#include "reader.h"
#include "signals.h"
#include "vdso.h"

#define SECOND 1000000000ll
#define ROUNDED 3000 /* ns: gettimeofday's microsecond, plus two rates' difference */
#define SAMPLES_MOST 1000000
#define LATER 3 /* readings */

/* The run: of `made` stores so far, `first` are made at one instruction, the others at another. */
static const void *volatile function;
static volatile int place, made, first, at_first, at_rest;
static volatile bool inside, counts; /* until the reader's end */
static int stores;

static void store_until(int count)
{
        while (made < count)
                toll_call(NUMBER_toll_clock, made++);
}

static void step(int signal, struct siginfo *info, struct ucontext *uc)
{
        if (uc->context.ip == (uintptr_t)function)
                inside = true;
        if (uc->context.ip == (uintptr_t)stepped_back)
                inside = false;
        if (!inside)
                return;
        if (place >= at_first)
                store_until(first);
        if (place >= at_rest)
                store_until(stores);
        place++;
        if (made == stores && !counts)
                uc->context.flags &= ~(uintptr_t)RFLAGS_TF;
}

static int64_t now(void)
{
        struct timespec t = {0, 0};
        toll_call(NUMBER_clock_gettime, CLOCK_REALTIME, &t);
        return t.seconds * SECOND + t.nanoseconds;
}

static const struct clock_page *page;

static int64_t by_gettimeofday(const void *f)
{
        struct timeval t = {0, 0};
        stepped_call(f, (long)&t, 0);
        return t.seconds * SECOND + t.microseconds * 1000ll;
}

static int64_t by_clock_gettime(const void *f)
{
        struct timespec t = {0, 0};
        stepped_call(f, CLOCK_REALTIME, (long)&t);
        return t.seconds * SECOND + t.nanoseconds;
}

static int64_t by_time(const void *f)
{
        long t = 0;
        stepped_call(f, (long)&t, 0);
        return t * SECOND;
}

static int64_t by_reader(const void *f)
{
        struct timespec t = {0, 0};
        stepped_call(f, (long)page, (long)&t);
        return t.seconds * SECOND + t.nanoseconds;
}

struct subject {
        const char *name; /* name of the image's function, or */
        reader *own;
        int64_t (*read)(const void *f);
        int64_t rounded;
        bool tears;
};

static struct tally {
        unsigned readings, torn, waited;
        int longest; /* instructions after the writer's last store */
        int64_t off; /* error of a mixed reading, in nanoseconds */
} tally;

/* One reading, with `count` stores before instruction `one` and the rest before `other`. */
static void reading(const struct subject *s, int count, int one, int other)
{
        place = made = 0;
        first = count, at_first = one, at_rest = other;
        int64_t before = now(), here = s->read((const void *)function), after = now();
        tally.readings++;
        if (counts && made == stores) { /* while the reader could still see it */
                tally.waited++;
                tally.longest = place - other > tally.longest ? place - other : tally.longest;
        }
        store_until(stores);
        if (here > before - s->rounded && here < after + ROUNDED)
                return;
        tally.torn++;
        tally.off = here - before;
}

/* The number of instructions of an undisturbed reading. */
static int length_of(const struct subject *s)
{
        place = made = first = 0;
        at_first = at_rest = INT32_MAX;
        counts = true;
        s->read((const void *)function);
        return place;
}

/* One in `every`: coprime to the number of stores, 6 or 9, so that each occurs. */
static unsigned stride(int length, unsigned samples)
{
        unsigned every = (unsigned)(length * (length + 3) / 2 * stores) / samples;
        while (every % 2 == 0 || every % 3 == 0)
                every++;
        return every;
}

static void try_all(const struct subject *s, int length, unsigned every)
{
        unsigned n = 0;
        for (int one = 0; one < length; one++)
                for (int other = one; other <= length; other++)
                        for (int count = 0; count < stores; count++) {
                                if (n++ % every)
                                        continue;
                                counts = other == length;
                                reading(s, count, one, counts ? LATER * length : other);
                        }
}

static void examine(const struct subject *s, const char *name, unsigned samples)
{
        memset(&tally, 0, sizeof tally);
        int length = length_of(s);
        try_all(s, length, stride(length, samples));
        if (s->tears)
                check(tally.torn > 0, name, "%u of %u torn, such as one %lld ns off", tally.torn,
                      tally.readings, (long long)tally.off);
        else
                check(!tally.torn && tally.longest <= 2 * length + LATER, name,
                      "%d instructions, %u readings, %u torn; %u waited for the writer, and took "
                      "%d more",
                      length, tally.readings, tally.torn, tally.waited, tally.longest);
}

static const struct subject subjects[] = {
        {"__vdso_gettimeofday", NULL, by_gettimeofday, ROUNDED, false},
        {"__toll_gettimeofday", NULL, by_gettimeofday, ROUNDED, false},
        {"__vdso_clock_gettime", NULL, by_clock_gettime, ROUNDED, false},
        {"__vdso_time", NULL, by_time, SECOND + ROUNDED, false},
        {"in order", in_order, by_reader, ROUNDED, false},
        {"without the check", unchecked, by_reader, ROUNDED, true},
        {"the numbers swapped", swapped, by_reader, ROUNDED, true},
        {"one number", one_number, by_reader, ROUNDED, true}};

int main(int argc, char **argv, char **environment)
{
        const char *only = option(argv, "only");
        unsigned samples = option_number(argv, "samples", SAMPLES_MOST);
        bool trusted = !strncmp(argv[0], "/trusted/", 9);
        page = (const struct clock_page *)(trusted ? CLOCK_TRUSTED : CLOCK_PAGE);
        signal_act(SIGTRAP, step, SA_SIGINFO, 0);
        check(toll_call(NUMBER_toll_clock, 0) == -EINVAL, "with interrupts on", "refused");
        toll_call(NUMBER_toll_quiet, 1);
        check(toll_call(NUMBER_toll_clock, 1) == -EINVAL, "the second store first", "refused");
        stores = (int)toll_call(NUMBER_toll_clock, 0);
        made = 1;
        store_until(stores);
        for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
                const struct subject *s = &subjects[i];
                if (only && !strstr(s->name, only))
                        continue;
                function = s->own ? (const void *)s->own : vdso_function(environment, s->name);
                examine(s, s->name, samples ? samples : SAMPLES_MOST);
        }
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}
