/*
 * string.c - memory and strings (kernel/core/lib/string.h), against the host's. AddressSanitizer
 * does not see into REP MOVSB and REP STOSB, so the buffers end where an unmapped page begins.
 */
#include "unit.h"
#include <sys/mman.h>

void *kernel_memcpy(void *restrict to, const void *restrict from, size_t count);
void *kernel_memmove(void *to, const void *from, size_t count);
void *kernel_memset(void *to, int byte, size_t count);
int kernel_memcmp(const void *a, const void *b, size_t count);
size_t kernel_strlen(const char *text);
int kernel_strcmp(const char *a, const char *b);
int kernel_strncmp(const char *a, const char *b, size_t count);
char *kernel_strchr(const char *text, int c);
char *kernel_strstr(const char *text, const char *part);

#define PAGE 4096
#define MOST 64 /* bytes per trial */

/* The end of a page that has an unmapped one on either side. */
static unsigned char *fenced_page(void)
{
        unsigned char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
        return pages + 2 * PAGE;
}

static void fill(unsigned char *to, size_t count)
{
        for (size_t i = 0; i < count; i++)
                to[i] = (unsigned char)chance();
}

static int sign(int value)
{
        return (value > 0) - (value < 0);
}

static void copies(void **state)
{
        (void)state;
        unsigned char *to = fenced_page(), *from = fenced_page(), before[MOST];
        for (size_t count = 0; count <= MOST; count++) {
                fill(from - count, count);
                fill(to - 2 * MOST, 2 * MOST);
                memcpy(before, to - 2 * MOST, MOST);
                assert_ptr_equal(kernel_memcpy(to - count, from - count, count), to - count);
                assert_memory_equal(to - count, from - count, count);
                assert_memory_equal(to - 2 * MOST, before, MOST);
        }
}

/* Every overlap of two ranges, either way round, and two that only touch. */
static void moves(void **state)
{
        (void)state;
        unsigned char *end = fenced_page();
        for (size_t count = 0; count <= 24; count++) {
                for (size_t to = 0; to <= MOST - count; to++) {
                        unsigned char expected[MOST], *area = end - MOST;
                        size_t from = MOST / 2 - count / 2;
                        fill(area, MOST);
                        memcpy(expected, area, MOST);
                        memmove(expected + to, expected + from, count);
                        assert_ptr_equal(kernel_memmove(area + to, area + from, count), area + to);
                        assert_memory_equal(area, expected, MOST);
                }
        }
}

static void sets(void **state)
{
        (void)state;
        unsigned char *end = fenced_page(), expected[2 * MOST];
        for (size_t count = 0; count <= MOST; count++) {
                fill(end - 2 * MOST, 2 * MOST);
                memcpy(expected, end - 2 * MOST, 2 * MOST);
                memset(expected + 2 * MOST - count, 0xa5, count);
                /* Only the low byte counts. */
                assert_ptr_equal(kernel_memset(end - count, 0x7a5, count), end - count);
                assert_memory_equal(end - 2 * MOST, expected, 2 * MOST);
        }
}

static void compares_memory(void **state)
{
        (void)state;
        unsigned char *a = fenced_page(), *b = fenced_page();
        assert_int_equal(kernel_memcmp("a", "b", 0), 0);
        for (unsigned i = 0; i < 20000; i++) {
                size_t count = chance_below(MOST + 1);
                fill(a - count, count);
                memcpy(b - count, a - count, count);
                if (count && chance() % 4)
                        b[-1 - (ptrdiff_t)chance_below(count)] = (unsigned char)chance();
                assert_int_equal(sign(kernel_memcmp(a - count, b - count, count)),
                                 sign(memcmp(a - count, b - count, count)));
        }
        assert_true(kernel_memcmp("\xff", "\x01", 1) > 0); /* as unsigned bytes */
}

static void lengths(void **state)
{
        (void)state;
        char *end = (char *)fenced_page();
        memset(end - MOST, 'x', MOST);
        end[-1] = 0;
        for (size_t length = 0; length < MOST; length++)
                assert_int_equal(kernel_strlen(end - 1 - length), length);
}

/* A text of 0 to 5 letters of three: many equal beginnings, many repeats. It ends at a page's end.
 */
static char *random_text(unsigned char *end)
{
        size_t length = chance_below(6);
        char *text = (char *)end - length - 1;
        for (size_t i = 0; i < length; i++)
                text[i] = "ab\xe4"[chance_below(3)];
        text[length] = 0;
        return text;
}

static void compares_texts(void **state)
{
        (void)state;
        unsigned char *one = fenced_page(), *two = fenced_page();
        for (unsigned i = 0; i < 50000; i++) {
                const char *a = random_text(one), *b = random_text(two);
                size_t count = chance_below(8);
                assert_int_equal(sign(kernel_strcmp(a, b)), sign(strcmp(a, b)));
                assert_int_equal(sign(kernel_strncmp(a, b, count)), sign(strncmp(a, b, count)));
        }
        /* The count also stands in for an end that is missing. */
        memcpy(one - 3, "abc", 3);
        memcpy(two - 3, "abc", 3);
        assert_int_equal(kernel_strncmp((char *)one - 3, (char *)two - 3, 3), 0);
}

static void searches(void **state)
{
        (void)state;
        unsigned char *one = fenced_page(), *two = fenced_page();
        for (unsigned i = 0; i < 50000; i++) {
                const char *text = random_text(one), *part = random_text(two);
                int c = "ab\xe4z"[chance_below(5)]; /* the end itself too */
                c += chance() % 2 ? 0 : 256;        /* only the low byte counts */
                assert_ptr_equal(kernel_strchr(text, c), strchr(text, c));
                assert_ptr_equal(kernel_strstr(text, part), strstr(text, part));
        }
        const char *text = "one=1";
        assert_ptr_equal(kernel_strchr(text, 0), text + 5);
        assert_ptr_equal(kernel_strstr(text, ""), text);
        assert_ptr_equal(kernel_strstr(text, "=1"), text + 3);
        assert_null(kernel_strstr(text, "=1 "));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(copies),   cmocka_unit_test(moves),
                cmocka_unit_test(sets),     cmocka_unit_test(compares_memory),
                cmocka_unit_test(lengths),  cmocka_unit_test(compares_texts),
                cmocka_unit_test(searches),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
