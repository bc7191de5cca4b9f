/* share.c - how much of the processor `yes > /dev/null` leaves to a rival that only counts,
 * whichever ring it runs in, and how long it takes to die of ^C.
 *
 * This program is the rival. It reads the time-stamp counter in a loop: a step larger than AWAY
 * means that others ran. The time between two such steps is one of its turns. A death is the time
 * from kill(SIGINT) to the return of wait4(). For a key it starts at the interrupt of a C typed
 * with Ctrl, which the terminal turns into SIGINT and echoes. yes=PATH tries only that program,
 * only=TEXT only ids with this in them, samples=N limits the number of deaths. */
#include "linux.h"
#include "progress.h"
#include "result.h"

enum {
        OTHERS = 2,
        DEATHS = 10, /* each way */
        TURNS = 5,   /* deaths by each kind of kill() */
        SAMPLES = DEATHS * TURNS
};

/* Scan codes of set 1 */
#define CONTROL 0x1d
#define LETTER_C 0x2e
#define RELEASED 0x80

#define AWAY 100000          /* more than an interrupt, less than a turn */
#define LIMIT 4000000000LL   /* longer than any turn: no other process runs */
#define PATIENCE 100000000LL /* time between checks whether the other still exists */

struct measured {
        int64_t turn[SAMPLES], away[SAMPLES], death[2 * DEATHS];
};

static const char *origin;
static unsigned deaths;

static void record(const char *name, const char *what, int64_t *samples, unsigned n)
{
        static struct statistics s;
        char id[60];
        statistics_of(&s, samples, n);
        snprintf(id, sizeof id, "%s/share-%s/%s", origin, name, what);
        print_result("share", id, "share", &s);
}

static void skip(const char *name, const char *path, const char *why)
{
        char id[60], reason[200];
        snprintf(id, sizeof id, "%s/share-%s", origin, name);
        snprintf(reason, sizeof reason, "%s: %s", path, why);
        print_skip("share", id, reason);
        print("share beside %s\n", reason);
}

/* Blocks SIGINT until the child has its own signals: in the background of a script it is ignored
 * here and would be lost, and `yes` would run for ever. */
static long start(const char *path)
{
        const uint64_t interrupt = SIGNAL_BIT(SIGINT);
        uint64_t mask;
        rt_sigprocmask(SIG_BLOCK, &interrupt, &mask, sizeof mask);
        long pid = fork();
        if (pid) {
                rt_sigprocmask(SIG_SETMASK, &mask, NULL, sizeof mask);
                return pid;
        }
        char *arguments[] = {(char *)(uintptr_t)path, NULL};
        char *environment[] = {NULL};
        setpgid(0, 0);
        signals_as_at_login();
        long null = open("/dev/null", O_WRONLY, 0);
        if (null >= 0 && dup2((int)null, 1) >= 0)
                execve(path, arguments, environment);
        exit_group(127);
        return 0;
}

/* Counts until others have run. False = they do not: `other` has ended, with *status, or sleeps. */
static bool take_turn(long other, int *status, uint64_t *since, int64_t *turn, int64_t *away)
{
        uint64_t start_of_turn = *since ? *since : tsc(), last = start_of_turn;
        int64_t look = PATIENCE;
        for (;;) {
                uint64_t now = tsc();
                if (now - last > AWAY) {
                        *turn = (int64_t)(last - start_of_turn);
                        *away = (int64_t)(now - last);
                        *since = now;
                        return true;
                }
                last = now;
                if ((int64_t)(now - start_of_turn) < look)
                        continue;
                if (look >= LIMIT || wait4(other, status, WNOHANG, NULL) != 0)
                        return false;
                look += PATIENCE;
                print(".");
                last = tsc();
        }
}

static long type(long code)
{
        return system_call(NUMBER_toll_key, code);
}

static int64_t die_of_kill(long pid, int *status)
{
        uint64_t start = tsc();
        kill(pid, SIGINT);           /* it may also have ended by itself */
        wait4(pid, status, 0, NULL); /* unless take_turn() saw its end */
        return (int64_t)(tsc() - start);
}

static int64_t die_of_key(long pid, int *status)
{
        int group = (int)pid, before;
        ioctl(0, TIOCGPGRP, &before);
        ioctl(0, TIOCSPGRP, &group);
        type(CONTROL);
        uint64_t start = tsc();
        type(LETTER_C);
        wait4(pid, status, 0, NULL);
        uint64_t end = tsc();
        type(LETTER_C | RELEASED);
        type(CONTROL | RELEASED);
        ioctl(0, TIOCSPGRP, &before);
        return (int64_t)(end - start);
}

/* Measures one run of `yes`. NULL, or why it was not measured. */
static const char *live(const char *path, struct measured *m, unsigned round,
                        int64_t (*die)(long pid, int *status))
{
        static char reason[80];
        uint64_t since = 0;
        int64_t ignored[2];
        int status = 0;
        long pid = start(path);
        if (pid < 0)
                return error_text(pid);
        bool shared = take_turn(pid, &status, &since, &ignored[0], &ignored[1]);
        for (unsigned i = 0; shared && i < TURNS && round < deaths; i++)
                shared = take_turn(pid, &status, &since, &m->turn[round * TURNS + i],
                                   &m->away[round * TURNS + i]);
        m->death[round] = die(pid, &status);
        if ((status & 0x7f) == SIGINT)
                return shared ? NULL : "it had no turn";
        snprintf(reason, sizeof reason, "it ended by itself, status %d", status >> 8 & 0xff);
        return reason;
}

static unsigned lives_each(void)
{
        bool typed = !type(CONTROL) && !type(CONTROL | RELEASED); /* not on another kernel */
        return typed ? 2 * deaths : deaths;
}

static void try(const char *name, const char *path)
{
        static struct measured m;
        int64_t mine = 0, all = 0;
        unsigned lives = lives_each(), turns = deaths * TURNS;
        char id[60];
        snprintf(id, sizeof id, "%s/share-%s", origin, name);
        for (unsigned round = 0; round < lives; round++) {
                progress_row(id);
                print("."); /* one run takes long: shows progress */
                const char *why = live(path, &m, round, round < deaths ? die_of_kill : die_of_key);
                if (why) {
                        print("\n");
                        skip(name, path, why);
                        return;
                }
        }
        for (unsigned i = 0; i < turns; i++) {
                mine += m.turn[i];
                all += m.turn[i] + m.away[i];
        }
        unsigned permille = (unsigned)divide_signed(mine * 1000, (unsigned)(all >> 10) + 1) >> 10;
        print("\n"); /* ends the dots and the terminal's echo */
        record(name, "turn", m.turn, turns);
        record(name, "away", m.away, turns);
        record(name, "death", m.death, deaths);
        print("%s beside %s: %u.%u %% of the processor; SIGINT to death: %lld ticks (median)\n",
              origin, path, permille / 10, permille % 10, (long long)median_of(m.death, deaths));
        if (lives == deaths)
                return;
        record(name, "key", m.death + deaths, deaths);
        print("%s beside %s: Ctrl C typed to death: %lld ticks (median)\n", origin, path,
              (long long)median_of(m.death + deaths, deaths));
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name, *path;
        } others[OTHERS] = {{"user", "/bin/yes"}, {"trusted", "/trusted/yes"}};
        bool chosen[OTHERS];
        unsigned count = 0;
        const char *path = option(argv, "yes"), *only = option(argv, "only");
        deaths = option_number(argv, "samples", DEATHS);
        if (!deaths || deaths > DEATHS)
                deaths = DEATHS;
        origin = program_origin(argv[0]);
        for (size_t i = 0; i < OTHERS; i++) {
                char id[60];
                snprintf(id, sizeof id, "%s/share-%s", origin, others[i].name);
                chosen[i] = !path && (!only || strstr(id, only));
                count += chosen[i];
        }
        progress_begin(argv, "share", (path ? 1 : count) * lives_each()); /* each run is a row */
        if (path)
                try("yes", path);
        for (size_t i = 0; i < OTHERS; i++)
                if (chosen[i])
                        try(others[i].name, others[i].path);
        return 0;
}
