/* wc.c - counts lines, words and bytes (-l, -w, -c: only those). */
#include "console.h"

enum { LINES, WORDS, BYTES, COUNTS };

static unsigned long total[COUNTS];
static int wanted;
static bool named;

static void show(const unsigned long *counts, const char *name)
{
        const char *space = "";
        for (int i = 0; i < COUNTS; i++) {
                if (wanted & 1 << i) {
                        put_format(1, "%s%lu", space, counts[i]);
                        space = " ";
                }
        }
        put_format(1, "%s%s\n", *name ? " " : "", name);
}

static long count(int descriptor, const char *path)
{
        static char block[4096];
        unsigned long counts[COUNTS] = {0};
        bool in_word = false;
        long got;
        while ((got = read(descriptor, block, sizeof block)) > 0) {
                counts[BYTES] += (unsigned long)got;
                for (long i = 0; i < got; i++) {
                        bool space = block[i] == ' ' || (block[i] >= '\t' && block[i] <= '\r');
                        counts[LINES] += block[i] == '\n';
                        counts[WORDS] += !space && !in_word;
                        in_word = !space;
                }
        }
        if (got < 0)
                return got;
        for (int i = 0; i < COUNTS; i++)
                total[i] += counts[i];
        show(counts, named ? path : "");
        return 0;
}

int main(int argc, char **argv)
{
        wanted = options_take(&argv, "lwc");
        if (wanted < 0)
                return usage("wc [-lwc] [FILE...]");
        if (!wanted)
                wanted = (1 << COUNTS) - 1;
        named = *argv;
        int status = for_each_file("wc", argv, count);
        if (*argv && argv[1])
                show(total, "total");
        return status;
}
