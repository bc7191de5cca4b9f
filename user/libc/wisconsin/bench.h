/* bench.h - the Wisconsin benchmark on SQLite: shared declarations. */
#pragma once
#include <stdint.h>

static inline uint64_t tsc(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}

/* A fetched row: for each column 4 bytes of an integer, or a text with its 0. */
#define ROW_MOST 1000
typedef void row_sink(const char *row, unsigned size);

/* database.c: the database, in this process. */
void database_open(const char *file, const char *cache, const char *page);
void database_run(const char *statement, row_sink *sink); /* ends the program on failure */
void database_close(void);

/* rows.c: the rows to insert. */
struct row {
        int number[13];
        char text[3][7];
};
extern const char *const columns[16];
void row_begin(unsigned rows);
int row_next(struct row *to); /* 0 = no more rows */
void database_insert(const char *table, const struct row *row);

/* workload.c: sql-bench's test-wisconsin, for any executor of its statements. */
struct asker {
        void (*run)(const char *statement); /* passes its rows to workload_rows() */
        void (*insert)(const char *table, const struct row *row);
};
void workload(const struct asker *asker, unsigned loops);
void workload_rows(const char *bytes, unsigned size, unsigned rows);

/* calls.c: this process's system calls, by name. */
void calls_begin(int count_windows); /* instead of instructions, if the kernel counts windows */
void calls_say(const char *who);
_Noreturn void fail(const char *what, const char *why);
