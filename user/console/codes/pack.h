/* pack.h - the records of a run, packed for codes (tools/tollgate/records/packing.py). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACK_LINE 16384       /* the longest record */
#define PACK_STRING_MOST 2048 /* the longest of its strings */
#define PACK_WORDS 2048       /* words that are not in the table */
#define PACK_TEXT 65536       /* their bytes */
#define PACK_BYTES 98304      /* maximum to be packed: more than 255 codes hold */

/* Bytes of a word below ' ' are gaps: their contents are packed separately. */
enum {
        PACK_NUMBER = 1,
        PACK_HUNDREDTHS, /* a number with two decimals */
        PACK_STRING
};

struct pack {
        size_t length;  /* number of packed bytes */
        unsigned words; /* new ones, not in the table */
        size_t text;    /* their bytes */
        struct {
                uint32_t start, length;
        } word[PACK_WORDS];
        char words_text[PACK_TEXT];
        uint8_t bytes[PACK_BYTES];
};

/* Adds a record, given as the JSON that was sent. False = not a record, or no room: then discard
 * everything packed. */
bool pack_record(struct pack *pack, const char *json, size_t length);

/* Whether a record belongs to the toll: its rows, its controls, and notes on them and on the rate.
 * pack_is_row(): whether it is a row. */
bool pack_is_toll(const char *json);
bool pack_is_row(const char *json);

/* The table, generated from `words` and kernel/core/entry's tables; pack_table has its version. */
extern const char *const pack_table[];
extern const unsigned pack_table_words;
extern const uint32_t pack_table_version;
