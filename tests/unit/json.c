/* json.c - records (kernel/lib/json.h). With --print: a record with every kind of value, for
 * test_unit.py. */
#include "unit.h"
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
        json_number(json, NULL, 1);
        json_number(json, NULL, -2);
        json_end(json, ']');
        json_begin(json, NULL, '[');
        json_end(json, ']');
        json_end(json, ']');
        json_number(json, "last", 0);
}

/* Writes in every size of buffer: whole, or refused, and never a byte too many. */
static void cut(void **state)
{
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
        const struct CMUnitTest tests[] = {cmocka_unit_test(cut)};
        if (count == 2 && !strcmp(arguments[1], "--print")) {
                char line[SIZE];
                struct json json;
                json_open(&json, line, sizeof line, "check");
                write_everything(&json);
                return !json_record(&json) || fputs(line, stdout) < 0;
        }
        return cmocka_run_group_tests(tests, NULL, NULL);
}
