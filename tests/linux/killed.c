/* killed.c - SQLite in a file, killed at the Nth write, for many N: a later open then finds all
 * of a change or nothing. Built with the linker's --wrap=pwrite64. (With `pragma journal_mode =
 * off` it is none of 12 that is sound.) */
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "killed.file"
#define ROWS 400

static long writes_left = -1;

ssize_t __real_pwrite64(int, const void *, size_t, long long);
ssize_t __wrap_pwrite64(int, const void *, size_t, long long);
ssize_t __wrap_pwrite64(int file, const void *from, size_t size, long long at)
{
        if (writes_left > 0 && --writes_left == 0)
                kill(getpid(), SIGKILL);
        return __real_pwrite64(file, from, size, at);
}

static char answer[100];

static int keep(void *unused, int count, char **values, char **names)
{
        (void)unused, (void)count, (void)names;
        snprintf(answer, sizeof answer, "%s", values[0] ? values[0] : "null");
        return 0;
}

static const char *ask(const char *question)
{
        sqlite3 *base;
        char *error = NULL;
        answer[0] = 0;
        sqlite3_open(FILE_NAME, &base);
        sqlite3_exec(base, "pragma cache_size = 10", NULL, NULL, NULL);
        if (sqlite3_exec(base, question, keep, NULL, &error))
                snprintf(answer, sizeof answer, "%s", error);
        sqlite3_close(base);
        return answer;
}

static void fill(void)
{
        remove(FILE_NAME);
        ask("create table rows(number integer primary key, round integer, word text);"
            "create index words on rows(word);"
            "with recursive n(i) as (select 0 union all select i + 1 from n where i < 399)"
            "insert into rows select i, 0, hex(zeroblob(40)) || i from n");
}

/* Every row is of the round, or of the one before; the sum says so. */
static long round_now(void)
{
        const long sum = atol(ask("select sum(round) from rows"));
        return sum % ROWS ? -1 : sum / ROWS;
}

static int one_round(long round, long writes)
{
        char change[120];
        int status = 0;
        snprintf(change, sizeof change, "update rows set round = %ld, word = word || '%ld'", round,
                 round % 10);
        pid_t child = fork();
        if (!child) {
                writes_left = writes;
                ask(change);
                _exit(0);
        }
        waitpid(child, &status, 0);
        return WIFSIGNALED(status);
}

int main(void)
{
        unsigned seed = 1;
        int killed = 0, whole = 0, sound = 0;
        fill();
        for (long round = 1; round <= 12; round++) {
                const long before = round_now();
                seed = seed * 1103515245u + 12345u;
                killed += one_round(round, 1 + seed / 65536 % 100);
                const long after = round_now();
                whole += after == before || after == round;
                sound += !strcmp(ask("pragma integrity_check"), "ok");
        }
        printf("= killed %d of 12\n= all or nothing %d of 12\n= sound %d of 12\n", killed, whole,
               sound);
        remove(FILE_NAME);
        return 0;
}
