/* menu.h - what a person sees and chooses when a run has ended, on a screen of 80 by 25 or more. */
#ifndef TOLLGATE_USER_CONSOLE_MENU_MENU_H
#define TOLLGATE_USER_CONSOLE_MENU_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "console.h"
#include "keys.h"
#include "page.h"

/* records.c - the records of this run, as /dev/records has them: lines, one after the other. */
void records_read(void);
const char *record_next(const char *line, const char *type); /* NULL: the first; NULL = none */
/* A key's value on the record's own level. False, -1 where it has none. */
bool record_text(const char *line, const char *key, char *to, size_t size);
int64_t record_number(const char *line, const char *key);
bool record_flag(const char *line, const char *key);
const char *record_inner(const char *line, const char *key); /* an object in it; NULL = none */
bool record_is(const char *line, const char *key, const char *value);
/* Of the run: the unit of its figures, and what one of them is in nanoseconds. */
const char *run_unit(void);
bool run_is_timed(void);
uint32_t run_megahertz(void); /* of the TSC, 0 = it has no known rate */
int64_t run_nanoseconds(int64_t figure);

/* answer.c - the page that answers. `verdict`: passed, noisy or failed. */
void answer_draw(const char *verdict);

/* detail.c - the pages of detail: of each suite and origin, as many as they need. */
unsigned detail_pages(void);
void detail_draw(unsigned number);

/* said.c - all that was printed, to be looked at, until another key comes. */
void said_look(void);

/* choice.c - other suites: true = one was chosen, and the kernel knows. */
bool choice_ask(void);
bool choice_was_all(void); /* this run was everything */

#endif
