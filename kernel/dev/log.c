/* log.c - what was said: a ring of text, and the records of a run. */
#include "dev/log.h"
#include "lib/string.h"

#define TEXT (256u << 10)
#define RECORDS (1u << 20) /* all suites on a noisy machine take half of it */

static char text_bytes[TEXT], record_bytes[RECORDS];
struct log log_text = {.bytes = text_bytes, .size = TEXT};
struct log log_records = {.bytes = record_bytes, .size = RECORDS};

static void put(struct log *log, const char *text, size_t count)
{
        for (size_t done = 0, part; done < count; done += part) {
                size_t at = (size_t)log->end & (log->size - 1), room = log->size - at;
                part = count - done < room ? count - done : room;
                memcpy(log->bytes + at, text + done, part);
                log->end += part;
        }
        if (log->end - log->start > log->size)
                log->start = log->end - log->size;
}

void log_say(const char *text, size_t count)
{
        put(&log_text, text, count);
}

void log_record(const char *line, size_t count)
{
        if (log_records.end - log_records.start + count > log_records.size)
                log_records.lost++;
        else
                put(&log_records, line, count);
}

void log_begin(void)
{
        log_records.start = log_records.end;
        log_records.lost = 0;
}

size_t log_read(const struct log *log, uint64_t *from, uint64_t end, void *to, size_t size)
{
        if (*from < log->start)
                *from = log->start;
        if (end > log->end)
                end = log->end;
        if (*from >= end)
                return 0;
        size_t at = (size_t)*from & (log->size - 1), count = log->size - at;
        if (count > end - *from)
                count = (size_t)(end - *from);
        if (count > size)
                count = size;
        memcpy(to, log->bytes + at, count);
        *from += count;
        return count;
}
