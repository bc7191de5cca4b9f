/* table.c - tables in order of their addresses, and the binary search (kernel/core/lib/table.h).
 */
#include "unit.h"
#include "lib/table.h"

#define WORDS 2
#define MOST 70
#define RANGE 200 /* of the addresses: some lie below the first line, some come twice */

/* The same, line by line: the last one that begins at `key` or before. */
static const uintptr_t *last_at_most(const uintptr_t *table, size_t lines, uintptr_t key)
{
        const uintptr_t *found = NULL;
        for (size_t i = 0; i < lines; i++)
                if (table[i * WORDS] <= key)
                        found = &table[i * WORDS];
        return found;
}

static void each_size_is_sorted_and_searched(void **state)
{
        (void)state;
        for (size_t lines = 0; lines <= MOST; lines++) {
                uintptr_t raw[MOST * WORDS];
                for (size_t i = 0; i < lines; i++) {
                        raw[i * WORDS] = 1 + chance_below(RANGE);
                        raw[i * WORDS + 1] = ~raw[i * WORDS];
                }
                uintptr_t *table = exact_copy(raw, lines * WORDS * sizeof *raw);
                uintptr_t *end = table + lines * WORDS;
                table_sort(table, end, WORDS);
                for (size_t i = 0; i < lines; i++) {
                        assert_int_equal(table[i * WORDS + 1], ~table[i * WORDS]);
                        assert_true(!i || table[(i - 1) * WORDS] <= table[i * WORDS]);
                }
                for (uintptr_t key = 0; key <= RANGE + 1; key++)
                        assert_ptr_equal(table_find(table, end, WORDS, key),
                                         last_at_most(table, lines, key));
                free(table);
        }
}

static void lines_of_one_word(void **state)
{
        (void)state;
        uintptr_t table[] = {30, 10, 20};
        table_sort(table, table + 3, 1);
        assert_int_equal(table[0], 10);
        assert_int_equal(table[1], 20);
        assert_int_equal(table[2], 30);
        assert_ptr_equal(table_find(table, table + 3, 1, 29), &table[1]);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_size_is_sorted_and_searched),
                cmocka_unit_test(lines_of_one_word),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
