/* measure.c - each control and check of the measuring program (user/lib/measure.c) can fail: an
 * invented machine is first right and then has one fault. Its counter is exact, or the program does
 * not know that it is. */
#define tsc tsc_of_this_machine
#include "unit.h"
#include "lib.h"
#undef tsc
#include "const.h"
#include "progress.h"
#undef skip

enum {
        PID = 7,
        PROBE_COST = 11, /* cost from one stamp's reading to the next one's */
        ROWS = 2,        /* standard and bare */
        N = 300,
        STALL = 100000,
        ONCE = 200 /* the call in which something happens once: in a sample, not in the warm-up */
};

static enum fault {
        NOTHING,
        ANSWER,       /* a call returns another number */
        STALE,        /* a sample has the stamps of the one before it */
        STALE_PROBED, /* ... in the probed copy */
        BETWEEN,      /* the clean half stamps between its two stamps */
        UNORDERED,    /* a probe stamps before the probe in front of it */
        UNWRITTEN,    /* a probe writes nothing */
        ELSEWHERE,    /* the gate leads to another row's half */
        ONLY_ONCE,    /* it leads to the right half once, but not again */
        OTHER_CALL,   /* another call uses the row's half */
        RANK,         /* bare takes as long as standard */
        RANK_UNKNOWN, /* no row is known to take longer */
        RESIDUE,      /* the clean half is longer than its sections */
        SPREAD,       /* a sample is longer */
        EMPTY,        /* two stamps with nothing between them are not 0 */
        EMPTY_ONCE,
        LOOP, /* the loop of known length is an instruction longer */
        LOOP_ONCE,
        BELOW,       /* a sample is shorter than two stamps with nothing between them */
        BATCH_BELOW, /* a batch is shorter than an empty one */
        SECOND,      /* every second sample of standard takes twice as long */
        FIFTH,       /* ... every fifth */
        DRIFT,       /* ... the second half of them takes a third longer */
        DOUBLE,      /* all samples do, but not in a batch */
        LATE,        /* the loop is twice as long, but not any more after some tries */
        LOOP_ALWAYS, /* it always is */
        INSIDE,      /* bare takes twice as long as standard, which contains it */
        SILENT,      /* nothing stamps */
        STAMPED,     /* standard is as short as bare between stamps, and not in a batch */
        STANDING     /* the counter stands from one call's last stamp to the end of the next */
} fault;

enum { PAIR, LONG, LONGER, FIRST_ROW, HALVES = FIRST_ROW + ROWS };
static const char half_of[HALVES];
static const unsigned length_of[] = {0, 1 + 2 * LOOP_ROUNDS, 1 + 4 * LOOP_ROUNDS};
static uint64_t now, page[8], before[8];
static unsigned passed[HALVES][FLAVOURS];
static int flavour;
static long watched;
static struct toll_counts counted;
static char failed[200], uncertain[200];
static unsigned scale = 1; /* scale of the rows, so that a stamp is short beside them */
static unsigned checks, noisy;
static bool exact = true;
static bool stands;
static unsigned stalls; /* one in this many stamps is late, as on a busy host */

static uint64_t tsc(void)
{
        return now;
}

static void row_of(long index, struct toll_row *to)
{
        static const char *const names[] = {"standard", "bare"}, *const strange[] = {"a", "b"};
        *to = (struct toll_row){.suite = "toll", .label = "int8", .answers = !index};
        snprintf(to->id, sizeof to->id, "user/int/%s",
                 (fault == RANK_UNKNOWN ? strange : names)[index]);
        to->clean = to->timed = (uintptr_t)&half_of[FIRST_ROW + index];
        to->entry[0] = 100 + (unsigned)index;
}

static void controls_of(struct toll_control *to)
{
        to->probe_page = (uintptr_t)page;
        for (unsigned i = 0; i < 2; i++) {
                to->pair[i] = (uintptr_t)&half_of[PAIR];
                to->loop[i] = (uintptr_t)&half_of[LONG];
                to->twice[i] = (uintptr_t)&half_of[LONGER];
        }
}

static long tell(long index, void *to)
{
        if (index == TOLL_CONTROLS)
                controls_of(to);
        else if (index == TOLL_COUNTS)
                *(struct toll_counts *)to = counted;
        else if (index >= 0 && index < ROWS)
                row_of(index, to);
        else
                return -1;
        return 0;
}

long(toll_call)(long number, ...)
{
        va_list arguments;
        va_start(arguments, number);
        long a = va_arg(arguments, long), b = va_arg(arguments, long);
        va_end(arguments);
        if (number == NUMBER_toll_row)
                return tell(a, (void *)b);
        if (number == NUMBER_toll_select)
                flavour = (int)b;
        if (number == NUMBER_toll_watch)
                watched = a;
        if (number == NUMBER_getpid)
                now += 100; /* a yardstick */
        return number == NUMBER_getpid ? PID : 0;
}

static void stamp_at(unsigned n, uint64_t length)
{
        if (!stands)
                now += length + PROBE_COST + (stalls && !chance_below(stalls) ? STALL : 0);
        page[n] = fault == SILENT ? 0 : now;
}

/* A row's sections are 5 0 0 5 0 0 5, those of bare 1 0 0 1 0 0 1. */
static unsigned section_length(int row, unsigned n)
{
        return n % 3 ? 0 : row && fault != RANK && fault != STAMPED ? 1 : 5;
}

static unsigned total_length(int row)
{
        unsigned times = fault == INSIDE && row ? 10 : 1;
        return 3 * section_length(row, 0) * scale * times + (fault == RESIDUE);
}

/* The slowness of a sample of standard, in percent. */
static unsigned slowness(int of)
{
        unsigned call = passed[FIRST_ROW][of];
        bool twice =
                fault == DOUBLE || (fault == SECOND && call % 2) || (fault == FIFTH && !(call % 5));
        return twice ? 200 : fault == DRIFT && call % (100 + N) > 100 + N / 2 ? 133 : 100;
}

static void pass_probed(int row, bool once, unsigned percent)
{
        for (unsigned n = 0; n < 7; n++)
                stamp_at(n + 1, n % 3 ? 0 : total_length(row) * percent / 300);
        if (fault == UNORDERED && once)
                page[3] = page[2] - 1;
        if (fault == UNWRITTEN && once)
                page[5] = 0;
        if (fault == STALE_PROBED && once)
                memcpy(page, before, sizeof page);
        memcpy(before, page, sizeof page);
}

static void pass_row(int row, bool once)
{
        unsigned percent = row ? 100 : slowness(flavour);
        stands = fault == STANDING && once;
        if (stands)
                now = before[7];
        stamp_at(0, 0);
        if (flavour == FLAVOUR_probed) {
                pass_probed(row, once, percent);
                return;
        }
        if (fault == BETWEEN && once)
                page[4] = now;
        stamp_at(7, fault == BELOW && once
                            ? (uint64_t)-1
                            : total_length(row) * percent / 100 + (fault == SPREAD && once));
        if (fault == STALE && once)
                memcpy(page, before, sizeof page);
        memcpy(before, page, sizeof page);
}

static void enter(int row, long number)
{
        if (watched != 100 + row || fault == ELSEWHERE || (fault == ONLY_ONCE && counted.watch_ax))
                return;
        counted.watch_hits++;
        counted.watch_ax = fault == OTHER_CALL ? NUMBER_toll_select : (uint32_t)number;
        watched = -1;
}

/* The first pass of a control calibrates it. */
static void pass_control(int which, bool once)
{
        bool calibrated = passed[PAIR][0] > 100 + N;
        unsigned more = which == PAIR ? (fault == EMPTY && calibrated) ||
                                                (fault == EMPTY_ONCE && calibrated && once)
                        : which == LONG ? fault == LOOP || (fault == LOOP_ONCE && once)
                                        : 0;
        if (which == LONG &&
            (fault == LOOP_ALWAYS || (fault == LATE && passed[LONG][0] < 20 * (100 + N))))
                more = length_of[LONG];
        stamp_at(0, 0);
        stamp_at(7, length_of[which] + more);
}

long gate_call(const void *half, long number)
{
        int which = (int)((const char *)half - half_of), row = which - FIRST_ROW;
        unsigned call = passed[which][row < 0 ? 0 : flavour]++;
        if (row < 0) {
                pass_control(which, call % (100 + N) == ONCE);
                return PID;
        }
        pass_row(row, call == ONCE);
        enter(row, number);
        return fault == ANSWER && call == ONCE ? PID + 1 : PID;
}

void gate_batch(const void *half, long number, unsigned long rounds)
{
        int row = (int)((const char *)half - half_of) - FIRST_ROW;
        unsigned shorter = fault == STAMPED && row > 0 ? total_length(row) / 5 : 0;
        now += rounds * (row < 0 ? 3 : fault == BATCH_BELOW ? 2 : 3 + total_length(row) - shorter);
}

bool check(bool ok, const char *name, const char *format, ...)
{
        checks++;
        if (!ok && !strstr(failed, name))
                strcat(strcat(failed, failed[0] ? " " : ""), name);
        return ok;
}

int check_status(void)
{
        return !!failed[0];
}

unsigned option_number(char **argv, const char *name, unsigned otherwise)
{
        return !strcmp(name, "samples") ? N : !strcmp(name, "exact") ? exact : otherwise;
}

const char *option(char **argv, const char *name)
{
        return NULL;
}

void print(const char *format, ...)
{
}

void print_record(struct json *json)
{
        static const char *const ids[] = {"user/int/standard", "user/int/bare"};
        for (size_t i = 0; strstr(json->to, "\"noisy\"") && i < sizeof ids / sizeof *ids; i++)
                if (strstr(json->to, ids[i]) && !strstr(uncertain, ids[i]))
                        strcat(strcat(uncertain, uncertain[0] ? " " : ""), ids[i]);
}

void output_through(long (*call)(long, ...))
{
}

void status_noisy(void)
{
        noisy++;
}

void progress_walk(char **argv, const char *name, void (*walk)(void))
{
        walk();
}

bool progress_row(const char *id)
{
        return id[0];
}

#undef CALLS
#include "../../user/lib/noise.c"
#include "../../user/lib/measure.c"

static const char *failed_with(enum fault one)
{
        static char *no_words[] = {NULL};
        static const struct order orders[ORDERS] = {{"standard", "bare", false}};
        fault = one;
        failed[0] = uncertain[0] = 0;
        memset(passed, 0, sizeof passed);
        memset(page, 0, sizeof page);
        memset(&way, 0, sizeof way);
        noise = (struct noise){.exact = true, .longest = INT64_MAX};
        fresh.of = fresh.good = answered.of = answered.good = 0;
        stamped.of = stamped.good = entered.of = entered.good = worst.lacks = 0;
        checks = noisy = compared = in_rank = 0;
        stamp_cost = 0;
        counted = (struct toll_counts){.watch_hits = 1};
        watched = -1;
        int status = measure(no_words, "toll", orders);
        assert_int_equal(status, !!failed[0]);
        if (one < SECOND)
                assert_int_equal(noisy, one >= BELOW ? ROWS : 0);
        return failed;
}

/* Two controls, two rows, the checks of the calls, and the order; every call is a sample. */
static void a_whole_machine_passes(void **state)
{
        assert_string_equal(failed_with(NOTHING), "");
        assert_int_equal(checks, 6);
        for (unsigned row = FIRST_ROW; row < HALVES; row++) {
                assert_int_equal(passed[row][FLAVOUR_timed], WARM_UP + N + ENTRIES);
                assert_int_equal(passed[row][FLAVOUR_probed], WARM_UP + N);
        }
        assert_int_equal(stamp_cost, PROBE_COST);
        assert_int_equal(answered.of, WARM_UP + N);
        assert_int_equal(entered.of, ROWS * ENTRIES);
}

static void each_control_fails_where_it_must(void **state)
{
        static const struct {
                enum fault fault;
                const char *failed;
        } cases[] = {{ANSWER, "control/entered"},
                     {STALE, "control/entered"},
                     {STALE_PROBED, "control/entered"},
                     {BETWEEN, "control/entered"},
                     {UNORDERED, "control/entered"},
                     {UNWRITTEN, "control/entered"},
                     {ELSEWHERE, "control/entered"},
                     {ONLY_ONCE, "control/entered"},
                     {OTHER_CALL, "control/entered"},
                     {RANK, "control/order"},
                     {RANK_UNKNOWN, "control/order"},
                     {RESIDUE, "user/int/standard user/int/bare"},
                     {SPREAD, "user/int/standard user/int/bare"},
                     {EMPTY, "control/empty"},
                     {EMPTY_ONCE, "control/empty"},
                     {LOOP, "control/loop"},
                     {LOOP_ONCE, "control/loop"},
                     {BELOW, "user/int/standard user/int/bare"},
                     {BATCH_BELOW, ""},
                     {STANDING, "user/int/standard user/int/bare control/entered"}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                assert_string_equal(failed_with(cases[i].fault), cases[i].failed);
        failed_with(ANSWER);
        assert_string_equal(worst.id, "user/int/standard");
        assert_string_equal(failed_with(NOTHING), "");
        assert_int_equal(worst.lacks, 0);
}

/* Duels decide the order: standard costs more than bare in all of a series, or in none of any. */
static void without_an_exact_counter_the_order_is_fought_out(void **state)
{
        exact = false;
        scale = 40;
        assert_string_equal(failed_with(NOTHING), "");
        assert_int_equal(passed[FIRST_ROW][FLAVOUR_timed],
                         2 * (WARM_UP + N) + ENTRIES + DUELS * (WARM_UP + DUEL));
        assert_string_equal(failed_with(RANK), "control/order");
        assert_string_equal(failed_with(STAMPED), "");
        assert_int_equal(noisy, 1);
        assert_string_equal(failed_with(LATE), "");
        assert_string_equal(failed_with(STANDING), "");
        assert_string_equal(failed_with(STALE), "control/entered");
        assert_non_null(strstr(failed_with(SILENT), "control/entered"));
        assert_string_equal(failed_with(LOOP_ALWAYS), "control/loop");
        exact = true;
        scale = 1;
}

/* Names uncertain times: a row by its own samples, by its batch, or by a row that it contains. */
static void what_is_uncertain_is_named(void **state)
{
        static const struct {
                enum fault fault;
                const char *named;
        } cases[] = {{NOTHING, ""},
                     {SECOND, "user/int/standard"},
                     {FIFTH, "user/int/standard"},
                     {DRIFT, "user/int/standard"},
                     {DOUBLE, "user/int/standard"},
                     {INSIDE, "user/int/standard user/int/bare"}};
        exact = false;
        scale = 40;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                failed_with(cases[i].fault);
                assert_string_equal(uncertain, cases[i].named);
        }
        scale = 1;
        failed_with(NOTHING);
        assert_string_equal(uncertain, "user/int/bare");
        assert_int_equal(noisy, 0); /* shorter than a stamp: it cannot be otherwise */
        exact = true;
}

/* A sample with a stall is taken again. An exact counter has no stalls: there they are samples. */
static void stalls_are_kept_out_of_the_rows(void **state)
{
        static const unsigned each[] = {2000, 500, 200};
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
                stalls = each[i];
                exact = false;
                scale = 40;
                assert_string_equal(failed_with(NOTHING), "");
                for (unsigned n = 0; n < N; n++)
                        assert_true(clean[n] < STALL);
        }
        exact = true;
        scale = 1;
        assert_string_not_equal(failed_with(NOTHING), "");
        stalls = 0;
}

/* Always, in every unit, a row below zero is reported as noisy. But a control is judged by its
 * reading. */
static void a_row_below_zero_is_noisy(void **state)
{
        static const struct {
                const char *suite;
                int64_t median;
                unsigned noisy;
        } cases[] = {{"toll", -176, 1}, {"toll", -1, 1}, {"toll", 0, 0}, {"control", -1, 0}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                for (unsigned exact = 0; exact < 2; exact++) {
                        static struct statistics s;
                        s.min = s.median = cases[i].median;
                        noisy = 0;
                        noise.why = NULL;
                        noise.exact = exact;
                        print_result(cases[i].suite, "user/sysenter/bare", "sep4", &s);
                        assert_int_equal(noisy, cases[i].noisy);
                }
        noise.why = NULL;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_whole_machine_passes),
                cmocka_unit_test(each_control_fails_where_it_must),
                cmocka_unit_test(without_an_exact_counter_the_order_is_fought_out),
                cmocka_unit_test(what_is_uncertain_is_named),
                cmocka_unit_test(stalls_are_kept_out_of_the_rows),
                cmocka_unit_test(a_row_below_zero_is_noisy)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
