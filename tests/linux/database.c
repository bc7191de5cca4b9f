/* database.c - SQLite in a file: rows, an index, a rolled-back change, and the contents after
 * reopening. */
#include <sqlite3.h>
#include <stdio.h>

static int show(void *unused, int count, char **values, char **names)
{
        (void)unused, (void)names;
        printf("=");
        for (int i = 0; i < count; i++)
                printf(" %s", values[i] ? values[i] : "null");
        printf("\n");
        return 0;
}

static void ask(sqlite3 *base, const char *question)
{
        char *error = NULL;
        if (sqlite3_exec(base, question, show, NULL, &error))
                printf("= %s: %s\n", question, error);
}

int main(void)
{
        sqlite3 *base;
        char question[80];
        remove("database.file");
        sqlite3_open("database.file", &base);
        ask(base, "create table rows(number integer primary key, word text)");
        ask(base, "begin");
        for (int i = 0; i < 300; i++) {
                snprintf(question, sizeof question, "insert into rows values(%d, '%d')", i,
                         i * 7919 % 1000);
                ask(base, question);
        }
        ask(base, "commit");
        ask(base, "create index words on rows(word)");
        ask(base, "select count(*), sum(word), max(word) from rows where word > '5'");
        ask(base, "begin; delete from rows where number % 2; rollback");
        ask(base, "update rows set word = number where number % 3 = 0");
        sqlite3_close(base);
        sqlite3_open("database.file", &base);
        ask(base, "select count(*), sum(word) from rows");
        ask(base, "pragma integrity_check");
        sqlite3_close(base);
        remove("database.file");
        return 0;
}
