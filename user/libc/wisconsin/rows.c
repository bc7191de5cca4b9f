/* rows.c - the rows of the Wisconsin benchmark: generates sql-bench's onek.data and tenk.data.
 *
 * unique1 is a permutation by a multiplicative generator modulo a prime (DeWitt, The Wisconsin
 * Benchmark: Past, Present, and Future, "rand"); unique2 counts. All other columns follow from
 * these two. In a table below ten thousand rows `hundred`, `thousand`, ... are modulo a tenth. */
#include "bench.h"
#include <string.h>

const char *const columns[16] = {
        "unique1",     "unique2",   "two",      "four", "ten",  "twenty",   "hundred",  "thousand",
        "twothousand", "fivethous", "tenthous", "odd",  "even", "stringu1", "stringu2", "string4"};

static struct {
        unsigned rows, prime, factor, seed, next;
} made;

void row_begin(unsigned rows)
{
        made.rows = rows;
        made.prime = rows > 1000 ? 10007 : 1009;
        made.factor = rows > 1000 ? 2969 : 279;
        made.seed = made.factor;
        made.next = 0;
}

static unsigned unique(void)
{
        do
                made.seed = made.seed * made.factor % made.prime;
        while (made.seed > made.rows);
        return made.seed - 1;
}

/* Digits in base 26, lowest first. */
static void letters(char *to, unsigned value, unsigned digits)
{
        for (unsigned i = 0; i < 6; i++) {
                to[i] = (char)('A' + (i < digits ? value % 26 : 0));
                value /= 26;
        }
        to[6] = 0;
}

int row_next(struct row *to)
{
        static const char *const string4[] = {"AAAAxx", "HHHHxx", "OOOOxx", "VVVVxx"};
        if (made.next == made.rows)
                return 0;
        const int u = (int)unique(), n = (int)made.next++, tenth = made.rows > 1000 ? 1 : 10;
        const int hundred = u % (100 / tenth);
        const struct row row = {.number = {u, n, u % 2, u % 4, u % 10, u % 20, hundred,
                                           u % (1000 / tenth), u % (2000 / tenth),
                                           u % (5000 / tenth), u % (10000 / tenth), 2 * hundred,
                                           2 * hundred + 1}};
        *to = row;
        letters(to->text[0], (unsigned)u, 2);
        letters(to->text[1], (unsigned)n, 3);
        strcpy(to->text[2], string4[n % 4]);
        return 1;
}
