/* log.c - the log: a ring of text, and a run's records, in page frames. */
#include "dev/log.h"
#include "lib/string.h"
#include "mem/frame.h"

#define TEXT (256u << 10)
#define RECORDS (1u << 20) /* twice the size of all suites on a noisy machine */

/* Sizes are powers of two. Before there are frames, only a screen of text is kept. */
static char early[PAGE_SIZE];
static char *text_pages[TEXT / PAGE_SIZE] = {early}, *record_pages[RECORDS / PAGE_SIZE];
struct log log_text = {.pages = text_pages, .size = PAGE_SIZE};
struct log log_records = {.pages = record_pages};

static void log_grow(struct log *log, size_t most)
{
        size_t pages = log->size / PAGE_SIZE;
        for (; pages < most / PAGE_SIZE; pages++) {
                uintptr_t frame = frame_allocate();
                if (!frame)
                        break;
                log->pages[pages] = DIRECT(frame);
        }
        if (log->end > log->size)
                log->start = log->end; /* the ring has wrapped, and text was lost */
        for (log->size = PAGE_SIZE; log->size * 2 <= pages * PAGE_SIZE;)
                log->size *= 2;
        if (!pages)
                log->size = 0;
}

void log_init(void)
{
        log_grow(&log_text, TEXT);
        log_grow(&log_records, RECORDS);
}

/* The address of a position, and the bytes left in its page. */
static char *log_place(const struct log *log, uint64_t position, size_t *left)
{
        size_t at = (size_t)position & (log->size - 1);
        *left = PAGE_SIZE - at % PAGE_SIZE;
        return log->pages[at / PAGE_SIZE] + at % PAGE_SIZE;
}

static void log_put(struct log *log, const char *text, size_t count)
{
        for (size_t done = 0, part; done < count; done += part) {
                char *to = log_place(log, log->end, &part);
                part = count - done < part ? count - done : part;
                memcpy(to, text + done, part);
                log->end += part;
        }
        if (log->end - log->start > log->size)
                log->start = log->end - log->size;
}

void log_say(const char *text, size_t count)
{
        log_put(&log_text, text, count);
}

void log_record(const char *line, size_t count)
{
        if (log_records.end - log_records.start + count > log_records.size)
                log_records.lost++;
        else
                log_put(&log_records, line, count);
}

void log_begin(void)
{
        log_records.start = log_records.end;
        log_records.lost = 0;
}

size_t log_read(const struct log *log, uint64_t *from, uint64_t end, void *to, size_t size)
{
        size_t count;
        if (*from < log->start)
                *from = log->start;
        if (end > log->end)
                end = log->end;
        if (*from >= end)
                return 0;
        const char *at = log_place(log, *from, &count);
        if (count > end - *from)
                count = (size_t)(end - *from);
        if (count > size)
                count = size;
        memcpy(to, at, count);
        *from += count;
        return count;
}
