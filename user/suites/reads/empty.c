/* empty.c - an empty read of every kind of file, by every path to the file's read function. */
#include "noise.h"
#include "timing.h"

/* A descriptor of each kind whose empty read returns at once. */
static long open_pipe(void)
{
        int ends[2];
        long error = pipe(ends);
        return error ? error : ends[0];
}

static long open_socket(void)
{
        int pair[2];
        long error = system_call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
        return error ? error : pair[0];
}

/* The slave of a new pair. */
static long open_pty(void)
{
        char path[24];
        int no = 0, number = 0;
        long master = open("/dev/ptmx", O_RDWR, 0);
        if (master < 0)
                return master;
        ioctl((int)master, TIOCSPTLCK, &no);
        ioctl((int)master, TIOCGPTN, &number);
        snprintf(path, sizeof path, "/dev/pts/%d", number);
        return open(path, O_RDONLY | O_NONBLOCK, 0);
}

static const struct kind {
        const char *name, *path;
        long (*open)(void);
        const char *missing; /* reason, if it cannot be opened */
} kinds[] = {{"null", "/dev/null", NULL, NULL},
             {"zero", "/dev/zero", NULL, NULL},
             {"file", "", NULL, NULL}, /* the program's own file */
             {"console", "/dev/console", NULL, NULL},
             {"pipe", NULL, open_pipe, NULL},
             {"socket", NULL, open_socket, NULL},
             {"pty", NULL, open_pty, NULL},
             {"proc", "/proc/version", NULL, NULL},
             {"proc-sys", "/proc/sys/kernel/osrelease", NULL, NULL},
             {"hda", "/dev/hda", NULL, "no disk"},
             {"ext2", "/disk/LICENSE", NULL, "no ext2 on a disk"},
             {"nfs", NULL, NULL, "no network yet"},
             {"net-pty", NULL, NULL, "no network yet"}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Reads `size` bytes to `buffer` through a user half; the result must be `size`. */
static void by_half(const char *id, const char *label, const void *half, long fd,
                    const void *buffer, long size, long answer)
{
        long result = 0;
        if (!wanted(id))
                return;
        int64_t pair = pair_cost();
        for (unsigned i = 0; i < WARM_UP + samples; i++)
                stamps[i] =
                        timed_half(half, NUMBER_read, fd, (long)(uintptr_t)buffer, size, &result);
        if (result != answer)
                check(false, id, "read() returned %ld, not %ld", result, answer);
        note(id, label, pair);
}

/* Reads in kernel space. */
static void by_rung(const char *id, const char *label, enum ladder_rung rung, long fd)
{
        struct ladder ask = {fd, LADDER_NOTHING, 0, WARM_UP + samples, stamps};
        if (!wanted(id))
                return;
        long result = kernel_ladder_read(&ask);
        int64_t pair = median_of_stamps();
        ask.rung = rung;
        if (!result)
                result = kernel_ladder_read(&ask);
        if (result)
                check(false, id, "the read returned %ld", result);
        note(id, label, pair);
}

static const char *id_of(const char *from, const char *how, const char *kind)
{
        static char id[40];
        snprintf(id, sizeof id, "%s/%s/%s", from, how, kind);
        return id;
}

static void by_gates(const struct kind *kind, long fd, unsigned what)
{
        const uint8_t *buffer = kernel_ladder_read ? kernel_ladder_buffer : own_buffer;
        struct toll_row row;
        char gate[16], how[24];
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (!is_gate(&row, gate) || (!is_usual(gate) && !(what & READS_GATES)))
                        continue;
                snprintf(how, sizeof how, "read-%s", gate);
                const char *id = id_of(origin,
                                       !is_usual(gate)      ? how
                                       : kernel_ladder_read ? "int80"
                                                            : "read",
                                       kind->name);
                toll_call(NUMBER_toll_select, i, FLAVOUR_clean);
                by_half(id, gate, (const void *)(uintptr_t)row.clean, fd, buffer, 0, 0);
                if (is_usual(gate) && what & READS_FAULT && !strcmp(kind->name, "zero"))
                        by_half(id_of(origin, "efault", kind->name), gate,
                                (const void *)(uintptr_t)row.clean, fd, (const void *)NOWHERE, 4,
                                -EFAULT);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        }
}

static void by_rungs(const struct kind *kind, long fd, unsigned what)
{
        by_rung(id_of("kernel", "sys_read", kind->name), "sys_read", LADDER_SYS_READ, fd);
        by_rung(id_of("kernel", "file_read", kind->name), "f_op", LADDER_FILE_READ, fd);
        if (what & READS_GATES)
                by_rung(id_of("kernel", "cached", kind->name), "cached", LADDER_CACHED, fd);
}

static bool skip_row(const char *id, const char *reason)
{
        bool now = progress_row(id);
        if (now)
                print_skip(suite, id, reason);
        return now;
}

/* Skips ids without figures for a kind: the suite's own, not those of other gates. */
static void skip(const struct kind *kind, const char *reason, unsigned what)
{
        static const char *const rungs[] = {"sys_read", "file_read", "cached"};
        if (skip_row(id_of(origin, kernel_ladder_read ? "int80" : "read", kind->name), reason))
                print("  %-30s not here: %s\n", kind->name, reason);
        for (unsigned i = 0; kernel_ladder_read && i < (what & READS_GATES ? 3 : 2); i++)
                skip_row(id_of("kernel", rungs[i], kind->name), reason);
}

static long open_kind(const struct kind *kind, const char *self)
{
        if (kind->open)
                return kind->open();
        return open(*kind->path ? kind->path : self, O_RDONLY | O_NONBLOCK, 0);
}

static void measure_kind(const struct kind *kind, const char *self, unsigned what)
{
        long fd = kind->open || kind->path ? open_kind(kind, self) : -ENOENT;
        if (kind->missing && (fd == -ENOENT || fd == -ENXIO)) {
                skip(kind, kind->missing, what);
                return;
        }
        if (fd < 0) {
                if (progress_row(kind->name))
                        check(false, kind->name, "no such file can be opened: error %ld", -fd);
                return;
        }
        by_gates(kind, fd, what);
        if (kernel_ladder_read)
                by_rungs(kind, fd, what);
        close((int)fd);
}

/* INT 80h with a buffer in kernel memory: refused, unless the address limit is lifted. */
static void check_limit(void)
{
        long zero = open("/dev/zero", O_RDONLY, 0);
        uintptr_t limit = kernel_limit_get();
        long below = toll_call(NUMBER_read, zero, kernel_ladder_buffer, 4);
        kernel_limit_set(LIMIT_NONE);
        long lifted = toll_call(NUMBER_read, zero, kernel_ladder_buffer, 4);
        kernel_limit_set(limit);
        long again = toll_call(NUMBER_read, zero, kernel_ladder_buffer, 4);
        close((int)zero);
        check(below == -EFAULT && lifted == 4 && again == -EFAULT, "limit",
              "a kernel buffer: %ld below the limit, %ld without one, %ld again", below, lifted,
              again);
}

static const char *self;
static unsigned asked; /* READS_... */

static void measure_kinds(void)
{
        for (unsigned i = 0; i < KINDS; i++)
                measure_kind(&kinds[i], self, asked);
}

int reads_measure(char **argv, const char *name, unsigned what)
{
        if (!begin(argv, name))
                return 2;
        uintptr_t limit = kernel_ladder_read ? kernel_limit_get() : 0;
        if (kernel_ladder_read) {
                check_limit();
                kernel_limit_set(LIMIT_NONE);
        }
        self = argv[0];
        asked = what;
        progress_walk(argv, name, measure_kinds);
        if (kernel_ladder_read)
                kernel_limit_set(limit);
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}

#define NO_FILE (-1L) /* getpid, for comparison with reads */

/* Best of N, like usystime, by the program's own system call, without Tollgate calls. */
static void by_call(const char *what, long fd, const struct statistics *pair)
{
        static int64_t ticks[SAMPLES_MAX];
        static struct statistics s;
        if (fd == NO_FILE)
                NOISE_TAKE(ticks, samples, getpid());
        else
                NOISE_TAKE(ticks, samples, read((int)fd, own_buffer, 0));
        for (unsigned i = 0; i < samples; i++)
                ticks[i] -= pair->min;
        statistics_of(&s, ticks, samples);
        const char *id = id_of(origin, "read", what);
        print_result(suite, id, "kinds", &s);
        print("  %-30s %6lld\n", id, (long long)s.min);
}

int reads_anywhere(char **argv)
{
        static struct statistics pair;
        static int64_t ticks[SAMPLES_MAX];
        suite = "kinds";
        origin = program_origin(argv[0]);
        samples = sample_count(argv);
        noise_init(argv);
        NOISE_TAKE(ticks, samples, );
        statistics_of(&pair, ticks, samples);
        progress_begin(argv, suite, KINDS + 1);
        for (unsigned i = 0; i < KINDS; i++) {
                long fd = kinds[i].missing ? -ENODEV : open_kind(&kinds[i], argv[0]);
                const char *id = id_of(origin, "read", kinds[i].name);
                progress_row(id);
                if (fd < 0) {
                        print_skip(suite, id, kinds[i].missing ? kinds[i].missing : error_text(fd));
                        continue;
                }
                by_call(kinds[i].name, fd, &pair);
                close((int)fd);
        }
        progress_row(id_of(origin, "read", "getpid"));
        by_call("getpid", NO_FILE, &pair);
        return check_status();
}
