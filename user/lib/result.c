/* result.c - the records of a suite. */
#include "result.h"
#include "lib.h"

void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s)
{
        static char line[4000];
        json_open(json, line, sizeof line, "result");
        json_text(json, "suite", suite);
        json_text(json, "id", id);
        json_text(json, "label", label);
        statistics_json(s, json);
}

void print_result(const char *suite, const char *id, const char *label, const struct statistics *s)
{
        struct json json;
        result_open(&json, suite, id, label, s);
        print_record(&json);
}

void print_skip(const char *suite, const char *id, const char *reason)
{
        char line[512];
        struct json json;
        json_open(&json, line, sizeof line, "skip");
        json_text(&json, "suite", suite);
        json_text(&json, "id", id);
        json_text(&json, "reason", reason);
        print_record(&json);
}
