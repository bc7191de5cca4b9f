/*
 * log.h - what was said, kept: all text of the console, and the records of this run.
 *
 * Of the text the newest stays, of the records the oldest: a run without its first rows would be
 * none. What found no room is counted.
 */
#ifndef TOLLGATE_DEV_LOG_H
#define TOLLGATE_DEV_LOG_H

#include <stddef.h>
#include <stdint.h>

struct log {
        char **pages;
        size_t size;         /* bytes that they hold */
        uint64_t start, end; /* bounds of the kept bytes, counted from the first byte that ever
                              * came */
        unsigned lost;       /* lines that found no room */
};
extern struct log log_text, log_records;

void log_init(void);                             /* there are frames now: room for all */
void log_say(const char *text, size_t count);    /* text: the oldest goes */
void log_record(const char *line, size_t count); /* a record, or not at all */
void log_begin(void);                            /* a new run: its records, none yet */

/* Up to `size` bytes from *from on, which moves behind them; if they have gone, from the oldest
 * kept byte on. */
size_t log_read(const struct log *log, uint64_t *from, uint64_t end, void *to, size_t size);

#endif
