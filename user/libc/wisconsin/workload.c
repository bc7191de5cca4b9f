/* workload.c - the steps of sql-bench's test-wisconsin, in its order: four tables with their
 * indexes, 31,000 rows, a large delete, and 24 statements, of which the ten queries are repeated;
 * then the tables are dropped.
 *
 * As with sql-bench's --fast, the rows are loaded in one transaction, not sent as statements. Every
 * other statement is sent as text each time; each row of a result is fetched and added to the
 * checksum. */
#include "bench.h"
#include <stdio.h>
#include <string.h>

#define LONGEST 2000   /* characters of a statement */
#define LONG 100000000 /* counts of the time-stamp counter */

static const struct table {
        const char *name;
        unsigned rows;
} tables[] = {{"onek", 1000}, {"tenk1", 10000}, {"tenk2", 10000}, {"Bprime", 10000}};
#define TABLES (sizeof tables / sizeof *tables)

/* Text; %s stands for the columns of `of` under new names: "t2.two AS t2two, ...". */
static const struct statement {
        const char *text, *of;
} statements[] = {
        {"select * from tenk1 where (unique2 > 301) and (unique2 < 402)", NULL},
        {"select * from tenk1 where (unique1 > 647) and (unique1 < 1648)", NULL},
        {"select * from tenk1 where unique2 = 2001", NULL},
        {"select * from tenk1 where (unique2 > 301) and (unique2 < 402)", NULL},
        {"select t1.*, %s from tenk1 t1, tenk1 t2 where (t1.unique2 = t2.unique2) and "
         "(t2.unique2 < 1000)",
         "t2"},
        {"select t.*, %s from tenk1 t, Bprime B where t.unique2 = B.unique2", "B"},
        {"select t1.*, %s from onek o, tenk1 t1, tenk1 t2 where (o.unique2 = t1.unique2) and "
         "(t1.unique2 = t2.unique2) and (t1.unique2 < 1000) and (t2.unique2 < 1000)",
         "o"},
        {"select two, four, ten, twenty, hundred, string4 from tenk1", NULL},
        {"select * from onek", NULL},
        {"select MIN(unique2) as x from tenk1", NULL},
#define INSERT(unique1, unique2)                                                                   \
        "insert into tenk1 values (" #unique1 ", " #unique2                                        \
        ", 0, 2, 0, 10, 50, 688, 1950, 4950, 9950, 1, 100, 'ron may choi', 'jae kwang choi', "     \
        "'u. c. berkeley')"
#define DELETE(unique2) "delete from tenk1 where tenk1.unique2 = " #unique2
#define UPDATE(from, to) "update tenk1 set unique2 = " #to " where tenk1.unique2 = " #from
        {INSERT(10001, 74001), NULL},
        {INSERT(19991, 60001), NULL},
        {DELETE(877), NULL},
        {DELETE(876), NULL},
        {UPDATE(1491, 10001), NULL},
        {UPDATE(1480, 10023), NULL},
        {INSERT(20002, 70002), NULL},
        {INSERT(50002, 40002), NULL},
        {DELETE(10001), NULL},
        {DELETE(900), NULL},
        {UPDATE(187, 10088), NULL},
        {UPDATE(2000, 10003), NULL},
        {UPDATE(1974, 10020), NULL},
        {UPDATE(1140, 16001), NULL}};
#define STATEMENTS (sizeof statements / sizeof *statements)

static const struct asker *asker;
static struct {
        unsigned long rows;
        uint32_t checksum; /* FNV-1a of the bytes of all rows */
} answers;

void workload_rows(const char *bytes, unsigned size, unsigned rows)
{
        uint32_t sum = answers.checksum;
        for (unsigned i = 0; i < size; i++)
                sum = (sum ^ (uint8_t)bytes[i]) * 16777619u;
        answers.checksum = sum;
        answers.rows += rows;
}

/* Long steps are reported at once, so that a person sees progress. */
static void say(const char *name, unsigned long count, uint64_t start)
{
        const uint64_t took = tsc() - start;
        printf("%s %lu %llu\n", name, count, (unsigned long long)took);
        if (took > LONG)
                fflush(stdout);
}

static void create(unsigned number)
{
        char text[LONGEST];
        const char *name = tables[number].name;
        int at = snprintf(text, sizeof text, "create table %s (", name);
        for (unsigned i = 0; i < 16; i++)
                at += snprintf(text + at, sizeof text - (size_t)at, "%s %s%s, ", columns[i],
                               i >= 13             ? "char(16)"
                               : !number && i == 0 ? "int(5)"
                                                   : "int(4)",
                               i < 2 || i == 6 ? " NOT NULL" : "");
        snprintf(text + at, sizeof text - (size_t)at, "UNIQUE (unique1), UNIQUE (unique2))");
        asker->run(text);
        snprintf(text, sizeof text, "create index hundred%u on %s (hundred)", number + 1, name);
        asker->run(text);
}

static unsigned long insert(const struct table *table)
{
        struct row row;
        row_begin(table->rows);
        while (row_next(&row))
                asker->insert(table->name, &row);
        return table->rows;
}

static void statement_text(char *to, const struct statement *statement)
{
        char list[LONGEST] = "";
        for (unsigned i = 0, at = 0; statement->of && i < 16; i++)
                at += (unsigned)snprintf(list + at, sizeof list - at, "%s%s.%s AS %s%s",
                                         i ? ", " : "", statement->of, columns[i], statement->of,
                                         columns[i]);
        const char *place = strstr(statement->text, "%s");
        if (place)
                snprintf(to, 2 * LONGEST, "%.*s%s%s", (int)(place - statement->text),
                         statement->text, list, place + 2);
        else
                snprintf(to, 2 * LONGEST, "%s", statement->text);
}

static void run_statement(unsigned number, unsigned loops)
{
        char text[2 * LONGEST], name[16];
        statement_text(text, &statements[number]);
        if (strncmp(text, "select", 6))
                loops = 1;
        uint64_t start = tsc();
        for (unsigned i = 0; i < loops; i++)
                asker->run(text);
        snprintf(name, sizeof name, "statement/%02u", number + 1);
        say(name, loops, start);
}

void workload(const struct asker *who, unsigned loops)
{
        unsigned long inserted = 0;
        asker = who;
        answers.checksum = 2166136261u;
        uint64_t start = tsc();
        for (unsigned i = 0; i < TABLES; i++)
                create(i);
        say("create", TABLES, start);
        start = tsc();
        asker->run("begin");
        for (unsigned i = 0; i < TABLES; i++)
                inserted += insert(&tables[i]);
        asker->run("commit");
        say("insert", inserted, start);
        start = tsc();
        asker->run("delete from Bprime where Bprime.unique2 >= 1000");
        say("delete", 1, start);
        for (unsigned i = 0; i < STATEMENTS; i++)
                run_statement(i, loops);
        start = tsc();
        for (unsigned i = 0; i < TABLES; i++) {
                char text[40];
                snprintf(text, sizeof text, "drop table %s", tables[i].name);
                asker->run(text);
        }
        say("drop", TABLES, start);
        printf("rows %lu 0\nchecksum %lu 0\n", answers.rows, (unsigned long)answers.checksum);
}
