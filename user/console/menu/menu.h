/* menu.h - what a person sees and chooses when a run has ended, on a screen of 80 by 25 or more. */
#ifndef TOLLGATE_USER_CONSOLE_MENU_MENU_H
#define TOLLGATE_USER_CONSOLE_MENU_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "console.h"
#include "keys.h"
#include "page.h"

extern bool heard; /* a keyboard answers: without one keys come on the serial line alone */

/* records.c - the records of this run, as /dev/records has them: lines, one after the other. */
void records_read(void);
const char *record_next(const char *line, const char *type); /* NULL: the first; NULL = none */
/* A key's value on the record's own level. False, -1 where it has none. */
bool record_text(const char *line, const char *key, char *to, size_t size);
int64_t record_number(const char *line, const char *key);
bool record_flag(const char *line, const char *key);
const char *record_inner(const char *line, const char *key); /* an object in it; NULL = none */
bool record_is(const char *line, const char *key, const char *value);
/* The unit of the run's figures, and the length of one in nanoseconds. */
const char *run_unit(void);
bool run_is_timed(void);
uint32_t run_megahertz(void); /* of the TSC, 0 = it has no known rate */
int64_t run_nanoseconds(int64_t figure);

/* lines.c - text and tables, of which nothing is cut: what is too wide for a line of this screen
 * goes on in the next one. From lines_begin() on lines are counted, and `count` of them are drawn,
 * those from `from` on. */
void lines_begin(unsigned from, unsigned count);
unsigned lines_count(void);
void lines_keep(unsigned page,
                unsigned count); /* so many on one page of so many, else on the next */
void lines_text(unsigned indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TABLE_COLUMNS 8
#define TABLE_CELL 64
struct table {
        const char *const *heads;
        unsigned columns, words; /* the first of them are words, the others figures */
        unsigned gap;            /* blanks between two */
        unsigned width[TABLE_COLUMNS];
};
void table_begin(struct table *table, const char *const *heads, unsigned words, unsigned columns,
                 unsigned gap);
void table_fit(struct table *table,
               char cells[][TABLE_CELL]);        /* every row, before the first line */
unsigned table_lines(const struct table *table); /* of each row */
void table_heads(const struct table *table);
void table_row(const struct table *table, char cells[][TABLE_CELL]);

/* A figure in `width` characters, four at least: its digits, or rounded as 12k, 1.2M, 999G. */
#define FIGURE 24
void figure_put(char to[FIGURE], size_t width, int64_t value);

/* answer.c - the page that answers. `verdict`: passed, noisy or failed; `photo`: its records stand
 * beside it. */
void answer_draw(const char *verdict, bool photo);

/* detail.c - the pages of detail: of each suite and origin, as many as they need. */
unsigned detail_pages(void);
void detail_draw(unsigned number);

/* said.c - all that was printed, to be looked at, until another key comes. */
void said_look(void);

/* choice.c - other suites: true = one was chosen, and the kernel knows. */
bool choice_ask(void);
bool choice_was_all(void); /* this run was everything */

#endif
