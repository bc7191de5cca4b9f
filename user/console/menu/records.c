/* records.c - this run's records: the kernel's JSON, without white space. */
#include "menu.h"

#define ROOM (1u << 20)

static char text[ROOM + 1];

void records_read(void)
{
        size_t size = 0;
        long got, file = open("/dev/records", O_RDONLY, 0);
        while (file >= 0 && size < ROOM && (got = read((int)file, text + size, ROOM - size)) > 0)
                size += (size_t)got;
        if (file >= 0)
                close((int)file);
        text[size] = 0;
}

const char *record_next(const char *line, const char *type)
{
        for (;;) {
                const char *end = line ? strchr(line, '\n') : NULL;
                if (line && !end)
                        return NULL;
                line = line ? end + 1 : text;
                if (!*line)
                        return NULL;
                if (record_is(line, "type", type))
                        return line;
        }
}

/* The end of the string that begins here. */
static const char *skip_string(const char *at)
{
        for (at++; *at && *at != '"' && *at != '\n'; at++)
                at += *at == '\\' && at[1];
        return *at == '"' ? at + 1 : at;
}

/* Start of the value of a key in the outermost object, or NULL. */
static const char *value_of(const char *line, const char *key)
{
        size_t length = strlen(key);
        int depth = 0;
        for (const char *at = line; *at && *at != '\n';) {
                if (*at == '"') {
                        const char *end = skip_string(at);
                        if (depth == 1 && *end == ':' && (size_t)(end - at) == length + 2 &&
                            !strncmp(at + 1, key, length))
                                return end + 1;
                        at = end;
                        continue;
                }
                depth += *at == '{' || *at == '[';
                depth -= *at == '}' || *at == ']';
                at++;
        }
        return NULL;
}

bool record_text(const char *line, const char *key, char *to, size_t size)
{
        const char *at = value_of(line, key);
        size_t length = 0;
        to[0] = 0;
        if (!at || *at != '"')
                return false;
        for (at++; *at && *at != '"' && *at != '\n'; at++) {
                at += *at == '\\' && at[1];
                if (length + 1 < size)
                        to[length++] = *at;
        }
        to[length] = 0;
        return true;
}

int64_t record_number(const char *line, const char *key)
{
        const char *at = value_of(line, key);
        int64_t value = 0;
        bool negative = at && *at == '-';
        if (!at)
                return -1;
        for (at += negative; *at >= '0' && *at <= '9'; at++)
                value = value * 10 + (*at - '0');
        return negative ? -value : value;
}

bool record_flag(const char *line, const char *key)
{
        const char *at = value_of(line, key);
        return at && *at == 't';
}

const char *record_inner(const char *line, const char *key)
{
        const char *at = value_of(line, key);
        return at && *at == '{' ? at : NULL;
}

bool record_is(const char *line, const char *key, const char *value)
{
        char found[64];
        return record_text(line, key, found, sizeof found) && !strcmp(found, value);
}

const char *run_unit(void)
{
        static char unit[32];
        const char *run = record_next(NULL, "run");
        if (!run || !record_text(run, "unit", unit, sizeof unit))
                return "ticks";
        return unit;
}

static uint32_t kilohertz(void)
{
        const char *run = record_next(NULL, "run");
        uint64_t hertz = run ? (uint64_t)record_number(run, "tsc_hz") : 0;
        divide64(&hertz, 1000);
        return (uint32_t)hertz;
}

uint32_t run_megahertz(void)
{
        return kilohertz() / 1000;
}

bool run_is_timed(void)
{
        return kilohertz() && strcmp(run_unit(), "instructions");
}

int64_t run_nanoseconds(int64_t figure)
{
        uint32_t rate = kilohertz();
        uint64_t span = (uint64_t)(figure < 0 ? -figure : figure) * 1000000 + rate / 2;
        divide64(&span, rate ? rate : 1);
        return figure < 0 ? -(int64_t)span : (int64_t)span;
}
