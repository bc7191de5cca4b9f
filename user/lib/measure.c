/* measure.c - measures the cost of crossing into ring 0 for every row of a suite.
 *
 * A sample is the difference of two time stamps around the user half (MP1, MP8), minus the
 * calibrated cost of two adjacent stamps. The headline is measured with the clean kernel half; the
 * seven sections with its probed copy, each minus the cost of one stamp. All figures are round
 * trips. The residue, clean total minus sum of sections, is printed for every row. In a separate
 * pass the kernel counts each row's entries, by a breakpoint on its first instruction. */
#include "measure.h"
#include "const.h"
#include "lib.h"
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "row.h"
#include "toll.h"

#define BATCH 1000
#define BATCHES 5  /* if the counter is not exact: shorter batches, and their median */
#define TRIES 5    /* series of duels, if the first one is not clear */
#define HOLDS 50   /* tries of a control where time is counted: a busy host disturbs some */
#define DUELS 21   /* comparisons of two variants then ... */
#define DUEL 31    /* ... by this many samples of each */
#define ENTRIES 20 /* calls per row that the kernel counts */
#define STAMPS 8
#define SECTIONS (STAMPS - 1)
#define CONTROL_LENGTH (1 + 2 * LOOP_ROUNDS)
static struct toll_control control;
static volatile uint64_t *stamps;
static int64_t clean[SAMPLES_MAX], sections[SECTIONS][SAMPLES_MAX];
static unsigned samples;
static long pid;
static int64_t stamp_cost; /* time from one stamp's reading to the next one's */

static const void *at(uint64_t address)
{
        return (const void *)(uintptr_t)address;
}

/* Checks of the samples: each has fresh stamps, and a call returns the pid. The kernel's own count
 * proves that a row's gate enters the row's kernel half. */
static struct {
        unsigned long of, good;
} fresh, answered, stamped, entered;

/* The row with the fewest entries. */
static struct {
        unsigned long lacks;
        char id[sizeof((struct toll_row *)NULL)->id];
} worst;

static unsigned long lacking(void)
{
        return fresh.of - fresh.good + answered.of - answered.good + stamped.of - stamped.good +
               entered.of - entered.good;
}

/* A call's first stamp, after the last one of the call before. The counter of a busy host may stand
 * meanwhile: QEMU holds it where the host's own steps back (cpu_get_ticks()). */
static bool is_fresh(uint64_t last)
{
        return stamps[0] && (noise.exact ? stamps[0] > last : stamps[0] >= last);
}

/* Makes one call after the stamps were cleared, by a user half with MP1 and MP8. */
static long call_stamped(const void *half)
{
        for (unsigned s = 0; s < STAMPS; s++)
                stamps[s] = 0;
        return gate_call(half, NUMBER_getpid);
}

/* Clean totals into clean[]: MP1 and MP8 are fresh, and no stamp between them is. `answers`: the
 * result must be the pid. From each sample the cost of one stamp is subtracted, and the machine's
 * own offset, if its counter has one. */
static void sample_clean(const void *half, bool answers)
{
        uint64_t last = 0;
        int64_t over = stamp_cost + (half == at(control.pair[FLAVOUR_timed]) ? 0 : noise.offset);
        for (unsigned i = 0; i < WARM_UP + samples;) {
                long result = call_stamped(half);
                bool own = is_fresh(last) && stamps[7] >= stamps[0];
                for (unsigned s = 1; s < STAMPS - 1; s++)
                        own &= !stamps[s];
                last = stamps[7];
                fresh.of++;
                fresh.good += own;
                answered.of += answers;
                answered.good += answers && result == pid;
                int64_t ticks = (int64_t)(stamps[7] - stamps[0]) - over;
                clean[i < WARM_UP ? 0 : i - WARM_UP] = ticks;
                i += noise_keeps(ticks);
        }
}

/* The time between two stamps; adjacent stamps have no offset. */
static int64_t section_of(uint64_t from, uint64_t to)
{
        int64_t ticks = (int64_t)(to - from) - stamp_cost;
        return ticks ? ticks - noise.offset : 0;
}

/* Requires that all eight are fresh and increasing. */
static void sample_sections(const void *half)
{
        uint64_t last = 0;
        for (unsigned i = 0; i < WARM_UP + samples;) {
                call_stamped(half);
                unsigned to = i < WARM_UP ? 0 : i - WARM_UP;
                bool own = is_fresh(last);
                for (unsigned s = 0; s < SECTIONS; s++) {
                        own &= stamps[s + 1] >= stamps[s];
                        sections[s][to] = section_of(stamps[s], stamps[s + 1]);
                }
                last = stamps[7];
                stamped.of++;
                stamped.good += own;
                i += noise_keeps((int64_t)(stamps[7] - stamps[0]));
        }
}

/* A hit removes the breakpoint, so each call sets it again. The row is selected last, because any
 * other call disarms an exception's row. The other calls use INT 80h, like the row itself if that
 * is its gate: AX, the call's number, distinguishes them. A row that takes #DB itself is not
 * counted, and no row is on a machine without breakpoints. */
static void count_entries(int index, const struct toll_row *row)
{
        if (row->vector == VECTOR_DB || !counts_now().watch_hits)
                return;
        for (unsigned i = 0; i < ENTRIES; i++) {
                toll_call(NUMBER_toll_select, index, FLAVOUR_timed);
                uint32_t before = counts_now().watch_hits;
                toll_call(NUMBER_toll_watch, row->entry[0]);
                row_again(row, index, FLAVOUR_timed);
                gate_call(at(row->timed), NUMBER_getpid);
                struct toll_counts now = counts_now();
                entered.good += now.watch_hits == before + 1 &&
                                (row->alone || now.watch_ax == NUMBER_getpid);
        }
        toll_call(NUMBER_toll_watch, -1);
        entered.of += ENTRIES;
}

static void calibrate(void)
{
        struct statistics s;
        noise_pass();
        sample_clean(at(control.pair[FLAVOUR_timed]), false);
        statistics_of(&s, clean, samples);
        stamp_cost += noise.exact ? s.min : s.median;
        noise.stamp = noise.exact ? 0 : stamp_cost;
}

static __attribute__((noinline)) int64_t batch_ticks(const void *half, unsigned calls)
{
        uint64_t start = tsc();
        gate_batch(half, NUMBER_getpid, calls);
        return (int64_t)(tsc() - start);
}

/* The mean over a batch of calls, in hundredths. The loop's own cost is subtracted, measured with a
 * user half that only returns. */
static int64_t batch_mean(const void *half)
{
        int64_t means[BATCHES];
        unsigned batches = noise.exact ? 1 : BATCHES, calls = BATCH / batches;
        for (unsigned i = 0; i < batches; i++) {
                noise_wait();
                int64_t empty = batch_ticks(at(control.pair[FLAVOUR_clean]), calls);
                means[i] = divide_signed((batch_ticks(half, calls) - empty) * 100, calls);
        }
        return median_of(means, batches);
}

static int selected;

/* Any other call disarms the row, so the counter is read around the selection, too. */
static void pass_batch(const void *half, unsigned calls)
{
        toll_call(NUMBER_toll_select, selected, FLAVOUR_clean);
        gate_batch(half, NUMBER_getpid, calls);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
}

static const char *point(unsigned n)
{
        static const char *const points[STAMPS] = {"MP1", "MP2", "MP3", "MP4",
                                                   "MP5", "MP6", "MP7", "MP8"};
        return points[n];
}

static int64_t sections_sum(void)
{
        int64_t sum = 0;
        for (unsigned s = 0; s < SECTIONS; s++)
                sum += median_of(sections[s], samples);
        return sum;
}

static void record_sections(struct json *json)
{
        json_begin(json, "sections", '[');
        for (unsigned s = 0; s < SECTIONS; s++) {
                json_begin(json, NULL, '{');
                json_text(json, "from", point(s));
                json_text(json, "to", point(s + 1));
                json_number(json, "min", sections[s][0]);
                json_number(json, "median", median_of(sections[s], samples));
                json_end(json, '}');
        }
        json_end(json, ']');
}

/* Zero if the counter is exact. Otherwise a probe may delay the code around it, or overlap with it:
 * by at most its own cost plus a quarter of the row. */
static bool is_small(int64_t residue, int64_t total)
{
        int64_t size = residue < 0 ? -residue : residue;
        return size <= (noise.exact ? 0 : STAMPS * stamp_cost + total / 4);
}

static void skip(const struct toll_row *row, const char *why)
{
        print_skip(row->suite, row->id, why);
        print("  %-28s %-6s not here: %s\n", row->id, row->label, why);
}

/* A pass begins with calls of its own, which would disarm an exception's row. */
static void sample_row(int index, const struct toll_row *row)
{
        noise_pass();
        toll_call(NUMBER_toll_select, index, FLAVOUR_timed);
        sample_clean(at(row->timed), row->answers);
}

int64_t (*measure_more)(int index, const struct toll_row *, struct json *);

/* Its calls are in no count. */
void measure_once(int index, const struct toll_row *row, struct statistics *s)
{
        typeof(fresh) made = fresh, gave = answered;
        do {
                noise_try();
                sample_row(index, row);
                statistics_of(s, clean, samples);
        } while (noise_again(true));
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        fresh = made;
        answered = gave;
}

/* Each variant contains the paths of those before it. */
static const char *const nested[] = {"bare", "service", "nowork", "standard"};
#define NESTED (sizeof nested / sizeof *nested)

static const struct order *order;
static unsigned compared, in_rank;
static struct {
        char name[sizeof(((struct toll_row *)0)->id)]; /* origin/mechanism/ */
        size_t size;                                   /* of that */
        unsigned rows, kept;
        struct taken {
                int index;
                struct toll_row row;
                struct statistics s;
                int64_t batch;
        } of[NESTED + 2 * ORDERS]; /* rows that are compared with others */
} way;

static const char *variant(const struct toll_row *row)
{
        return row->id + way.size;
}

static const struct taken *find_taken(const char *name)
{
        for (unsigned i = 0; i < way.kept; i++)
                if (!strcmp(variant(&way.of[i].row), name))
                        return &way.of[i];
        return NULL;
}

/* Its index in `nested`; NESTED = none. */
static size_t place_of(const struct toll_row *row)
{
        size_t n = 0;
        while (n < NESTED && strcmp(variant(row), nested[n]))
                n++;
        return n;
}

/* An earlier row of the mechanism that this one contradicts: this one contains it and is cheaper,
 * or is contained and costs more. */
static const struct taken *contradicted(const struct toll_row *row, const struct statistics *s)
{
        size_t place = place_of(row);
        for (size_t n = 0; n < NESTED && place < NESTED && !noise.exact; n++) {
                const struct taken *other = find_taken(nested[n]);
                if (other && (n < place ? noise_above(other->s.median, s->median)
                                        : noise_above(s->median, other->s.median)))
                        return other;
        }
        return NULL;
}

/* The share of distant samples, in 1/256 of the median: shows which of two rows has changed. */
static int64_t spread_of(const struct statistics *s)
{
        return s->median > 0 ? divide_signed((s->p90 - s->min + s->high - s->low) * 256,
                                             (unsigned)s->median)
                             : INT64_MAX;
}

static void say_contradiction(char to[64], const struct toll_row *row, const struct toll_row *other)
{
        bool contains = place_of(other) < place_of(row);
        snprintf(to, 64, "its path %s that of %s, which takes %s",
                 contains ? "contains" : "is within", variant(other), contains ? "longer" : "less");
}

/* A row that still contradicts another after a second try: the one with the larger spread is
 * uncertain, or both if the spreads are alike. */
static void judge_contradiction(const struct toll_row *row, const struct statistics *s)
{
        static char mine[64];
        char reason[64];
        const struct taken *other = contradicted(row, s);
        if (!other)
                return;
        int64_t here = spread_of(s), there = spread_of(&other->s);
        say_contradiction(mine, row, &other->row);
        say_contradiction(reason, &other->row, row);
        if (2 * here >= there && !noise.why)
                noise.why = mine;
        if (2 * there >= here)
                print_noisy(row->suite, other->row.id, reason);
}

/* The median of a few samples of one of the two rows. */
static int64_t one_side(const struct taken *taken)
{
        unsigned all = samples;
        samples = DUEL;
        sample_row(taken->index, &taken->row);
        samples = all;
        return median_of(clean, DUEL);
}

/* The number of DUELS in which the longer row costs more. The two samples are so close in time that
 * both run at one speed. */
static unsigned duels_won(const struct taken *dear, const struct taken *cheap)
{
        unsigned won = 0;
        for (unsigned i = 0; i < DUELS; i++)
                won += one_side(dear) > one_side(cheap);
        return won;
}

/* An exact counter must show the order in the figures. Other figures may differ by as much as the
 * machine's speed. For them the order is right if it wins most duels of a series. If no series
 * shows that, the control has changed; if few of all duels are won, and the batches, the second
 * witness, do not show it either, the order is wrong. */
static bool in_order(const struct taken *dear, const struct taken *cheap)
{
        unsigned won = 0, series = 0, all = 0;
        if (noise.exact)
                return dear->s.median > cheap->s.median;
        for (; won * 4 < DUELS * 3 && series < TRIES; series++, all += won)
                won = duels_won(dear, cheap);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        if (all * 4 <= DUELS * series && dear->batch <= cheap->batch)
                return false;
        if (won * 4 < DUELS * 3) {
                char reason[112];
                snprintf(reason, sizeof reason, "%s above %s in %u of %u duels", dear->row.id,
                         variant(&cheap->row), all, DUELS * series);
                print_noisy("control", "control/order", reason);
        }
        return true;
}

static void close_way(bool whole)
{
        bool slight = false;
        for (unsigned i = 0; i < ORDERS && order[i].dear; i++) {
                const struct taken *dear = find_taken(order[i].dear),
                                   *cheap = find_taken(order[i].cheap);
                if (!dear || !cheap)
                        continue;
                slight = order[i].slight && !noise.exact;
                if (slight)
                        continue;
                compared++;
                in_rank += in_order(dear, cheap);
                return;
        }
        if (whole && !slight && way.rows > 1)
                check(false, "control/order", "%s has no two rows whose order is known", way.name);
}

static void begin_way(const struct toll_row *row, bool whole)
{
        if (way.rows && !strncmp(row->id, way.name, way.size) && !strchr(variant(row), '/'))
                return;
        close_way(whole);
        memset(&way, 0, sizeof way);
        for (size_t i = 0; row->id[i]; i++)
                if (row->id[i] == '/')
                        way.size = i + 1;
        memcpy(way.name, row->id, way.size);
}

static bool has_place(const struct toll_row *row)
{
        for (unsigned i = 0; i < ORDERS && order[i].dear; i++)
                if (!strcmp(variant(row), order[i].dear) || !strcmp(variant(row), order[i].cheap))
                        return true;
        return place_of(row) < NESTED;
}

static void keep(int index, const struct toll_row *row, const struct statistics *s, int64_t batch)
{
        way.rows++;
        if (has_place(row))
                way.of[way.kept++] = (struct taken){index, *row, *s, batch};
}

/* A call in a batch takes at least two thirds of one between stamps, because only stamps wait for
 * the code around them. */
static bool is_borne_out(const struct statistics *s, int64_t batch)
{
        return noise.exact || !noise_above(s->median, divide_signed(batch * 3, 200) + noise.stamp);
}

static void measure_row(int index, const struct toll_row *row, bool whole)
{
        static struct statistics s;
        struct json json;
        const void *half = at(row->clean);
        int64_t batch, residue, spread;

        begin_way(row, whole);
        do {
                noise_try();
                toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
                gate_batch(half, NUMBER_getpid, WARM_UP);
                batch = batch_mean(half);
                sample_row(index, row);
                noise_pass();
                toll_call(NUMBER_toll_select, index, FLAVOUR_probed);
                sample_sections(at(row->timed));
                statistics_of(&s, clean, samples);
                residue = s.median - sections_sum();
                toll_call(NUMBER_toll_select, TOLL_DEFAULT); /* for the yardstick's calls */
        } while (noise_again(is_small(residue, s.median) && !noise_within(&s) &&
                             is_borne_out(&s, batch) && !contradicted(row, &s)));
        count_entries(index, row);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        selected = index;
        noise_retired(pass_batch, half, at(control.pair[FLAVOUR_clean]));

        if (!noise.exact && !noise.why && !is_small(residue, s.median))
                noise.why = "its residue is more than its probes explain";
        else if (!noise.why && batch < 0)
                noise.why = "a call in a batch takes less than nothing";
        else if (!noise.why && !is_borne_out(&s, batch))
                noise.why = "its batch, the second witness, says otherwise";
        judge_contradiction(row, &s);
        result_open(&json, row->suite, row->id, row->label, &s);
        noise.small = !noise.why && s.median < noise.stamp - noise.stamp / NOISE_SMALL;
        if (noise.small)
                noise.why = "it takes less than 3/4 of a stamp, which is subtracted from it";
        json_hundredths(&json, "batch", batch);
        record_sections(&json);
        if (row->spared[0])
                json_text(&json, "spared", row->spared);
        json_number(&json, "probe", stamp_cost);
        json_number(&json, "residue", residue);
        print("  %-28s %-6s %6lld  residue %lld\n", row->id, row->label, (long long)s.median,
              (long long)residue);
        spread = s.max - s.min + (measure_more ? measure_more(index, row, &json) : 0);
        result_close(&json, row->suite, row->id);
        if (noise.exact)
                check(!residue && !spread, row->id, "residue %lld, spread %lld", (long long)residue,
                      (long long)spread);
        keep(index, row, &s, batch);
}

/* With an exact counter an empty pair reads 0, and a known loop its length. Otherwise the pair
 * reads less than half a stamp, and a loop of twice the length takes 1.25 to 4 times as long. */
static bool reads_nothing(const struct statistics *s)
{
        return noise.exact ? s->min == s->max && !s->median
                           : 2 * s->median < stamp_cost && 2 * s->median > -stamp_cost;
}

static int64_t twice; /* a loop of twice the length, if the counter is inexact or has an offset */

static void sample_twice(void)
{
        if (noise.exact && !noise.offset)
                return;
        noise_pass();
        sample_clean(at(control.twice[FLAVOUR_timed]), false);
        twice = median_of(clean, samples);
}

static bool reads_length(const struct statistics *s)
{
        if (noise.exact)
                return s->min == s->max && s->median == CONTROL_LENGTH &&
                       (!noise.offset || twice == CONTROL_LENGTH + 2 * LOOP_ROUNDS);
        return s->median > LOOP_ROUNDS / 4 && 4 * twice > 5 * s->median && twice < 4 * s->median;
}

static void measure_control(const char *id, const char *label, int64_t length, uint64_t half,
                            void (*before)(void), bool (*holds)(const struct statistics *s))
{
        static struct statistics s;
        unsigned tries = 0, held = 0;
        do {
                do {
                        noise_try();
                        before();
                        noise_pass();
                        sample_clean(at(half), false);
                        statistics_of(&s, clean, samples);
                } while (noise_again(true));
                held += holds(&s);
                tries++;
        } while (!noise.exact && held < tries && tries < (held ? TRIES : HOLDS));
        noise.why = NULL; /* this row's own readings decide */
        print_result("control", id, label, &s);
        check(held, id, "%lld of %lld", (long long)s.median, (long long)length);
        if (held && 2 * held < tries)
                print_noisy("control", id, "it has held in less than half of its tries");
}

static void measure_controls(void)
{
        measure_control("control/empty", "empty", 0, control.pair[FLAVOUR_timed], calibrate,
                        reads_nothing);
        measure_control("control/loop", "loop", CONTROL_LENGTH, control.loop[FLAVOUR_timed],
                        sample_twice, reads_length);
}

static void control_checks(bool whole)
{
        close_way(whole);
        if (!counts_now().watch_hits)
                print_skip("control", "control/entered", "no breakpoints: entries are not counted");
        if (worst.lacks)
                print("  %s lacks most of what a call proves\n", worst.id);
        check(!lacking(), "control/entered",
              "%lu of %lu calls answered, %lu of %lu stamped, %lu of %lu fresh, %lu of %lu entered",
              answered.good, answered.of, stamped.good, stamped.of, fresh.good, fresh.of,
              entered.good, entered.of);
        check(in_rank == compared, "control/order", "%s above %s in %u of %u mechanisms",
              order[0].dear, order[0].cheap, in_rank, compared);
}

static const char *suite, *only;
const char *(*measure_lack)(const struct toll_row *);

static void measure_rows(void)
{
        struct toll_row row;
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (strcmp(row.suite, suite) || (only && !strstr(row.id, only)) ||
                    !progress_row(row.id))
                        continue;
                unsigned long before = lacking();
                const char *lack = measure_lack ? measure_lack(&row) : NULL;
                if (row.missing[0] || lack)
                        skip(&row, lack ? lack : row.missing);
                else
                        measure_row(i, &row, !only);
                if (lacking() - before > worst.lacks) {
                        worst.lacks = lacking() - before;
                        memcpy(worst.id, row.id, sizeof worst.id);
                }
        }
}

int measure(char **argv, const char *name, const struct order orders[ORDERS])
{
        output_through(toll_call);
        suite = name;
        only = option(argv, "only");
        order = orders;
        samples = option_number(argv, "samples", 1000);
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
        noise_init(argv);
        measure_controls();
        progress_walk(argv, suite, measure_rows);
        control_checks(!only);
        toll_call(NUMBER_toll_quiet);
        toll_call(NUMBER_toll_register);
        return check_status();
}
