/* database.c - the Wisconsin benchmark on SQLite, as a Linux program.
 *
 *      database alone LOOPS FILE CACHE PAGE           one process
 *      database count LOOPS FILE CACHE PAGE           the same; counts windows in calls
 *      database ask LOOPS FILE CACHE PAGE SERVER      the client of SERVER, a path of this program
 *
 * CACHE and PAGE are values of SQLite's cache_size and page_size, 0 for its defaults. It prints
 * lines of a name, a count and the time by the time-stamp counter. */
#include "bench.h"
#include <malloc.h>
#include <stddef.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE 8192 /* bytes of rows per message */

static sqlite3 *base;

void fail(const char *what, const char *why)
{
        printf("failed 1 0\n= %s: %s\n", what, why);
        fflush(stdout);
        _exit(1);
}

/* Copies a statement's current row. Returns its bytes. */
static unsigned row_bytes(sqlite3_stmt *from, char *to)
{
        unsigned size = 0;
        for (int i = 0; i < sqlite3_column_count(from); i++) {
                if (sqlite3_column_type(from, i) == SQLITE_INTEGER) {
                        const int number = sqlite3_column_int(from, i);
                        memcpy(to + size, &number, sizeof number);
                        size += sizeof number;
                } else {
                        const unsigned length = (unsigned)sqlite3_column_bytes(from, i) + 1;
                        memcpy(to + size, sqlite3_column_text(from, i), length);
                        size += length;
                }
        }
        return size;
}

static sqlite3_stmt *inserting;

void database_run(const char *statement, row_sink *sink)
{
        sqlite3_stmt *prepared;
        char row[ROW_MOST];
        sqlite3_finalize(inserting);
        inserting = NULL;
        int state = sqlite3_prepare_v2(base, statement, -1, &prepared, NULL);
        while (state == SQLITE_OK || state == SQLITE_ROW) {
                state = sqlite3_step(prepared);
                if (state == SQLITE_ROW)
                        sink(row, row_bytes(prepared, row));
        }
        sqlite3_finalize(prepared);
        if (state != SQLITE_DONE)
                fail(statement, sqlite3_errmsg(base));
}

/* One prepared statement for each table, because a server loads a file. */
static void prepare_insert(const char *table)
{
        static char of[12];
        char text[100];
        if (inserting && !strcmp(of, table))
                return;
        sqlite3_finalize(inserting);
        snprintf(of, sizeof of, "%s", table);
        snprintf(text, sizeof text, "insert into %s values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                 table);
        if (sqlite3_prepare_v2(base, text, -1, &inserting, NULL))
                fail(text, sqlite3_errmsg(base));
}

void database_insert(const char *table, const struct row *row)
{
        prepare_insert(table);
        for (int i = 0; i < 13; i++)
                sqlite3_bind_int(inserting, i + 1, row->number[i]);
        for (int i = 0; i < 3; i++)
                sqlite3_bind_text(inserting, i + 14, row->text[i], -1, SQLITE_STATIC);
        if (sqlite3_step(inserting) != SQLITE_DONE)
                fail(table, sqlite3_errmsg(base));
        sqlite3_reset(inserting);
}

static void row_none(const char *row, unsigned size)
{
}

static void set(const char *name, const char *value)
{
        char text[60];
        snprintf(text, sizeof text, "pragma %s = %s", name, value);
        if (atoi(value))
                database_run(text, row_none);
}

void database_open(const char *file, const char *cache, const char *page)
{
        unlink(file);
        sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
        if (sqlite3_open(file, &base))
                fail(file, sqlite3_errmsg(base));
        set("page_size", page);
        set("cache_size", cache);
}

void database_close(void)
{
        if (sqlite3_close(base))
                fail("close", sqlite3_errmsg(base));
}

static void row_here(const char *row, unsigned size)
{
        workload_rows(row, size, 1);
}

static void run_here(const char *statement)
{
        database_run(statement, row_here);
}

enum {
        STATEMENT, /* a text; the reply is its rows, then an empty message */
        INSERT     /* a table's name and a row; the reply is an empty message */
};

struct message {
        uint32_t size, number;   /* number of bytes; the kind, or number of rows */
        char bytes[MESSAGE + 4]; /* plus a 0 behind a text */
};
#define HEAD offsetof(struct message, bytes)

static int line;

static void message_send(const struct message *message)
{
        const char *at = (const char *)message;
        for (size_t size = HEAD + message->size; size;) {
                ssize_t sent = write(line, at, size);
                if (sent <= 0)
                        fail("write", "the other side has gone");
                at += sent;
                size -= (size_t)sent;
        }
}

static int receive(char *to, size_t size)
{
        while (size) {
                ssize_t got = read(line, to, size);
                if (got <= 0)
                        return 0;
                to += got;
                size -= (size_t)got;
        }
        return 1;
}

static int message_receive(struct message *message)
{
        return receive((char *)message, HEAD) && message->size <= MESSAGE &&
               receive(message->bytes, message->size);
}

static struct message rows;

static void send_row(const char *row, unsigned size)
{
        if (rows.size + size > MESSAGE) {
                message_send(&rows);
                rows.size = rows.number = 0;
        }
        memcpy(rows.bytes + rows.size, row, size);
        rows.size += size;
        rows.number++;
}

static void serve_insert(const struct message *message)
{
        struct row row;
        memcpy(&row, message->bytes, sizeof row);
        database_insert(message->bytes + sizeof row, &row);
}

static int serve(char **argv)
{
        static struct message asked;
        line = atoi(argv[2]);
        database_open(argv[3], argv[4], argv[5]);
        while (message_receive(&asked)) {
                asked.bytes[asked.size] = 0;
                if (asked.number == INSERT)
                        serve_insert(&asked);
                else
                        database_run(asked.bytes, send_row);
                if (rows.size)
                        message_send(&rows);
                rows.size = rows.number = 0;
                message_send(&rows);
        }
        database_close();
        calls_say("server");
        return 0;
}

static struct message sent;

static void wait_for_rows(void)
{
        message_send(&sent);
        do {
                if (!message_receive(&sent))
                        fail("read", "the server has gone");
                workload_rows(sent.bytes, sent.size, sent.number);
        } while (sent.size);
}

static void run_there(const char *statement)
{
        sent.size = (uint32_t)strlen(statement);
        sent.number = STATEMENT;
        memcpy(sent.bytes, statement, sent.size);
        wait_for_rows();
}

static void insert_there(const char *table, const struct row *row)
{
        sent.size = (uint32_t)(sizeof *row + strlen(table));
        sent.number = INSERT;
        memcpy(sent.bytes, row, sizeof *row);
        memcpy(sent.bytes + sizeof *row, table, strlen(table));
        wait_for_rows();
}

static int start_server(char **argv)
{
        int ends[2];
        char number[12];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
                fail("socketpair", "no sockets");
        int child = fork();
        if (!child) {
                close(ends[0]);
                snprintf(number, sizeof number, "%d", ends[1]);
                execl(argv[6], argv[6], "serve", number, argv[3], argv[4], argv[5], NULL);
                fail(argv[6], "it cannot be started");
        }
        close(ends[1]);
        line = ends[0];
        return child;
}

/* This process's pages of memory, each allocated by a page fault. */
static long pages(void)
{
        char text[60];
        long kilobytes = 0;
        FILE *file = fopen("/proc/self/status", "r");
        while (file && fgets(text, sizeof text, file))
                sscanf(text, "VmRSS: %ld", &kilobytes);
        if (file)
                fclose(file);
        return kilobytes / 4;
}

/* Touches each page of its code, so that none of their page faults is inside a call. */
static void touch_code(void)
{
        extern const volatile char __executable_start[], etext[];
        for (const volatile char *at = __executable_start; at < etext; at += 4096)
                (void)*at;
}

int main(int argc, char **argv)
{
        static const struct asker here = {run_here, database_insert};
        static const struct asker there = {run_there, insert_there};
        /* The heap grows in large steps, to need few calls. */
        mallopt(M_TOP_PAD, 16 << 20);
        mallopt(M_MMAP_THRESHOLD, 1 << 30);
        mallopt(M_TRIM_THRESHOLD, 1 << 30);
        if (argc > 5 && !strcmp(argv[1], "serve"))
                return serve(argv);
        const int counts = argc > 5 && !strcmp(argv[1], "count");
        const int alone = counts || (argc > 5 && !strcmp(argv[1], "alone"));
        if (!alone && (argc < 7 || strcmp(argv[1], "ask")))
                fail(argv[0],
                     "alone, count LOOPS FILE CACHE PAGE, or ask LOOPS FILE CACHE PAGE SERVER");
        touch_code();
        const long before = pages();
        calls_begin(counts);
        uint64_t start = tsc();
        int server = alone ? 0 : start_server(argv), status = 0;
        if (alone)
                database_open(argv[3], argv[4], argv[5]);
        workload(alone ? &here : &there, (unsigned)atoi(argv[2]));
        if (alone) {
                database_close();
        } else {
                close(line);
                waitpid(server, &status, 0);
        }
        start = tsc() - start;
        calls_say("call");
        printf("pages %ld 0\ntotal 1 %llu\n", pages() - before, (unsigned long long)start);
        unlink(argv[3]);
        return status ? 1 : 0;
}
