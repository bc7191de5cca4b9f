/* printf.c - formatted text and 64-bit division (kernel/core/lib/printf.h), against the host's. */
#include "unit.h"
#include <inttypes.h>

uint32_t divide64(uint64_t *value, uint32_t divisor);
int vsnprintf_foreign(char *to, size_t size, const char *format, va_list arguments);

#define assert_format(expected, ...)                                                               \
        do {                                                                                       \
                char text_[128];                                                                   \
                int length_ = kernel_snprintf(text_, sizeof text_, __VA_ARGS__);                   \
                assert_string_equal(text_, expected);                                              \
                assert_int_equal(length_, strlen(expected));                                       \
        } while (0)

static void conversions(void **state)
{
        (void)state;
        assert_format("", "");
        assert_format("plain", "plain");
        assert_format("a-1b", "a%db", -1);
        assert_format("4294967295 ffffffff", "%u %x", ~0u, ~0u);
        assert_format("[k]", "[%c]", 'k');
        assert_format("one, two", "%s, %s", "one", "two");
        assert_format("100%", "%d%%", 100);
        assert_format("0 0 0 0", "%d %u %x %lld", 0, 0u, 0u, 0ll);
        assert_format("7 8 9 a", "%ld %lu %zu %zx", 7l, 8ul, (size_t)9, (size_t)10);
}

static void extreme_numbers(void **state)
{
        (void)state;
        assert_format("-2147483648", "%d", INT32_MIN);
        assert_format("-9223372036854775808", "%lld", (long long)INT64_MIN);
        assert_format("9223372036854775807", "%lld", (long long)INT64_MAX);
        assert_format("18446744073709551615", "%llu", (unsigned long long)UINT64_MAX);
        assert_format("ffffffffffffffff", "%llx", (unsigned long long)UINT64_MAX);
        assert_format("-9223372036854775808", "%019lld", (long long)INT64_MIN);
        assert_format("-0009223372036854775808", "%023lld", (long long)INT64_MIN);
}

static void widths(void **state)
{
        (void)state;
        assert_format("[   42]", "[%5d]", 42);
        assert_format("[42   ]", "[%-5d]", 42);
        assert_format("[00042]", "[%05d]", 42);
        assert_format("[-0042]", "[%05d]", -42);
        assert_format("[  -42]", "[%5d]", -42);
        assert_format("[-42  ]", "[%-05d]", -42);
        assert_format("[123456]", "[%3d]", 123456);
        assert_format("[00ff]", "[%04x]", 255);
        assert_format("[  ab]", "[%4s]", "ab");
        assert_format("[ab  ]", "[%-4s]", "ab");
        assert_format("[   k]", "[%4c]", 'k');
        assert_format("[k   ]", "[%-4c]", 'k');
}

static void cut_strings(void **state)
{
        (void)state;
        char unended[3] = {'a', 'b', 'c'};
        assert_format("[ab]", "[%.2s]", "abcd");
        assert_format("[abcd]", "[%.9s]", "abcd");
        assert_format("[]", "[%.0s]", "abcd");
        assert_format("[]", "[%.s]", "abcd");
        assert_format("[   ab]", "[%5.2s]", "abcd");
        assert_format("[abc]", "[%.*s]", 3, "abcd");
        assert_format("[abcd]", "[%.*s]", -1, "abcd");
        assert_format("[abc]", "[%.3s]", unended);
        assert_format("[abc]", "[%.*s]", 3, unended);
}

static int foreign(char *to, size_t size, const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf_foreign(to, size, format, arguments);
        va_end(arguments);
        return length;
}

/* What the format says stands; what a string brings is printable, in one line, and no longer. */
static void foreign_strings(void **state)
{
        (void)state;
        char to[512], longer[400], *end;
        memset(longer, 'x', sizeof longer - 1);
        longer[sizeof longer - 1] = 0;
        int length = foreign(to, sizeof to, "%s:\n[%c] %.2s", "a\n\x1b\x7f\x80z", '\r', "b\tc");
        assert_string_equal(to, "a????z:\n[?] b?");
        assert_int_equal(length, strlen(to));
        foreign(to, sizeof to, "%s.\n", longer);
        end = strchr(to, '.');
        assert_int_equal(end - to, 160);
        assert_string_equal(end, "....\n");
}

/* Not C's: all digits of a pointer, no prefix. */
static void pointers(void **state)
{
        (void)state;
        assert_format("000000000000beef", "%p", (void *)0xbeef);
        assert_format("0000000000000000", "%p", NULL);
        assert_format("ffffffff80000000", "%p", (void *)0xffffffff80000000);
}

static void unknown_conversions(void **state)
{
        (void)state;
        assert_format("%", "%");
        assert_format("100%", "100%");
        assert_format("%q", "%q");
        assert_format("a%ib", "a%ib");
        assert_format("%5q.", "%5q.");
        assert_format("%-08.3lq.", "%-08.3lq.");
        assert_format("%5", "%5");
        assert_format("%-", "%-");
        assert_format("%ll", "%ll");
        assert_format("%.", "%.");
        assert_format("%\n1", "%\n%d", 1);
}

/* Every size of buffer: what fits, always terminated, nothing beyond; the length is the whole's. */
static void truncation(void **state)
{
        (void)state;
        const char *whole = "one 00000002 [  three]";
        for (size_t size = 0; size <= strlen(whole) + 2; size++) {
                char expected[64], *to = malloc(size ? size : 1);
                int length = kernel_snprintf(to, size, "%s %08x [%7s]", "one", 2u, "three");
                snprintf(expected, size, "%s", whole);
                assert_int_equal(length, strlen(whole));
                if (size)
                        assert_string_equal(to, expected);
                free(to);
        }
        assert_int_equal(kernel_snprintf(NULL, 0, "%d", 12345), 5);
}

/* A conversion on whose meaning the C standard and printf.h agree, of random flags and width. */
static void random_conversion(char *to, size_t size, bool *string, bool *long_long)
{
        static const char *const kinds[] = {"d",   "u",   "x",   "ld",  "lu",  "lx",
                                            "lld", "llu", "llx", "zd",  "zu",  "zx",
                                            "s",   "c",   ".0s", ".3s", ".12s"};
        const char *kind = kinds[chance_below(sizeof kinds / sizeof *kinds)];
        const char *flags[] = {"", "-", "0", "-0", "0-", "00"};
        size_t last = strlen(kind) - 1;
        bool number = kind[last] != 's' && kind[last] != 'c';
        const char *flag = flags[chance_below(number ? 6 : 2)];
        char width[8] = "";
        if (chance() % 2)
                snprintf(width, sizeof width, "%u", (unsigned)(1 + chance_below(30)));
        *string = kind[last] == 's';
        *long_long = number && last > 0;
        snprintf(to, size, "<%%%s%s%s>%%%%", flag, width, kind);
}

static void agrees_with_host(void **state)
{
        (void)state;
        static const char *const texts[] = {"", "a", "toll", "a longer text than most widths are"};
        for (unsigned i = 0; i < 50000; i++) {
                char format[64], ours[128], hosts[128];
                bool string, wide;
                random_conversion(format, sizeof format, &string, &wide);
                size_t size = chance() % 4 ? sizeof ours : 1 + chance_below(24);
                uint64_t value = chance() >> chance_below(64);
                value = chance() % 2 ? value : -value;
                const char *text = texts[chance_below(4)];
                int our_length, host_length;
                if (string) {
                        our_length = kernel_snprintf(ours, size, format, text);
                        host_length = snprintf(hosts, size, format, text);
                } else if (wide) {
                        our_length = kernel_snprintf(ours, size, format, value);
                        host_length = snprintf(hosts, size, format, value);
                } else {
                        int narrow = format[strlen(format) - 4] == 'c' ? 'a' + (int)(value % 26)
                                                                       : (int)value;
                        our_length = kernel_snprintf(ours, size, format, narrow);
                        host_length = snprintf(hosts, size, format, narrow);
                }
                if (our_length != host_length || strcmp(ours, hosts))
                        fail_msg("%s of %" PRIx64 " or `%s` in %zu: `%s`, the host says `%s`",
                                 format, value, text, size, ours, hosts);
        }
}

static void division(void **state)
{
        (void)state;
        static const uint64_t edges[] = {0,
                                         1,
                                         9,
                                         10,
                                         UINT32_MAX,
                                         1ull << 32,
                                         (1ull << 32) + 1,
                                         1ull << 63,
                                         UINT64_MAX - 1,
                                         UINT64_MAX};
        static const uint32_t divisors[] = {1, 2, 3, 10, 16, 100, 1u << 31, UINT32_MAX};
        for (unsigned i = 0; i < 100000; i++) {
                uint64_t value = i < 80 ? edges[i / 8] : chance() >> chance_below(64);
                uint32_t divisor =
                        i < 80 ? divisors[i % 8] : ((uint32_t)chance() >> chance_below(32)) | 1u;
                uint64_t quotient = value;
                uint32_t rest = divide64(&quotient, divisor);
                assert_true(quotient == value / divisor);
                assert_true(rest == value % divisor);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(conversions), cmocka_unit_test(extreme_numbers),
                cmocka_unit_test(widths),      cmocka_unit_test(cut_strings),
                cmocka_unit_test(pointers),    cmocka_unit_test(unknown_conversions),
                cmocka_unit_test(truncation),  cmocka_unit_test(agrees_with_host),
                cmocka_unit_test(division),    cmocka_unit_test(foreign_strings),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
