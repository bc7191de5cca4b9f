/* wisconsin.c - the cost of a real application in either ring: sql-bench's Wisconsin benchmark on
 * SQLite (user/libc/wisconsin), in one process and as a client and a server, and files that are
 * read repeatedly in small pieces.
 *
 * The database is a Linux program with a libc, so it is a separate program in the initrd of this
 * suite, and prints its findings line by line. Its system calls are those of its libc. If the
 * kernel turns them into calls, a second copy of the database, which the kernel does not change,
 * shows the difference.
 *
 * How much more or less its calls take in ring 0 is predicted from other rows: the toll's, and that
 * of an interrupt window (cpu/window.h), whose path also differs between the rings. In ring 3 each
 * run is preceded by another, in which the kernel counts the windows of each call. A window is
 * timed by a long path minus a short one. */
#include "linux.h"
#include "progress.h"
#include "result.h"
#include "timed.h"

#define SUITE "wisconsin"
#define LOOPS 10 /* sql-bench's, at the time of the article; its author later took 10,000 */
#define FILE_OF_ROWS "/tmp/wisconsin"
#define SITES "trusted/site/standard" /* the row of a kernel that turns SYSCALLs into calls */
#define NAME 48
#define NAMES 65   /* names in the long path: each causes a window */
#define ROUNDS 3   /* readings of a file */
#define SAMPLES 21 /* samples of such a call; the median counts */
#define LINES 80   /* maximum number of lines of a database's output */

static const char *origin, *only;
static char loops[4];                    /* fewer if fewer samples are requested */
static char database[NAME], plain[NAME]; /* and its unchanged copy */

/* A database's figures: `count` of an item, and their time. */
static struct said {
        char name[NAME];
        int64_t count, took;
} said[LINES], counted[LINES]; /* and from the run that counts windows */
static unsigned lines;

static const struct setting {
        const char *name, *cache, *page;
} settings[] = {{"default", "0", "0"}, {"cache-10", "10", "0"}, {"page-512", "10", "512"}};

static int64_t said_of(const char *name)
{
        for (unsigned i = 0; i < lines; i++)
                if (!strcmp(said[i].name, name))
                        return said[i].count;
        return 0;
}

static int64_t number_at(char **at)
{
        int64_t number = 0;
        while (**at == ' ')
                ++*at;
        for (; **at >= '0' && **at <= '9'; ++*at)
                number = number * 10 + (**at - '0');
        return number;
}

static void read_line(char *line)
{
        struct said *next = &said[lines];
        unsigned length = 0;
        while (line[length] && line[length] != ' ' && length + 1 < NAME)
                length++;
        if (lines == LINES || line[0] == '=') {
                print("%s\n", line);
                return;
        }
        memcpy(next->name, line, length);
        next->name[length] = 0;
        line += length;
        next->count = number_at(&line);
        next->took = number_at(&line);
        lines++;
}

static void read_lines(char *text)
{
        lines = 0;
        for (char *end; (end = strchr(text, '\n')); text = end + 1) {
                *end = 0;
                read_line(text);
        }
}

/* Reads the pipe until its writers have ended; drops what does not fit into `to`. Prints a dot for
 * each piece, to show that the machine is alive. */
static void read_all(int from, char *to, size_t size)
{
        long got;
        while (size > 1 && (got = read(from, to, size - 1)) > 0) {
                to += got;
                size -= (size_t)got;
                print(".");
        }
        print("\n");
        *to = 0;
}

static bool run(char **arguments, struct toll_counts *counts)
{
        static char text[LINES * (NAME + 32)];
        int ends[2], status = -1;
        if (pipe(ends))
                return false;
        const struct toll_counts before = counts_now();
        long pid = fork();
        if (!pid) {
                dup2(ends[1], 1);
                close(ends[0]);
                close(ends[1]);
                execve(arguments[0], arguments, (char *[]){NULL});
                exit_group(1);
        }
        close(ends[1]);
        read_all(ends[0], text, sizeof text);
        close(ends[0]);
        wait4(pid, &status, 0, NULL);
        *counts = counts_now();
        counts->ticks -= before.ticks;
        read_lines(text);
        return pid > 0 && !status;
}

#define UNCOUNTED -1

static void record(const char *id, const char *label, int64_t count, int64_t took, int64_t windows,
                   const struct toll_counts *counts)
{
        static struct statistics s;
        struct json json;
        statistics_of(&s, &took, 1);
        result_open(&json, SUITE, id, label, &s);
        json_number(&json, "count", count);
        if (windows != UNCOUNTED)
                json_number(&json, "windows", windows);
        if (counts) {
                json_number(&json, "rows", said_of("rows"));
                json_number(&json, "checksum", said_of("checksum"));
                json_number(&json, "pages", said_of("pages"));
                json_number(&json, "ticks", counts->ticks);
        }
        result_close(&json, SUITE, id);
}

/* Windows in the calls of this name, from the counting run. */
static int64_t windows_of(const char *name)
{
        for (unsigned i = 0; i < LINES && *counted[i].name; i++)
                if (!strcmp(counted[i].name, name))
                        return counted[i].took;
        return UNCOUNTED;
}

/* Each line with a figure becomes a row: the setting's name, then its own ('-' replaces '/'). */
static void record_all(const char *setting, const struct toll_counts *counts)
{
        char id[2 * NAME];
        int64_t calls = 0, took = 0;
        for (unsigned i = 0; i < lines; i++) {
                const struct said *line = &said[i];
                const bool call = !strncmp(line->name, "call/", 5);
                if (!line->took)
                        continue;
                int at = snprintf(id, sizeof id, "%s/%s/", origin, setting);
                snprintf(id + at, sizeof id - (size_t)at, "%s", line->name);
                for (char *c = id + at; *c; c++)
                        if (*c == '/')
                                *c = '-';
                calls += call ? line->count : 0;
                took += call ? line->took : 0;
                record(id, setting, line->count, line->took,
                       call ? windows_of(line->name) : UNCOUNTED,
                       strcmp(line->name, "total") ? NULL : counts);
        }
        snprintf(id, sizeof id, "%s/%s/calls", origin, setting);
        record(id, setting, calls, took, UNCOUNTED, NULL);
}

static bool is_there(const char *file)
{
        struct stat there;
        return !stat(file, &there);
}

static void plain_of(char *to, const char *of)
{
        snprintf(to, NAME, "%s-syscall", of);
        if (!is_there(to))
                snprintf(to, NAME, "%s", of);
}

static int64_t checksum;

/* The same run as `alone` in ring 3, counting its windows: takes longer. */
static void count_windows(char **arguments)
{
        struct toll_counts counts;
        char *other[8] = {arguments[0], "count"};
        memset(counted, 0, sizeof counted);
        if (strcmp(origin, "user") || strcmp(arguments[1], "alone"))
                return;
        memcpy(other + 2, arguments + 2, 4 * sizeof *other);
        const long kernel = toll_call(NUMBER_toll_checksum);
        toll_call(NUMBER_toll_latency, TOLL_BEGIN, 0);
        const bool ran = run(other, &counts);
        toll_call(NUMBER_toll_latency, TOLL_END, 0);
        check(ran && lines < LINES, "windows", "status %s", ran ? "0" : "not 0");
        const long after = toll_call(NUMBER_toll_checksum);
        check(after == kernel, "windows", "the kernel: %lx, it was %lx", after, kernel);
        memcpy(counted, said, lines * sizeof *said);
}

static void measure(const char *setting, char **arguments)
{
        struct toll_counts counts;
        char id[2 * NAME];
        snprintf(id, sizeof id, "%s/%s/total", origin, setting);
        if ((only && !strstr(id, only)) || !progress_row(id))
                return;
        if (!is_there(arguments[0])) {
                print_skip(SUITE, id, "this initrd has no database for programs of this width");
                return;
        }
        count_windows(arguments);
        const bool ran = run(arguments, &counts);
        if (!checksum)
                checksum = said_of("checksum");
        check(ran && said_of("rows"), id, "%lld rows, status %s", (long long)said_of("rows"),
              ran ? "0" : "not 0");
        check(said_of("checksum") == checksum, "checksum", "%s: %08x, the first was %08x", setting,
              (unsigned)said_of("checksum"), (unsigned)checksum);
        record_all(setting, &counts);
        print("  %-36s %14lld  checksum %08x\n", id, (long long)(lines ? said[lines - 1].took : 0),
              (unsigned)said_of("checksum"));
}

static void measure_alone(const struct setting *setting, char *path, const char *behind)
{
        char name[NAME];
        snprintf(name, sizeof name, "%s%s", setting->name, behind);
        measure(name, (char *[]){path, "alone", loops, FILE_OF_ROWS, (char *)setting->cache,
                                 (char *)setting->page, NULL});
}

/* This ring's client with a server in each ring. */
static void measure_pairs(void)
{
        char server[NAME];
        measure("server-user",
                (char *[]){plain, "ask", loops, FILE_OF_ROWS, "0", "0", "/bin/database", NULL});
        plain_of(server, "/trusted/database");
        measure("server-trusted",
                (char *[]){plain, "ask", loops, FILE_OF_ROWS, "0", "0", server, NULL});
}

static char long_path[2 * NAMES + 1]; /* "/./././." */

static int64_t count_of(struct stat *to)
{
        toll_call(NUMBER_toll_latency, TOLL_BEGIN, 0);
        const uint32_t before = counts_now().windows;
        toll_call(LIBC_stat, long_path, to);
        const uint32_t after = counts_now().windows;
        toll_call(NUMBER_toll_latency, TOLL_END, 0);
        return after - before;
}

static void measure_path(const struct toll_row *row, unsigned names, const char *way)
{
        char id[NAME];
        struct stat there;
        int64_t took[SAMPLES];
        long result = 0, failed = 0;
        snprintf(id, sizeof id, "%s/names-%u/%s", origin, names, way);
        if ((only && !strstr(id, only)) || !progress_row(id))
                return;
        for (unsigned i = 0; i < names; i++)
                memcpy(long_path + 2 * i, "/.", 3);
        const int64_t windows = count_of(&there);
        for (unsigned i = 0; i < SAMPLES; i++) {
                took[i] = timed_half((const void *)(uintptr_t)row->clean, LIBC_stat,
                                     (long)long_path, (long)&there, 0, &result);
                failed |= result;
        }
        check(!failed, id, "stat() returned %ld", failed);
        record(id, "names", names, median_of(took, SAMPLES), windows, NULL);
}

static uint8_t bytes[8192];

static long make_file(unsigned size)
{
        const char *path = "/tmp/pieces";
        long fd = toll_call(NUMBER_open, path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        for (unsigned at = 0; at < size; at += sizeof bytes)
                toll_call(NUMBER_write, fd, bytes, sizeof bytes);
        toll_call(NUMBER_unlink, path);
        return fd;
}

static int64_t time_pieces(const struct toll_row *row, long fd, unsigned piece, int64_t *calls)
{
        long got;
        int64_t took = 0;
        *calls = 0;
        toll_call(NUMBER_lseek, fd, 0, 0);
        do {
                took += timed_half((const void *)(uintptr_t)row->clean, NUMBER_read, fd,
                                   (long)bytes, piece, &got);
                ++*calls;
        } while (got > 0);
        return took;
}

static void measure_pieces(const struct toll_row *row, const char *name, unsigned size,
                           unsigned piece)
{
        char id[NAME];
        int64_t calls;
        snprintf(id, sizeof id, "%s/%s-%uK/%u", origin, name, size >> 10, piece);
        if ((only && !strstr(id, only)) || !progress_row(id))
                return;
        long fd = make_file(size);
        toll_call(NUMBER_toll_latency, TOLL_BEGIN, 0);
        const uint32_t before = counts_now().windows;
        time_pieces(row, fd, piece, &calls);
        const uint32_t windows = counts_now().windows - before;
        toll_call(NUMBER_toll_latency, TOLL_END, 0);
        int64_t took = INT64_MAX; /* excludes rounds with a tick, which are longer */
        for (unsigned i = 0; i < ROUNDS; i++) {
                const int64_t now = time_pieces(row, fd, piece, &calls);
                took = now < took ? now : took;
        }
        toll_call(NUMBER_close, fd);
        record(id, name, calls, took, windows, NULL);
        print("  %-36s %14lld\n", id, (long long)took);
}

/* Measures one mechanism, if present: files in pieces, and a path that is longer than a short one
 * by its windows. */
static void measure_way(const char *way, const char *name)
{
        struct toll_row row;
        char wanted[NAME];
        long index = 0;
        snprintf(wanted, sizeof wanted, "%s/%s/standard", origin, way);
        while (!toll_call(NUMBER_toll_row, index, &row) && strcmp(row.id, wanted))
                index++;
        if (toll_call(NUMBER_toll_select, index, FLAVOUR_clean))
                return;
        measure_path(&row, 1, way);
        measure_path(&row, NAMES, way);
        for (unsigned size = 16 << 10; size <= 256 << 10; size *= 4) {
                measure_pieces(&row, name, size, 64);
                measure_pieces(&row, name, size, 512);
                measure_pieces(&row, name, size, 8192);
        }
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
}

/* Whether the kernel turns a trusted program's SYSCALLs into calls. */
static bool has_sites(void)
{
        struct toll_row row;
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!strcmp(row.id, SITES))
                        return true;
        return false;
}

static void measure_all(void)
{
        const bool sites = has_sites();
        for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
                measure_alone(&settings[i], plain, "");
                if (sites)
                        measure_alone(&settings[i], database, "-site");
        }
        measure_pairs();
        const bool trusted = strcmp(origin, "user");
        measure_way(WIDE ? "syscall" : trusted ? "call" : "int", "pieces");
        if (WIDE && trusted)
                measure_way("call", "called");
}

int main(int argc, char **argv)
{
        origin = program_origin(argv[0]);
        only = option(argv, "only");
        const unsigned samples = option_number(argv, "samples", LOOPS);
        snprintf(loops, sizeof loops, "%u", samples && samples < LOOPS ? samples : LOOPS);
        snprintf(database, sizeof database, "%.*sdatabase", (int)(strlen(argv[0]) - strlen(SUITE)),
                 argv[0]);
        plain_of(plain, database);
        progress_walk(argv, SUITE, measure_all);
        return check_status();
}
