/* timing.c - takes and prints samples of reads. */
#include "timing.h"
#include "kernel.h"

KERNEL_FUNCTION_MAYBE(long, ladder_read, const struct ladder *ask);
KERNEL_FUNCTION_MAYBE(uintptr_t, limit_get, void);
KERNEL_FUNCTION_MAYBE(void, limit_set, uintptr_t limit);
KERNEL_DATA_MAYBE(uint8_t, ladder_buffer);

const char *suite, *origin;
static const char *only;
unsigned samples;
static int64_t ticks[SAMPLES_MAX];
uint32_t stamps[WARM_UP + SAMPLES_MAX];
uint8_t own_buffer[LADDER_ROOM];
static const void *nothing; /* a user half that only returns */

bool wanted(const char *id)
{
        return (!only || strstr(id, only)) && progress_row(id);
}

void note(const char *id, const char *label, int64_t pair)
{
        static struct statistics s;
        for (unsigned i = 0; i < samples; i++)
                ticks[i] = (int64_t)stamps[WARM_UP + i] - pair;
        statistics_of(&s, ticks, samples);
        print_result(suite, id, label, &s);
        print("  %-30s %6lld\n", id, (long long)s.median);
}

int64_t median_of_stamps(void)
{
        for (unsigned i = 0; i < samples; i++)
                ticks[i] = stamps[WARM_UP + i];
        return median_of(ticks, samples);
}

int64_t pair_cost(void)
{
        for (unsigned i = 0; i < WARM_UP + samples; i++)
                stamps[i] = timed_return(nothing);
        return median_of_stamps();
}

bool is_gate(const struct toll_row *row, char gate[16])
{
        const char *at = row->id + strlen(origin) + 1, *end = strchr(at, '/');
        if (strcmp(row->suite, "toll") || !end || strcmp(end, "/standard") || row->missing[0] ||
            row->answers != TOLL_ANSWERS_calls || row->quiet || end - at >= 16)
                return false;
        memcpy(gate, at, (size_t)(end - at));
        gate[end - at] = 0;
        return true;
}

bool is_usual(const char *gate)
{
        return !strcmp(gate, WIDE && !kernel_ladder_read ? "syscall" : "int");
}

const void *usual_half(int *index)
{
        struct toll_row row;
        char gate[16];
        for (*index = 0; !toll_call(NUMBER_toll_row, *index, &row); ++*index)
                if (is_gate(&row, gate) && is_usual(gate))
                        return (const void *)(uintptr_t)row.clean;
        return NULL;
}

unsigned sample_count(char **argv)
{
        unsigned count = option_number(argv, "samples", 1000);
        return count && count <= SAMPLES_MAX ? count : SAMPLES_MAX;
}

bool begin(char **argv, const char *name)
{
        struct toll_control control;
        suite = name;
        output_through(toll_call);
        only = option(argv, "only");
        samples = sample_count(argv);
        origin = program_origin(argv[0]);
        if (toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control) ||
            toll_call(NUMBER_toll_quiet, 1)) {
                print("%s: only what Tollgate's command line names may measure: suite=%s\n", name,
                      name);
                return false;
        }
        nothing = (const void *)(uintptr_t)control.pair[FLAVOUR_clean];
        return true;
}
