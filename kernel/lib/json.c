/* json.c - writes one JSON object into a buffer. */
#include "lib/json.h"
#include "lib/crc32.h"
#include "lib/printf.h"
#include "lib/string.h"

static void json_put(struct json *json, char c)
{
        if (json->length + 1 < json->size)
                json->to[json->length] = c;
        json->length++;
}

static void put_text(struct json *json, const char *text)
{
        while (*text)
                json_put(json, *text++);
}

/* `@{` begins a record, so it must not occur inside one. */
static void put_quoted(struct json *json, const char *text)
{
        unsigned char before = '"';
        json_put(json, '"');
        for (; *text; before = (unsigned char)*text++) {
                unsigned char c = (unsigned char)*text;
                char escaped[8];
                if (c == '"' || c == '\\')
                        snprintf(escaped, sizeof escaped, "\\%c", c);
                else if (c < ' ' || c > '~' || (before == '@' && c == '{'))
                        snprintf(escaped, sizeof escaped, "\\u%04x", c);
                else
                        snprintf(escaped, sizeof escaped, "%c", c);
                put_text(json, escaped);
        }
        json_put(json, '"');
}

/* Writes a comma, unless it is the first in its bracket (or the text is already cut). */
static void separate(struct json *json, const char *key)
{
        char last = json->length && json->length < json->size ? json->to[json->length - 1] : '{';
        if (last != '{' && last != '[' && last != '@')
                json_put(json, ',');
        if (key) {
                put_quoted(json, key);
                json_put(json, ':');
        }
}

void json_open(struct json *json, char *to, size_t size, const char *type)
{
        *json = (struct json){to, size, 0};
        put_text(json, "@{\"v\":1");
        json_text(json, "type", type);
}

void json_text(struct json *json, const char *key, const char *value)
{
        separate(json, key);
        put_quoted(json, value);
}

void json_number(struct json *json, const char *key, int64_t value)
{
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)value);
        separate(json, key);
        put_text(json, text);
}

void json_hundredths(struct json *json, const char *key, int64_t value)
{
        uint64_t whole = value < 0 ? -(uint64_t)value : (uint64_t)value;
        uint32_t rest = divide64(&whole, 100);
        char text[32];
        snprintf(text, sizeof text, "%s%llu.%02u", value < 0 ? "-" : "", (unsigned long long)whole,
                 rest);
        separate(json, key);
        put_text(json, text);
}

void json_flag(struct json *json, const char *key, bool value)
{
        separate(json, key);
        put_text(json, value ? "true" : "false");
}

void json_begin(struct json *json, const char *key, char bracket)
{
        separate(json, key);
        json_put(json, bracket);
}

void json_end(struct json *json, char bracket)
{
        json_put(json, bracket);
}

bool json_record(struct json *json)
{
        char tail[16];
        json_put(json, '}');
        if (json->length >= json->size)
                return false;
        snprintf(tail, sizeof tail, " *%08x\n", crc32(json->to + 1, json->length - 1));
        put_text(json, tail);
        if (json->length >= json->size)
                return false;
        json->to[json->length] = 0;
        return true;
}
