/* main.c - the cost of switching to another task, address space or process.
 *
 * Timed around C: without fences, on a quiet machine. */
#include "switch.h"
#include "progress.h"
#include "toll.h"
#include "vdso.h"

const char *origin;
unsigned samples;
int64_t ticks[SAMPLES_MAX];
static int64_t pair;
static struct toll_row part; /* at each switch; its id ends the rows' */

void keep(int64_t took)
{
        ticks[noise.kept < WARM_UP ? 0 : noise.kept - WARM_UP] = took;
        noise_keeps(took);
}

void record(const char *what)
{
        static struct statistics s;
        char id[40];
        for (unsigned i = 0; i < samples; i++)
                ticks[i] -= pair;
        statistics_of(&s, ticks, samples);
        snprintf(id, sizeof id, "%s/%s%s", origin, what, part.id);
        print_result("switch", id, "switch", &s);
        print("  %-28s %6lld\n", id, (long long)s.median);
}

bool begins(const char *what)
{
        char id[40];
        snprintf(id, sizeof id, "%s/%s%s", origin, what, part.id);
        if (!part.missing[0])
                return progress_row(id);
        skip(what, part.missing);
        return false;
}

void skip(const char *what, const char *reason)
{
        char id[40];
        snprintf(id, sizeof id, "%s/%s%s", origin, what, part.id);
        if (!progress_row(id))
                return;
        print_skip("switch", id, reason);
        print("  %-28s not here: %s\n", id, reason);
}

void quiet(bool on)
{
        toll_call(NUMBER_toll_quiet, on);
}

static void calibrate(void)
{
        pair = 0;
        MEASURE(, );
        pair = median_of(ticks, samples);
}

static bool trusted;
static const void *direct;

static void measure_all(void)
{
        int i = 0;
        do {
                measure_ipc(direct);
                measure_turns();
        } while (!toll_call(NUMBER_toll_part, i++, &part));
        part.id[0] = part.missing[0] = 0;
        if (trusted) {
                measure_cr3();
                measure_task();
        }
        measure_ipc_with_tls();
}

int main(int argc, char **argv, char **environment)
{
        origin = program_origin(argv[0]);
        trusted = !strcmp(origin, "trusted");
        samples = option_number(argv, "samples", 1000);
        samples = samples && samples <= SAMPLES_MAX ? samples : SAMPLES_MAX;
        noise_init(argv);
        quiet(true);
        calibrate();
        quiet(false);
        if (trusted) /* the direct call */
                direct = (const void *)auxiliary(environment, AT_SYSINFO);
        progress_walk(argv, "switch", measure_all);
        return check_status();
}
