/* log.h - keeps output: all text of the console, and this run's records.
 *
 * Of the text the newest is kept; of the records the oldest, because a run needs its first rows.
 * Lost lines are counted. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct log {
        char **pages;
        size_t size;         /* its capacity in bytes */
        uint64_t start, end; /* bounds of the kept bytes, counted from the first byte ever logged */
        unsigned lost;       /* lines lost for lack of room */
};
extern struct log log_text, log_records;

void log_init(void);                             /* call when frames exist: gets full size */
void log_say(const char *text, size_t count);    /* adds text; the oldest is lost */
void log_record(const char *line, size_t count); /* adds a whole record, or nothing */
void log_begin(void);                            /* a new run: removes all records */

/* Copies up to `size` bytes from *from on, and advances it. Starts at the oldest kept byte if
 * earlier ones are lost. */
size_t log_read(const struct log *log, uint64_t *from, uint64_t end, void *to, size_t size);
