/*
 * measure.c - what it costs to cross into ring 0, by every row of a suite.
 *
 * A sample is the difference of two time stamps around the user half (MP1, MP8), less the
 * calibrated cost of two stamps with nothing between. The headline is taken on the clean kernel
 * half; the seven sections on its probed copy, each less the cost of one stamp. Round trips,
 * always. The residue, clean total less sum of sections, is printed for every row. In a pass of its
 * own the kernel counts the entries of each row, by a breakpoint on its first instruction.
 */
#include "measure.h"
#include "const.h"
#include "lib.h"
#include "result.h"
#include "toll.h"

#define WARM_UP 100
#define BATCH 1000
#define ENTRIES 20 /* calls of each row that the kernel counts */
#define STAMPS 8
#define SECTIONS (STAMPS - 1)
static struct toll_control control;
static volatile uint64_t *stamps;
static int64_t clean[SAMPLES_MAX], sections[SECTIONS][SAMPLES_MAX];
static unsigned samples;
static long pid;
static bool exact;
static int64_t stamp_cost; /* from one stamp's reading to the next one's, nothing between */

static const void *at(uint64_t address)
{
        return (const void *)(uintptr_t)address;
}

/* What proves a sample: its stamps are its own, and the answer of a call is the pid. What proves
 * that a row's gate leads to the row's kernel half: the kernel's own count. */
static struct {
        unsigned long of, good;
} fresh, answered, stamped, entered;

/* One call on stamps that no call has written, by a user half with MP1 and MP8. */
static long call_stamped(const void *half)
{
        for (unsigned s = 0; s < STAMPS; s++)
                stamps[s] = 0;
        return gate_call(half, NUMBER_getpid);
}

/* Clean totals into clean[]: MP1 and MP8 are new, and nothing between them has stamped. `answers`:
 * the result must be the pid. */
static void sample_clean(const void *half, bool answers)
{
        uint64_t last = 0;
        for (unsigned i = 0; i < WARM_UP + samples; i++) {
                long result = call_stamped(half);
                bool own = stamps[0] > last && stamps[7] >= stamps[0];
                for (unsigned s = 1; s < STAMPS - 1; s++)
                        own &= !stamps[s];
                last = stamps[7];
                fresh.of++;
                fresh.good += own;
                answered.of += answers;
                answered.good += answers && result == pid;
                clean[i < WARM_UP ? 0 : i - WARM_UP] =
                        (int64_t)(stamps[7] - stamps[0]) - stamp_cost;
        }
}

/* All eight are new, and in order. */
static void sample_sections(const void *half)
{
        uint64_t last = 0;
        for (unsigned i = 0; i < WARM_UP + samples; i++) {
                call_stamped(half);
                unsigned to = i < WARM_UP ? 0 : i - WARM_UP;
                bool own = stamps[0] > last;
                for (unsigned s = 0; s < SECTIONS; s++) {
                        own &= stamps[s + 1] >= stamps[s];
                        sections[s][to] = (int64_t)(stamps[s + 1] - stamps[s]) - stamp_cost;
                }
                last = stamps[7];
                stamped.of++;
                stamped.good += own;
        }
}

/* A hit takes the breakpoint off, so each call sets it anew; the row comes last, because any other
 * call takes an exception's row off. A row that takes #DB itself has no such count. */
static void count_entries(int index, const struct toll_row *row)
{
        if (row->vector == VECTOR_DB)
                return;
        uint32_t before = counts_now().watch_hits;
        for (unsigned i = 0; i < ENTRIES; i++) {
                toll_call(NUMBER_toll_watch, row->entry[0]);
                toll_call(NUMBER_toll_select, index, FLAVOUR_timed);
                gate_call(at(row->timed), NUMBER_getpid);
        }
        toll_call(NUMBER_toll_watch, -1);
        entered.of += ENTRIES;
        entered.good += counts_now().watch_hits - before;
}

static void calibrate(void)
{
        struct statistics s;
        sample_clean(at(control.pair[FLAVOUR_timed]), false);
        statistics_of(&s, clean, samples);
        stamp_cost = exact ? s.min : s.median;
}

static __attribute__((noinline)) int64_t batch_ticks(const void *half)
{
        uint64_t start = tsc();
        gate_batch(half, NUMBER_getpid, BATCH);
        return (int64_t)(tsc() - start);
}

/* The mean over a batch of calls, in hundredths: the loop's own cost is taken off with the same
 * loop over a user half that does nothing but return. */
static int64_t batch_mean(const void *half)
{
        int64_t empty = batch_ticks(at(control.pair[FLAVOUR_clean]));
        return divide_signed((batch_ticks(half) - empty) * 100, BATCH);
}

static const char *point(unsigned n)
{
        static const char *const points[STAMPS] = {"MP1", "MP2", "MP3", "MP4",
                                                   "MP5", "MP6", "MP7", "MP8"};
        return points[n];
}

static int64_t record_sections(struct json *json)
{
        int64_t sum = 0;
        json_begin(json, "sections", '[');
        for (unsigned s = 0; s < SECTIONS; s++) {
                int64_t median = median_of(sections[s], samples);
                sum += median;
                json_begin(json, NULL, '{');
                json_text(json, "from", point(s));
                json_text(json, "to", point(s + 1));
                json_number(json, "min", sections[s][0]);
                json_number(json, "median", median);
                json_end(json, '}');
        }
        json_end(json, ']');
        return sum;
}

static void skip(const struct toll_row *row)
{
        print_skip(row->suite, row->id, row->missing);
        print("  %-28s %-6s not here: %s\n", row->id, row->label, row->missing);
}

/* Which of two variants must cost more. What is compared is the first pair that a mechanism has. */
static const struct order *order;
static unsigned compared, in_rank;
static struct {
        char way[sizeof(((struct toll_row *)0)->id)]; /* origin/mechanism/ */
        size_t size;                                  /* of that */
        unsigned rows, known;                         /* known: bit n = variant n of those below */
        int64_t cost[2 * ORDERS];                     /* of dear and cheap, by turns */
} way;

static void close_way(bool whole)
{
        for (unsigned i = 0; i < ORDERS && order[i].dear; i++) {
                if (~way.known & 3u << 2 * i)
                        continue;
                compared++;
                in_rank += way.cost[2 * i] > way.cost[2 * i + 1];
                return;
        }
        if (whole && way.rows > 1)
                check(false, "control/order", "%s has no two rows whose order is known", way.way);
}

static void note_cost(const struct toll_row *row, int64_t median, bool whole)
{
        if (!way.rows || strncmp(row->id, way.way, way.size)) {
                close_way(whole);
                memset(&way, 0, sizeof way);
                memcpy(way.way, row->id, sizeof way.way);
                for (size_t i = 0; row->id[i]; i++)
                        if (row->id[i] == '/')
                                way.size = i + 1;
                way.way[way.size] = 0;
        }
        way.rows++;
        for (unsigned i = 0; i < ORDERS && order[i].dear; i++) {
                const char *const names[] = {order[i].dear, order[i].cheap};
                for (unsigned n = 0; n < 2; n++) {
                        if (strcmp(row->id + way.size, names[n]))
                                continue;
                        way.known |= 1u << (2 * i + n);
                        way.cost[2 * i + n] = median;
                }
        }
}

static void measure_row(int index, const struct toll_row *row, bool whole)
{
        struct statistics s;
        struct json json;
        const void *half = at(row->clean), *timed = at(row->timed);

        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        gate_batch(half, NUMBER_getpid, WARM_UP);
        int64_t batch = batch_mean(half);
        toll_call(NUMBER_toll_select, index, FLAVOUR_timed);
        sample_clean(timed, row->answers);
        toll_call(NUMBER_toll_select, index, FLAVOUR_probed);
        sample_sections(timed);
        count_entries(index, row);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);

        statistics_of(&s, clean, samples);
        note_cost(row, s.median, whole);
        result_open(&json, row->suite, row->id, row->label, &s);
        json_hundredths(&json, "batch", batch);
        int64_t residue = s.median - record_sections(&json);
        json_number(&json, "probe", stamp_cost);
        json_number(&json, "residue", residue);
        print_record(&json);
        print("  %-28s %-6s %6lld  residue %lld\n", row->id, row->label, (long long)s.median,
              (long long)residue);
        if (exact)
                check(!residue && s.min == s.max, row->id, "residue %lld, spread %lld",
                      (long long)residue, (long long)(s.max - s.min));
}

/* An empty pair reads nothing, a loop of known length its length. */
static void control_results(void)
{
        static const char *const ids[] = {"control/empty", "control/loop"};
        struct statistics s;
        for (int i = 0; i < 2; i++) {
                sample_clean(at(i ? control.loop[FLAVOUR_timed] : control.pair[FLAVOUR_timed]),
                             false);
                statistics_of(&s, clean, samples);
                print_result("control", ids[i], i ? "loop" : "empty", &s);
                int64_t length = 1 + 2 * LOOP_ROUNDS;
                if (exact)
                        check(s.min == s.max && s.median == (i ? length : 0), ids[i],
                              "%lld of %lld", (long long)s.median, (long long)(i ? length : 0));
                else
                        check(i ? s.median > LOOP_ROUNDS / 4 : s.median < 1000 && s.median > -1000,
                              ids[i], "%lld", (long long)s.median);
        }
}

static void control_checks(bool whole)
{
        close_way(whole);
        check(entered.good == entered.of && answered.good == answered.of &&
                      fresh.good == fresh.of && stamped.good == stamped.of,
              "control/entered",
              "%lu of %lu calls answered, %lu of %lu stamped, %lu of %lu fresh, %lu of %lu entered",
              answered.good, answered.of, stamped.good, stamped.of, fresh.good, fresh.of,
              entered.good, entered.of);
        check(in_rank == compared, "control/order", "%s above %s in %u of %u mechanisms",
              order[0].dear, order[0].cheap, in_rank, compared);
}

int measure(char **argv, const char *suite, const struct order orders[ORDERS])
{
        output_through(toll_call);
        const char *only = option(argv, "only");
        order = orders;
        samples = option_number(argv, "samples", 1000);
        exact = option_number(argv, "exact", 0);
        if (!samples || samples > SAMPLES_MAX) {
                print("samples must be 1 to %u\n", SAMPLES_MAX);
                return 2;
        }
        if (toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control)) {
                print("this kernel is not Tollgate's: nothing to measure\n");
                return 2;
        }
        if (toll_call(NUMBER_toll_register, 1)) {
                print("%s: only what the kernel's command line names may measure: suite=%s\n",
                      suite, suite);
                return 2;
        }
        stamps = (volatile uint64_t *)(uintptr_t)control.probe_page;
        pid = toll_call(NUMBER_getpid);
        toll_call(NUMBER_toll_quiet, 1);
        calibrate();
        control_results();

        struct toll_row row;
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (strcmp(row.suite, suite) || (only && !strstr(row.id, only)))
                        continue;
                if (row.missing[0])
                        skip(&row);
                else
                        measure_row(i, &row, !only);
        }
        control_checks(!only);
        toll_call(NUMBER_toll_quiet);
        toll_call(NUMBER_toll_register);
        return check_status();
}
