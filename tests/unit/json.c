/* json.c - records (kernel/lib/json.h). With --print: one record of everything, for test_unit.py.
 */
#include "unit.h"
#include "lib/crc32.h"
#include "lib/json.h"

#define SIZE 2048

/* The characters 1 to 255. */
static const char *every_character(void)
{
        static char text[256];
        for (unsigned i = 0; i < 255; i++)
                text[i] = (char)(i + 1);
        return text;
}

static void write_everything(struct json *json)
{
        json_text(json, "characters", every_character());
        json_text(json, "empty", "");
        json_text(json, "a \"key\" with \\", "{[,");
        json_number(json, "lowest", INT64_MIN);
        json_number(json, "highest", INT64_MAX);
        json_hundredths(json, "cents", -5);
        json_flag(json, "yes", true);
        json_flag(json, "no", false);
        json_begin(json, "object", '{');
        json_begin(json, "empty", '{');
        json_end(json, '}');
        json_number(json, "one", 1);
        json_end(json, '}');
        json_begin(json, "array", '[');
        json_begin(json, NULL, '[');
        json_element(json, 1);
        json_element(json, -2);
        json_end(json, ']');
        json_begin(json, NULL, '[');
        json_end(json, ']');
        json_end(json, ']');
        json_number(json, "last", 0);
}

/* The text of one record whose body `WRITE` makes, without its checksum. */
#define assert_body(expected, WRITE)                                                               \
        do {                                                                                       \
                char line_[SIZE];                                                                  \
                struct json json_, *json = &json_;                                                 \
                json_open(json, line_, sizeof line_, "check");                                     \
                WRITE;                                                                             \
                assert_true(json_record(json));                                                    \
                char *end_ = strrchr(line_, ' ');                                                  \
                assert_non_null(end_);                                                             \
                *end_ = 0;                                                                         \
                assert_string_equal(line_, "@{\"v\":1,\"type\":\"check\"" expected "}");           \
        } while (0)

static void values(void **state)
{
        (void)state;
        assert_body("", );
        assert_body(",\"key\":\"text\"", json_text(json, "key", "text"));
        assert_body(",\"n\":-9223372036854775808", json_number(json, "n", INT64_MIN));
        assert_body(",\"n\":0", json_number(json, "n", 0));
        assert_body(",\"f\":true,\"g\":false", json_flag(json, "f", true);
                    json_flag(json, "g", false));
}

static void escapes(void **state)
{
        (void)state;
        assert_body(",\"k\":\"a\\\"b\\\\c\"", json_text(json, "k", "a\"b\\c"));
        assert_body(",\"k\":\"\\u000a\\u0009\\u001f\\u007f\\u00ff\"",
                    json_text(json, "k", "\n\t\x1f\x7f\xff"));
        assert_body(",\"\\\"\":\"\"", json_text(json, "\"", ""));
}

static void hundredths(void **state)
{
        (void)state;
        assert_body(",\"n\":12.34", json_hundredths(json, "n", 1234));
        assert_body(",\"n\":0.00", json_hundredths(json, "n", 0));
        assert_body(",\"n\":0.05", json_hundredths(json, "n", 5));
        assert_body(",\"n\":-0.05", json_hundredths(json, "n", -5));
        assert_body(",\"n\":-12.00", json_hundredths(json, "n", -1200));
        assert_body(",\"n\":-92233720368547758.08", json_hundredths(json, "n", INT64_MIN));
        assert_body(",\"n\":92233720368547758.07", json_hundredths(json, "n", INT64_MAX));
}

static void brackets(void **state)
{
        (void)state;
        assert_body(",\"a\":[[1,-2],[]],\"b\":{}", json_begin(json, "a", '[');
                    json_begin(json, NULL, '['); json_element(json, 1); json_element(json, -2);
                    json_end(json, ']'); json_begin(json, NULL, '['); json_end(json, ']');
                    json_end(json, ']'); json_begin(json, "b", '{'); json_end(json, '}'));
        /* A text that ends as a bracket opens still gets its comma. */
        assert_body(",\"a\":\"{\",\"b\":\"[\",\"c\":1", json_text(json, "a", "{");
                    json_text(json, "b", "["); json_number(json, "c", 1));
}

static void checksum(void **state)
{
        (void)state;
        char line[SIZE], tail[16];
        struct json json;
        json_open(&json, line, sizeof line, "check");
        write_everything(&json);
        assert_true(json_record(&json));
        assert_int_equal(json.length, strlen(line));
        char *end = strstr(line, "} *") + 1;
        snprintf(tail, sizeof tail, " *%08x\n", crc32(line + 1, (size_t)(end - line - 1)));
        assert_string_equal(end, tail);
}

/* A checksum of few digits keeps its eight places. */
static void checksum_width(void **state)
{
        (void)state;
        for (int64_t i = 0;; i++) {
                char line[SIZE];
                struct json json;
                json_open(&json, line, sizeof line, "check");
                json_number(&json, "n", i);
                assert_true(json_record(&json));
                const char *sum = strrchr(line, '*') + 1;
                assert_int_equal(strlen(sum), 9);
                if (sum[0] == '0' && sum[1] == '0')
                        break;
        }
}

/* In every size of buffer: whole, or refused, and never a byte beyond it. */
static void cut(void **state)
{
        (void)state;
        char whole[SIZE];
        struct json json;
        json_open(&json, whole, sizeof whole, "check");
        write_everything(&json);
        assert_true(json_record(&json));
        size_t length = json.length;
        for (size_t size = 0; size <= length + 2; size++) {
                char *to = malloc(size ? size : 1);
                json_open(&json, to, size, "check");
                write_everything(&json);
                assert_int_equal(json_record(&json), size > length);
                if (size > length)
                        assert_string_equal(to, whole);
                free(to);
        }
}

int main(int count, char **arguments)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(values),     cmocka_unit_test(escapes),
                cmocka_unit_test(hundredths), cmocka_unit_test(brackets),
                cmocka_unit_test(checksum),   cmocka_unit_test(checksum_width),
                cmocka_unit_test(cut),
        };
        if (count == 2 && !strcmp(arguments[1], "--print")) {
                char line[SIZE];
                struct json json;
                json_open(&json, line, sizeof line, "check");
                write_everything(&json);
                return !json_record(&json) || fputs(line, stdout) < 0;
        }
        return cmocka_run_group_tests(tests, NULL, NULL);
}
