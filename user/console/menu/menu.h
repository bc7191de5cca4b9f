/* menu.h - the display and choices after a run, on a screen of 80 by 25 or more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "console.h"
#include "keys.h"
#include "page.h"

extern bool heard; /* a keyboard answers: otherwise keys come only by the serial line */

/* records.c - this run's records from /dev/records: one line each. */
void records_read(void);
const char *record_next(const char *line, const char *type); /* NULL: the first; NULL = no more */
/* A key's value at the record's outer level. False, or -1, if missing. */
bool record_text(const char *line, const char *key, char *to, size_t size);
int64_t record_number(const char *line, const char *key);
bool record_flag(const char *line, const char *key);
const char *record_inner(const char *line, const char *key); /* an inner object; NULL = none */
bool record_is(const char *line, const char *key, const char *value);
/* The unit of the run's figures, and its length in nanoseconds. */
const char *run_unit(void);
bool run_is_timed(void);
uint32_t run_megahertz(void); /* rate of the TSC, 0 = unknown */
int64_t run_nanoseconds(int64_t figure);

/* lines.c - text and tables, never cut: long lines are wrapped. After lines_begin() lines are
 * counted, and `count` of them are drawn, beginning with `from`. */
void lines_begin(unsigned from, unsigned count);
extern unsigned lines_count;
void lines_keep(unsigned page, unsigned count); /* this many on the same page, or on the next */
void lines_text(unsigned indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TABLE_COLUMNS 8
#define TABLE_CELL 64
struct table {
        const char *const *heads;
        unsigned columns, words; /* the first columns are words, the others figures */
        unsigned gap;            /* blanks between columns */
        unsigned width[TABLE_COLUMNS];
};
void table_begin(struct table *table, const char *const *heads, unsigned words, unsigned columns,
                 unsigned gap);
void table_fit(struct table *table,
               char cells[][TABLE_CELL]);        /* every row, before the first line */
unsigned table_lines(const struct table *table); /* lines of each row */
void table_heads(const struct table *table);
void table_row(const struct table *table, char cells[][TABLE_CELL]);

/* A figure in `width` characters, four at least: its digits, or rounded like 12k, 1.2M, 999G. */
#define FIGURE 24
void figure_put(char to[FIGURE], size_t width, int64_t value);

/* answer.c - the results page. `verdict`: passed, noisy or failed; `photo`: the codes are beside
 * it. */
void answer_draw(const char *verdict, bool photo);

/* detail.c - detail pages, as many as each suite and origin needs. */
unsigned detail_pages(void);
void detail_draw(unsigned number);

/* said.c - shows all printed text, until an unrelated key is pressed. */
void said_look(void);
