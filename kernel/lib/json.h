/* json.h - writes one JSON object into a buffer: the body of a record. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
        char *to;
        size_t size, length; /* length > size: the text was cut */
};

void json_open(struct json *json, char *to, size_t size, const char *type); /* "v" and "type" */
void json_text(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, int64_t value);     /* NULL: in an array */
void json_hundredths(struct json *json, const char *key, int64_t value); /* 1234 -> 12.34 */
void json_flag(struct json *json, const char *key, bool value);
void json_begin(struct json *json, const char *key, char bracket); /* key may be NULL */
void json_end(struct json *json, char bracket);

/* Closes the object and completes the record "@{...} *crc\n". False = it did not fit. */
bool json_record(struct json *json);
