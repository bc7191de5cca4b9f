/* result.c - the records of a suite. */
#include "result.h"
#include "lib.h"
#include "noise.h"

void result_open(struct json *json, const char *suite, const char *id, const char *label,
                 const struct statistics *s)
{
        static char line[4000];
        if (s->min < 0 && !noise.why && strcmp(suite, "control"))
                noise.why = "it is below zero: more is taken off it than it takes";
        if (!noise.why && strcmp(suite, "control"))
                noise.why = noise_within(s);
        json_open(json, line, sizeof line, "result");
        json_text(json, "suite", suite);
        json_text(json, "id", id);
        json_text(json, "label", label);
        statistics_json(s, json);
        if (!noise.exact) {
                json_number(json, "low", s->low);
                json_number(json, "high", s->high);
        }
}

/* A record with a row's id and a reason. */
static void print_reason(const char *type, const char *suite, const char *id, const char *reason)
{
        char line[512];
        struct json json;
        json_open(&json, line, sizeof line, type);
        json_text(&json, "suite", suite);
        json_text(&json, "id", id);
        json_text(&json, "reason", reason);
        print_record(&json);
}

static void print_uncertain(const char *suite, const char *id, const char *reason)
{
        print("  %-28s noisy: %s\n", id, reason);
        print_reason("noisy", suite, id, reason);
}

void result_close(struct json *json, const char *suite, const char *id)
{
        json_number(json, "disturbed", noise.disturbed);
        json_number(json, "repeated", noise.repeated);
        if (noise.counted) {
                json_number(json, "core", (int64_t)noise.spent.core);
                json_number(json, "reference", (int64_t)noise.spent.reference);
                json_number(json, "smis", (int64_t)noise.spent.smis);
        }
        if (noise.has_retired)
                json_hundredths(json, "retired", noise.retired);
        noise.has_retired = false;
        print_record(json);
        if (noise.why && noise.moved) {
                char reason[160];
                snprintf(reason, sizeof reason, "%s: %s", id, noise.why);
                print_noisy("control", "control/clock", reason);
        } else if (noise.small) {
                print_uncertain(suite, id, noise.why);
        } else if (noise.why) {
                print_noisy(suite, id, noise.why);
        }
}

void print_result(const char *suite, const char *id, const char *label, const struct statistics *s)
{
        struct json json;
        if (noise.offset && strcmp(suite, "control"))
                noise.why = "nothing shows that its samples have the offset of the controls";
        result_open(&json, suite, id, label, s);
        result_close(&json, suite, id);
}

void print_noisy(const char *suite, const char *id, const char *reason)
{
        print_uncertain(suite, id, reason);
        status_noisy();
}

void print_skip(const char *suite, const char *id, const char *reason)
{
        print_reason("skip", suite, id, reason);
}
