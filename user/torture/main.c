/*
 * main.c - random deeds of ring 3 by the thousand; the same seed does the same, and the tally of
 * their ends says how far they reached.
 *
 *   torture kind=insn|call|chaos n=COUNT seed=S
 *   torture only=KIND/COUNT/SEED/FIRST/1    the same in one word; from deed FIRST on; told
 *
 * Deeds run in children, many in each. A child reports each end by a byte through a pipe; if one
 * does not come back, its child's end is counted and the next child goes on behind it.
 */
#include "child.h"
#include "linux.h"
#include "lib/crc32.h"
#include "steps.h"
#include "toll.h"
#include "torture.h"
#include "wild.h"

#define CHUNK 1000  /* deeds of a child: their reports must fit in a pipe */
#define LIMIT 1000  /* milliseconds for them */
#define HUNG_MOST 1 /* where data can be executed, a deed may find a loop */
#define OUTCOMES 256
#define PIPE 63       /* where a child has its end of the pipe: no random argument */
#define BROKEN_PIPE 9 /* status of a child that can no longer report */
#define STEPS 10      /* of progress */

static const struct kind *const kinds[] = {&kind_insn, &kind_call, &kind_chaos};

struct tally {
        uint32_t ends[OUTCOMES], deaths[OUTCOMES], hung, mute;
        uint32_t order; /* a CRC of the ends as they came */
};
static struct tally tally;
static uint32_t count, first_deed;
static uint64_t seed;
static bool can_fork;
char *torture_path;
bool torture_tells;

static unsigned act(const struct kind *kind, uint32_t index)
{
        struct random random = random_of(seed, first_deed + index);
        return kind->act(&random) & (OUTCOMES - 1);
}

static _Noreturn void leave(int status)
{
        exit_group(status);
        __builtin_unreachable();
}

static _Noreturn void child(const struct kind *kind, uint32_t first, uint32_t n)
{
        for (uint32_t i = first; i < first + n; i++) {
                uint8_t end = (uint8_t)act(kind, i);
                if (write(PIPE, &end, 1) != 1)
                        leave(BROKEN_PIPE);
        }
        leave(0);
}

/* Counts what has come through the pipe. */
static uint32_t collect(long pipe)
{
        static uint8_t ends[CHUNK];
        uint32_t n = 0;
        long part;
        while ((part = read(pipe, ends, CHUNK)) > 0) {
                for (long i = 0; i < part; i++)
                        tally.ends[ends[i]]++;
                tally.order = crc32(ends, (size_t)part) ^ (tally.order << 1 | tally.order >> 31);
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

/* At most CHUNK deeds from `first` on. Returns how many were done, or 0 = no child can be made. */
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
        if (kind->end) /* who is beside may still have an end of the pipe */
                kind->end();
        uint32_t done = pid > 0 ? collect(ends[0]) : 0;
        close(ends[0]);
        if (pid > 0 && done < n) {
                count_death(status);
                if (status == CHILD_HUNG)
                        print("torture: %s, deed %u hung\n", kind->name, first_deed + first + done);
                done++;
        }
        return done;
}

static bool run(const struct kind *kind)
{
        uint32_t done = 0, step = count / STEPS ? count / STEPS : 1, next = step;
        while (done < count) {
                uint32_t part = 1;
                if (can_fork)
                        part = chunk(kind, done);
                else
                        tally.ends[act(kind, done)]++;
                if (!part)
                        return false;
                done += part;
                for (; done >= next; next += step)
                        print("torture: %s, %u of %u\n", kind->name, next, count);
        }
        return true;
}

static unsigned append(char *text, unsigned at, unsigned size, const char *name, uint32_t n)
{
        if (!n || at >= size)
                return at;
        return at + (unsigned)snprintf(text + at, size - at, "%s%s %u", at ? ", " : "", name, n);
}

/* Of the kernel: an error where there is none. */
static long checksum(void)
{
        return system_call(NUMBER_toll_checksum);
}

#define OWN_PAGES 32 /* of this program, which it touches meanwhile */

/* Only the first program can say: the orphans of others are not theirs. */
static bool is_all_back(struct toll_counts before)
{
        struct lost lost = counts_lost(before);
        if (getppid() || (lost.frames <= OWN_PAGES && !lost.objects))
                return true;
        print("torture: %d frames and %d objects are lost\n", lost.frames, lost.objects);
        return false;
}

static void report(const struct kind *kind, bool whole, bool same_kernel, bool same_left)
{
        char text[1200] = "", name[40];
        unsigned length = 0, different = 0;
        for (unsigned i = 0; i < OUTCOMES; i++) {
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
        if (kind->ordered)
                snprintf(text + length, sizeof text - length, ", order %08x", tally.order);
        print("torture: %s, seed %u: %s\n", kind->name, (unsigned)seed, text);
        check(whole && same_kernel && same_left && tally.hung <= HUNG_MOST &&
                      (different >= kind->varied || count < CHUNK),
              kind->name, "%u deeds, %u different ends%s%s%s", count, different,
              whole ? "" : ", not all done", same_kernel ? "" : ", and the kernel has been changed",
              same_left ? "" : ", and memory has been lost");
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

/* Whether `word` begins with the kind's name; then the numbers behind it count. */
static bool chosen(const struct kind *kind, const char *word)
{
        size_t length = strlen(kind->name);
        if (!word || !*word)
                return true;
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
        torture_path = argv[0];
        if (argc > 1 && !strcmp(argv[1], "inherited"))
                return (int)(steps_inherited() & 0x7f);
        if (argc > 2 && !strcmp(argv[1], "wild"))
                wild_program(argv[2]);
        if (at_cpl_0()) {
                print("torture: at CPL 0 everything is allowed\n");
                return 0;
        }
        if (would_do_harm(system_call(NUMBER_toll_sum) != -ENOSYS))
                return 2;
        count = option_number(argv, "n", option_number(argv, "samples", 10000));
        seed = option_number(argv, "seed", 1);
        const char *word = option(argv, "kind") ? option(argv, "kind") : option(argv, "only");
        can_fork = kernel_can_fork();
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                if (!chosen(kinds[i], word))
                        continue;
                long error = kinds[i]->init();
                if (error) {
                        check(false, kinds[i]->name,
                              "not begun: this kernel lacks what it needs "
                              "(error %ld)",
                              -error);
                        continue;
                }
                memset(&tally, 0, sizeof tally);
                long sum = checksum();
                struct toll_counts before = counts_settled();
                bool whole = run(kinds[i]);
                report(kinds[i], whole, checksum() == sum, !kinds[i]->end || is_all_back(before));
        }
        return check_status();
}
