/*
 * toll.c - the cost of a system call, by every way into ring 0.
 *
 * only=align: standard rows, each also with its entry at every place in a line of 64 bytes. The
 * best place and the worst are measured again, so their figures are not chosen for their luck.
 */
#include "lib.h"
#include "measure.h"
#include "noise.h"
#include "statistics.h"

#define LINE 64

static int64_t median_at(long place, int index, const struct toll_row *row, const char *name)
{
        static struct statistics s;
        if (toll_call(NUMBER_toll_align, place) < 0)
                check(false, row->id, "its entry cannot be moved");
        measure_once(index, row, &s);
        if (name)
                print("%s %lld (%lld to %lld) at %ld,", name, (long long)s.median, (long long)s.low,
                      (long long)s.high, place);
        return s.median;
}

static void align(int index, const struct toll_row *row)
{
        int64_t medians[LINE];
        long usual = toll_call(NUMBER_toll_align, 0), best = 0, worst = 0;
        for (long at = 0; at < LINE; at++) {
                medians[at] = median_at(at, index, row, NULL);
                best = medians[at] < medians[best] ? at : best;
                worst = medians[at] > medians[worst] ? at : worst;
        }
        if (noise.exact) {
                check(best == worst, row->id, "%lld to %lld, wherever its entry is",
                      (long long)medians[best], (long long)medians[worst]);
                print("  instructions are counted: nothing of its alignment is to be seen here\n");
        } else {
                int64_t least = median_at(best, index, row, "    alignment: best");
                int64_t most = median_at(worst, index, row, " worst");
                print(" spread %lld\n", (long long)(most - least));
        }
        toll_call(NUMBER_toll_align, usual);
}

int main(int argc, char **argv)
{
        static char standard[] = "only=/standard";
        static const struct order orders[] = {{"standard", "bare", false},
                                              {"standard", "nowork", true}};
        for (int i = 0; i < argc; i++)
                if (!strcmp(argv[i], "only=align")) {
                        argv[i] = standard;
                        measure_behind = align;
                }
        return measure(argv, "toll", orders);
}
