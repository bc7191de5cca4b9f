/* pack.h - the records of a run, packed for codes (tools/tollgate/records/packing.py). */
#ifndef TOLLGATE_USER_CONSOLE_CODES_PACK_H
#define TOLLGATE_USER_CONSOLE_CODES_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACK_LINE 16384       /* the longest record */
#define PACK_STRING_MOST 2048 /* the longest of its strings */
#define PACK_WORDS 2048       /* words that are not in the table */
#define PACK_TEXT 65536       /* and their bytes */
#define PACK_BYTES 98304      /* the most that is packed: 255 codes are less */

/* A word's bytes below ' ': their contents are packed beside it. */
enum {
        PACK_NUMBER = 1,
        PACK_HUNDREDTHS, /* a number with two decimals */
        PACK_STRING
};

struct pack {
        size_t length;  /* of what is packed */
        unsigned words; /* that were not in the table */
        size_t text;    /* their bytes */
        struct {
                uint32_t start, length;
        } word[PACK_WORDS];
        char words_text[PACK_TEXT];
        uint8_t bytes[PACK_BYTES];
};

/* Adds a record, its JSON as it was sent. False = it is none, or there is no room: then nothing
 * that was packed may be used. */
bool pack_record(struct pack *pack, const char *json, size_t length);

/* Whether a record belongs to the toll: its rows, its controls, and what is said of both and of the
 * rate. pack_is_row(): it is one of the rows. */
bool pack_is_toll(const char *json);
bool pack_is_row(const char *json);

/* The table: made from words and kernel/core/entry's tables, of which pack_table is the version. */
extern const char *const pack_table[];
extern const unsigned pack_table_words;
extern const uint32_t pack_table_version;

#endif
