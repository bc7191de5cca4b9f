/* toll.c - the cost of a system call, by every way into ring 0.
 *
 * only=align: standard rows, each also with its entry at every place in a line of 64 bytes;
 * only=align/TEXT: those whose id has /TEXT. The best place and the worst are measured again,
 * so their figures are not chosen for their luck. */
#include "lib.h"
#include "measure.h"
#include "noise.h"
#include "statistics.h"

#define LINE 64

static struct statistics *measure_at(long place, int index, const struct toll_row *row)
{
        static struct statistics s;
        if (toll_call(NUMBER_toll_align, place) < 0)
                check(false, row->id, "its entry cannot be moved");
        measure_once(index, row, &s);
        return &s;
}

static int64_t median_of_end(const char *name, long place, int index, const struct toll_row *row,
                             struct json *json)
{
        struct statistics *s = measure_at(place, index, row);
        print(" %s %lld (%lld to %lld) at %ld,", name, (long long)s->median, (long long)s->low,
              (long long)s->high, place);
        json_begin(json, name, '{');
        json_number(json, "at", place);
        json_number(json, "median", s->median);
        json_number(json, "low", s->low);
        json_number(json, "high", s->high);
        json_end(json, '}');
        return s->median;
}

static int64_t align(int index, const struct toll_row *row, struct json *json)
{
        struct noise own = noise; /* of the row, whose record is still open */
        int64_t medians[LINE];
        long usual = toll_call(NUMBER_toll_align, 0), best = 0, worst = 0;
        json_begin(json, "places", '[');
        for (long at = 0; at < LINE; at++) {
                medians[at] = measure_at(at, index, row)->median;
                json_number(json, NULL, medians[at]);
                best = medians[at] < medians[best] ? at : best;
                worst = medians[at] > medians[worst] ? at : worst;
        }
        json_end(json, ']');
        if (noise.exact) {
                print("  instructions are counted: nothing of its alignment is to be seen here\n");
        } else {
                print("    alignment:");
                int64_t least = median_of_end("best", best, index, row, json);
                int64_t most = median_of_end("worst", worst, index, row, json);
                print(" spread %lld\n", (long long)(most - least));
        }
        toll_call(NUMBER_toll_align, usual);
        noise = own;
        return medians[worst] - medians[best];
}

int main(int argc, char **argv)
{
        static char standard[] = "only=/standard";
        static const struct order orders[] = {{"standard", "bare", false},
                                              {"standard", "nowork", true}};
        for (int i = 0; i < argc; i++)
                if (!strncmp(argv[i], "only=align", 10)) {
                        argv[i] = argv[i][10] ? memcpy(argv[i] + 5, "only=", 5) : standard;
                        measure_more = align;
                }
        return measure(argv, "toll", orders);
}
