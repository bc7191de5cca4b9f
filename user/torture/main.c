/*
 * main.c - thousands of random deeds of ring 3. The same seed repeats them, and the tally of their
 * ends shows how far they reached.
 *
 *   torture kind=insn|crowd|program|hostile n=COUNT seed=S
 *   torture only=KIND/COUNT/SEED/FIRST/1    the same in one word; from deed FIRST on; told
 *
 * If a file /deeds exists, only the deeds with its numbers are done, one per line.
 *
 * Deeds run in children, many in each. A child reports each end by a byte through a pipe. If a deed
 * does not return, its child's end is counted, and the next child continues behind it.
 */
#include "child.h"
#include "linux.h"
#include "toll.h"
#include "torture.h"

#define CHUNK 1000 /* deeds per child: their reports must fit into a pipe */
#define LIMIT 1000 /* milliseconds for all deeds of a child */
#define HANGS 8192 /* deeds, one of which may hang: if data can be executed, it may find a loop */
#define OUTCOMES 256
#define PIPE 63       /* a child's descriptor of the pipe: never a random argument */
#define BROKEN_PIPE 9 /* status of a child that could not report */
#define STEPS 10      /* of progress */

static const struct kind *const kinds[] = {&kind_insn, &kind_crowd, &kind_program, &kind_hostile};

struct tally {
        uint32_t ends[OUTCOMES], deaths[OUTCOMES], hung, mute;
        bool harmed; /* those beside */
};
static struct tally tally;
static uint32_t count, first_deed;
static uint64_t seed;
static bool can_fork;
bool torture_tells;
uint32_t torture_deed;

static char deeds[8192]; /* "\n12\n17\n"; "" = all */

static void read_deeds(void)
{
        long fd = open("/deeds", O_RDONLY, 0);
        deeds[0] = '\n';
        if (fd < 0 || read((int)fd, deeds + 1, sizeof deeds - 2) <= 0)
                deeds[0] = 0;
        close((int)fd);
}

static bool is_wanted(uint32_t deed)
{
        char line[16];
        snprintf(line, sizeof line, "\n%u\n", deed);
        return !deeds[0] || strstr(deeds, line);
}

static unsigned act(const struct kind *kind, uint32_t index)
{
        torture_deed = first_deed + index;
        struct random random = random_of(seed, torture_deed);
        if (!is_wanted(torture_deed))
                return 0;
        return kind->act(&random) & (OUTCOMES - 1);
}

static _Noreturn void leave(int status)
{
        exit_group(status);
        __builtin_unreachable();
}

static _Noreturn void child(const struct kind *kind, uint32_t first, uint32_t n)
{
        if (kind->chunk == 1)
                leave((int)act(kind, first));
        for (uint32_t i = first; i < first + n; i++) {
                uint8_t end = (uint8_t)act(kind, i);
                if (write(PIPE, &end, 1) != 1)
                        leave(BROKEN_PIPE);
        }
        leave(0);
}

/* Counts the reports in the pipe. */
static uint32_t collect(long pipe)
{
        static uint8_t ends[CHUNK];
        uint32_t n = 0;
        long part;
        while ((part = read(pipe, ends, CHUNK)) > 0) {
                for (long i = 0; i < part; i++)
                        tally.ends[ends[i]]++;
                n += (uint32_t)part;
        }
        return n;
}

static void count_death(int status)
{
        if (status == CHILD_HUNG)
                tally.hung++;
        else if (CHILD_SIGNAL(status))
                tally.deaths[CHILD_SIGNAL(status)]++;
        else
                tally.mute++;
}

/* Does at most CHUNK deeds from `first` on. Returns how many it did, or 0 = no child possible. */
static uint32_t chunk(const struct kind *kind, uint32_t first)
{
        int ends[2];
        uint32_t most = kind->chunk ? kind->chunk : CHUNK;
        uint32_t n = count - first < most ? count - first : most;
        if (pipe(ends))
                return 0;
        if (kind->beside)
                kind->beside(random_of(~seed, first_deed + first));
        long pid = fork();
        if (!pid) {
                dup2(ends[1], PIPE);
                close(ends[0]);
                close(ends[1]);
                if (kind->begin)
                        kind->begin();
                child(kind, first, n);
        }
        close(ends[1]);
        int status = pid > 0 ? child_wait(pid, kind->limit ? kind->limit : LIMIT) : 0;
        const char *harm = kind->harm ? kind->harm() : NULL;
        if (harm)
                print("torture: %s, deeds %u to %u: %s\n", kind->name, first_deed + first,
                      first_deed + first + n - 1, harm);
        tally.harmed |= harm != NULL;
        if (kind->end) /* parallel processes may still have the pipe open */
                kind->end();
        uint32_t done = pid > 0 ? collect(ends[0]) : 0;
        close(ends[0]);
        if (most == 1 && pid > 0 && status != CHILD_HUNG && !CHILD_SIGNAL(status))
                tally.ends[CHILD_STATUS(status)] += done = 1;
        if (pid > 0 && done < n) {
                count_death(status);
                if (status == CHILD_HUNG && most > 1)
                        print("torture: %s, deed %u hung\n", kind->name, first_deed + first + done);
                done++;
        }
        return done;
}

/* The kernel's checksum with fence 0, whichever a deed has chosen; an error if there is none. */
static long checksum(void)
{
        toll_call(NUMBER_toll_fence, 0);
        return system_call(NUMBER_toll_checksum);
}

#define OWN_PAGES 32 /* pages of this program, touched meanwhile */
#define CHECKED 100  /* single deeds between two checks of the kernel */

/* The kernel's counts after all ended processes are freed. */
static struct toll_counts settled(void)
{
        const struct timespec moment = {0, 50000000};
        struct toll_counts counts = {0};
        if (toll_call(NUMBER_toll_row, TOLL_COUNTS, &counts))
                return counts;
        nanosleep(&moment, NULL);
        return counts_now();
}

/* Whether everything that deeds allocated is free again; a loss is printed once. Only valid in the
 * first program, because orphans are given to it. If deeds can harm others, files lose their names,
 * and new names are other objects. */
static bool is_all_back(const struct kind *kind, struct toll_counts *before, uint32_t from,
                        uint32_t to)
{
        struct toll_counts after = counts_now();
        if (getppid() || !kind->end)
                return true;
        if (after.objects != before->objects)
                after = settled();
        int frames = (int)(before->frames + before->heap_frames - after.frames - after.heap_frames);
        int objects = (int)(after.objects - before->objects);
        if (frames <= OWN_PAGES && (objects <= 0 || kind->harm))
                return true;
        print("torture: %s, deeds %u to %u: %d frames and %d objects are lost\n", kind->name,
              first_deed + from, first_deed + to - 1, frames, objects);
        *before = after;
        return false;
}

/* Whether the kernel is the same as before these deeds; a change is printed once. */
static bool is_same_kernel(const struct kind *kind, long *before, uint32_t from, uint32_t to)
{
        long after = checksum();
        bool same = after == *before;
        if (!same)
                print("torture: %s, deeds %u to %u: code or tables of the kernel are changed\n",
                      kind->name, first_deed + from, first_deed + to - 1);
        *before = after;
        return same;
}

static struct verdict {
        bool whole, same_kernel, same_left;
} run(const struct kind *kind)
{
        struct verdict verdict = {true, true, true};
        struct toll_counts before = settled();
        long sum = checksum();
        uint32_t done = 0, step = count / STEPS ? count / STEPS : 1, next = step;
        while (verdict.whole && done < count) {
                uint32_t part = 1;
                if (can_fork)
                        part = chunk(kind, done);
                else
                        tally.ends[act(kind, done)]++;
                if (can_fork && part) {
                        verdict.same_left &= is_all_back(kind, &before, done, done + part);
                        if (part > 1 || done % CHECKED == CHECKED - 1 || done + part == count)
                                verdict.same_kernel &= is_same_kernel(
                                        kind, &sum, done - done % CHECKED, done + part);
                }
                verdict.whole = part;
                done += part;
                for (; done >= next; next += step)
                        print("torture: %s, %u of %u\n", kind->name, next, count);
        }
        return verdict;
}

static unsigned append(char *text, unsigned at, unsigned size, const char *name, uint32_t n)
{
        if (!n || at >= size)
                return at;
        return at + (unsigned)snprintf(text + at, size - at, "%s%s %u", at ? ", " : "", name, n);
}

static void report(const struct kind *kind, struct verdict verdict)
{
        char text[1200] = "", name[40];
        unsigned length = 0, different = 0;
        for (unsigned i = 0; i < OUTCOMES; i++) {
                snprintf(name, sizeof name, i ? "error %u" : "success", i);
                if (kind->outcome_name)
                        kind->outcome_name(i, name, sizeof name);
                different += tally.ends[i] != 0;
                length = append(text, length, sizeof text, name, tally.ends[i]);
        }
        for (unsigned i = 0; i < OUTCOMES; i++) {
                snprintf(name, sizeof name, "died of %s", end_name(i));
                length = append(text, length, sizeof text, name, tally.deaths[i]);
        }
        length = append(text, length, sizeof text, "hung", tally.hung);
        length = append(text, length, sizeof text, "went mute", tally.mute);
        print("torture: %s, seed %u: %s\n", kind->name, (unsigned)seed, text);
        check(verdict.whole && verdict.same_kernel && verdict.same_left && !tally.harmed &&
                      (tally.hung <= 1 + count / HANGS || kind->chunk == 1) &&
                      (different >= kind->varied || count < CHUNK),
              kind->name, "%u deeds, %u different ends%s%s%s%s", count, different,
              verdict.whole ? "" : ", not all done",
              verdict.same_kernel ? "" : ", and the kernel has been changed",
              verdict.same_left ? "" : ", and memory has been lost",
              tally.harmed ? ", and others have been harmed" : "");
}

static uint32_t number_at(const char **text, uint32_t otherwise)
{
        uint32_t value = 0;
        if (**text != '/')
                return otherwise;
        for (++*text; **text >= '0' && **text <= '9'; ++*text)
                value = value * 10 + (uint32_t)(**text - '0');
        return value;
}

/* Whether `word` begins with the kind's name; then reads the numbers behind it. */
static bool chosen(const struct kind *kind, const char *word)
{
        size_t length = strlen(kind->name);
        if (!word || !*word)
                return !kind->asked;
        if (strncmp(word, kind->name, length))
                return false;
        word += length;
        count = number_at(&word, count);
        seed = number_at(&word, (uint32_t)seed);
        first_deed = number_at(&word, first_deed);
        torture_tells = number_at(&word, torture_tells);
        return true;
}

int main(int argc, char **argv)
{
        if (argc > 1 && !strcmp(argv[1], "inherited"))
                return 0; /* a deed has started it */
        if (would_do_harm(system_call(NUMBER_toll_sum) != -ENOSYS))
                return 2;
        count = option_number(argv, "n", option_number(argv, "samples", 10000));
        seed = option_number(argv, "seed", 1);
        const char *word = option(argv, "kind") ? option(argv, "kind") : option(argv, "only");
        can_fork = kernel_can_fork();
        read_deeds();
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                if (!chosen(kinds[i], word) || (at_cpl_0() && !kinds[i]->trusted))
                        continue;
                long error = kinds[i]->init();
                if (!error && kinds[i]->whole && kinds[i]->whole() < count)
                        count = kinds[i]->whole();
                if (error) {
                        check(false, kinds[i]->name,
                              "not begun: this kernel lacks what it needs "
                              "(error %ld)",
                              -error);
                        continue;
                }
                memset(&tally, 0, sizeof tally);
                report(kinds[i], run(kinds[i]));
        }
        return check_status();
}
