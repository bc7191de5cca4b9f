/* vsyscall - the cost of reading the time: by a function of the image, by its twin, by system call
 * through every gate; by a function that meets half an update, and reads once more or many times;
 * the cost of a bad pointer for each; the share of the fence; and the writer's part.
 *
 * A function is timed from its call instruction to the next one, with its arguments loaded; a
 * system call like the toll's rows, from MP1 to MP8 of its user half, with the standard kernel
 * half. The devices are quiet. */
#include "calls.h"
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "signals.h"
#include "vdso.h"

static int64_t ticks[SAMPLES_MAX];
static unsigned samples;
static const char *origin, *only;
static struct timespec good;
#define TO_GOOD (long)(uintptr_t)&good

static void record(const char *name)
{
        char id[64];
        static struct statistics s;
        statistics_of(&s, ticks, samples);
        snprintf(id, sizeof id, "%s/%s", origin, name);
        print_result("vsyscall", id, "vsyscall", &s);
        print("  %-36s %6lld\n", id, (long long)s.median);
}

static void skip(const char *name, const char *reason)
{
        char id[64];
        snprintf(id, sizeof id, "%s/%s", origin, name);
        print_skip("vsyscall", id, reason);
        print("  %-36s not here: %s\n", id, reason);
}

/* A row: whether to measure it now. */
static bool wanted(const char *name)
{
        char id[64];
        snprintf(id, sizeof id, "%s/%s", origin, name);
        return (!only || strstr(name, only)) && progress_row(id);
}

static int64_t stamps_apart; /* an empty pair */

static void sample_calls(void (*time)(const void *, long, long), const void *f, long a, long b)
{
        do {
                noise_try();
                noise_pass();
                for (unsigned i = 0; i < WARM_UP_LONG + samples;) {
                        time(f, a, b);
                        int64_t taken = (int64_t)(call_ended - call_begun) - stamps_apart;
                        ticks[i < WARM_UP_LONG ? 0 : i - WARM_UP_LONG] = taken;
                        i += noise_keeps(taken);
                }
        } while (noise_again(true));
}

static long retired_a, retired_b;

static void pass_calls(const void *f, unsigned calls)
{
        while (calls--)
                (f ? timed_call : timed_nothing)(f, retired_a, retired_b);
}

static void time_function(const char *name, const void *f, long a, long b)
{
        if (!wanted(name))
                return;
        sample_calls(timed_call, f, a, b);
        retired_a = a;
        retired_b = b;
        noise_retired(pass_calls, f, NULL);
        record(name);
}

static char **environment;

static void time_functions(void)
{
        static const struct {
                const char *name, *function;
                long a, b;
        } rows[] = {{"gettimeofday/function", "__vdso_gettimeofday", TO_GOOD, 0},
                    {"gettimeofday/twin", "__toll_gettimeofday", TO_GOOD, 0},
                    {"time/function", "__vdso_time", 0, 0},
                    {"time/twin", "__toll_time", 0, 0},
                    {"clock_gettime/function", "__vdso_clock_gettime", CLOCK_MONOTONIC, TO_GOOD},
                    {"clock_gettime/twin", "__toll_clock_gettime", CLOCK_MONOTONIC, TO_GOOD},
                    {"bad/function", "__vdso_gettimeofday", NOWHERE, 0},
                    {"bad/twin", "__toll_gettimeofday", NOWHERE, 0}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                time_function(rows[i].name, vdso_function(environment, rows[i].function), rows[i].a,
                              rows[i].b);
}

static void go_back(int signal, struct siginfo *info, struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)call_back;
}

static void time_fence(void)
{
        uint32_t ax = 1, bx, cx, dx;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "=c"(cx), "=d"(dx));
        time_function("rdtsc/none", (const void *)rdtsc_alone, 0, 0);
        if (dx >> 26 & 1)
                time_function("rdtsc/lfence", (const void *)rdtsc_behind_lfence, 0, 0);
        else if (wanted("rdtsc/lfence"))
                skip("rdtsc/lfence", "CPUID.01H:EDX.SSE2[bit 26] = 0");
}

/* --- half an update ----------------------------------------------------------------------------
 *
 * The reader is single-stepped, which counts its instructions. The writer ends during its last
 * failed pass. */

#define RDTSC "\x0f\x31"

static volatile unsigned passes, vain, steps;
static const void *volatile stepped;
static volatile bool inside;
static long stores; /* number of an update's stores */

static void store(long from, long to)
{
        while (from < to)
                stores = toll_call(NUMBER_toll_clock, from++);
}

static void step(int signal, struct siginfo *info, struct ucontext *uc)
{
        uintptr_t ip = uc->context.ip;
        inside = ip == (uintptr_t)stepped || (inside && ip != (uintptr_t)stepped_back);
        if (!inside)
                return;
        steps++;
        if (!memcmp((const void *)ip, RDTSC, 2) && ++passes == vain)
                store(1, stores);
}

static void time_retries(const void *f)
{
        static const struct {
                const char *name;
                unsigned retries;
        } rows[] = {{"retry/0", 0}, {"retry/1", 1}, {"retry/10", 10}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if (!wanted(rows[i].name))
                        continue;
                if (!noise.exact) {
                        skip(rows[i].name, "it is counted in instructions, by single steps");
                        continue;
                }
                vain = rows[i].retries;
                for (unsigned n = 0; n < samples; n++) {
                        passes = steps = 0;
                        for (unsigned update = 0; vain && update < 2; update++)
                                store(0, 1); /* every second one has a short span */
                        stepped_call(f, TO_GOOD, 0);
                        ticks[n] = steps + 1; /* plus the call instruction */
                }
                record(rows[i].name);
        }
}

static volatile uint64_t *stamps;
static int64_t user_stamps_apart;

static const struct call {
        const char *name;
        long number, a, b;
} calls[] = {{"gettimeofday", NUMBER_gettimeofday, TO_GOOD, 0},
             {"time", NUMBER_time, 0, 0},
             {"clock_gettime", NUMBER_clock_gettime, CLOCK_MONOTONIC, TO_GOOD},
             {"bad", NUMBER_gettimeofday, NOWHERE, 0}};

static void sample_half(const void *half, const struct call *c)
{
        do {
                noise_try();
                noise_pass();
                for (unsigned i = 0; i < WARM_UP_LONG + samples;) {
                        gate_call_with(half, c->number, c->a, c->b);
                        int64_t taken = (int64_t)(stamps[7] - stamps[0]) - user_stamps_apart;
                        ticks[i < WARM_UP_LONG ? 0 : i - WARM_UP_LONG] = taken;
                        i += noise_keeps(taken);
                }
        } while (noise_again(true));
}

static const struct call *retired_call;
static const void *empty_half;

static void pass_half(const void *half, unsigned rounds)
{
        while (rounds--)
                gate_call_with(half, retired_call->number, retired_call->a, retired_call->b);
}

static void time_row(int index, const struct toll_row *row, const char *gate)
{
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
                char name[48];
                snprintf(name, sizeof name, "%s/%s", calls[i].name, gate);
                if (!wanted(name))
                        continue;
                if (row->missing[0] || (calls[i].a == NOWHERE && row->quiet)) {
                        skip(name,
                             row->missing[0] ? row->missing : "its kernel half may not fault");
                        continue;
                }
                toll_call(NUMBER_toll_select, index, FLAVOUR_timed);
                sample_half((const void *)(uintptr_t)row->timed, &calls[i]);
                retired_call = &calls[i];
                noise_retired(pass_half, (const void *)(uintptr_t)row->timed, empty_half);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                record(name);
        }
}

/* The toll's standard variants: origin/gate/standard. */
static void time_gates(void)
{
        struct toll_row row;
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                char gate[sizeof row.id];
                size_t from = strlen(origin) + 1, size = strlen(row.id);
                if (strcmp(row.suite, "toll") || row.answers != TOLL_ANSWERS_calls || size < 9 ||
                    strcmp(row.id + size - 9, "/standard"))
                        continue;
                snprintf(gate, sizeof gate, "%s", row.id + from);
                gate[size - 9 - from] = 0;
                time_row(i, &row, gate);
        }
}

/* A tick's work for the time, minus an empty call. */
static void time_writer(void)
{
        if (!wanted("writer/tick"))
                return;
        sample_calls(timed_call, (const void *)(toll_call), NUMBER_toll_clock, TOLL_NO_TICK);
        int64_t nothing = median_of(ticks, samples);
        sample_calls(timed_call, (const void *)(toll_call), NUMBER_toll_clock, TOLL_TICK);
        for (unsigned i = 0; i < samples; i++)
                ticks[i] -= nothing;
        record("writer/tick");
}

static void time_all(void)
{
        time_functions();
        time_fence();
        time_retries(stepped);
        time_gates();
        time_writer();
}

int main(int argc, char **argv, char **envp)
{
        environment = envp;
        struct toll_control control;
        output_through(toll_call);
        only = option(argv, "only");
        samples = option_number(argv, "samples", 1000);
        samples = samples && samples <= SAMPLES_MAX ? samples : SAMPLES_MAX;
        origin = program_origin(argv[0]);
        stepped = vdso_function(environment, "__vdso_gettimeofday");
        if (toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control) ||
            toll_call(NUMBER_toll_register, 1)) {
                print("vsyscall: only what the kernel's command line names may measure: "
                      "suite=vsyscall\n");
                return 2;
        }
        stamps = (volatile uint64_t *)(uintptr_t)control.probe_page;
        signal_act(SIGSEGV, go_back, SA_SIGINFO, 0);
        signal_act(SIGTRAP, step, SA_SIGINFO, 0);
        toll_call(NUMBER_toll_quiet, 1);
        noise_init(argv);
        sample_calls(timed_nothing, NULL, 0, 0);
        stamps_apart = median_of(ticks, samples);
        empty_half = (const void *)(uintptr_t)control.pair[FLAVOUR_timed];
        sample_half(empty_half, &calls[0]);
        user_stamps_apart = median_of(ticks, samples);
        progress_walk(argv, "vsyscall", time_all);
        toll_call(NUMBER_toll_quiet, 0);
        toll_call(NUMBER_toll_register, 0);
        return check_status();
}
