/* bench.h - the Wisconsin benchmark on SQLite: what its files share. */
#ifndef TOLLGATE_USER_LIBC_WISCONSIN_BENCH_H
#define TOLLGATE_USER_LIBC_WISCONSIN_BENCH_H

#include <stdint.h>

static inline uint64_t tsc(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}

/* A row as it is fetched: of each column 4 bytes of an integer, or a text and its 0. */
#define ROW_MOST 1000
typedef void row_sink(const char *row, unsigned size);

/* database.c: the database, in this process. */
void database_open(const char *file, const char *cache, const char *page);
void database_run(const char *statement, row_sink *sink); /* ends the program if it fails */
void database_close(void);

/* rows.c: the rows to insert. */
struct row {
        int number[13];
        char text[3][7];
};
extern const char *const columns[16];
void row_begin(unsigned rows);
int row_next(struct row *to); /* 0 = there are no more */
void database_insert(const char *table, const struct row *row);

/* workload.c: sql-bench's test-wisconsin, whoever runs its statements. */
struct asker {
        void (*run)(const char *statement); /* gives its rows to workload_rows() */
        void (*insert)(const char *table, const struct row *row);
};
void workload(const struct asker *asker, unsigned loops);
void workload_rows(const char *bytes, unsigned size, unsigned rows);

/* calls.c: the system calls of this process, by name. */
void calls_begin(int count_windows); /* not instructions, where the kernel counts them */
void calls_say(const char *who);
_Noreturn void fail(const char *what, const char *why);

#endif
