/* reads.c - an empty read of every kind of file, by every way to the file's read function. */
#include "reads.h"
#include "const.h"
#include "copiers.h"
#include "file/ladder.h"
#include "kernel.h"
#include "linux.h"
#include "result.h"

#define WARM_UP 100
#define LIMIT_NONE UINTPTR_MAX

/* What a trusted program has of the kernel (file/ladder.h, proc/limit.h); NULL in ring 3. */
KERNEL_FUNCTION_MAYBE(long, ladder_read, const struct ladder *ask);
KERNEL_FUNCTION_MAYBE(uintptr_t, limit_get, void);
KERNEL_FUNCTION_MAYBE(void, limit_set, uintptr_t limit);
KERNEL_DATA_MAYBE(uint8_t, ladder_buffer);

static const char *suite, *origin, *only;
static unsigned samples;
static int64_t ticks[SAMPLES_MAX];
static uint32_t stamps[WARM_UP + SAMPLES_MAX];
static uint8_t own_buffer[LADDER_ROOM], source[LADDER_ROOM];
static const void *nothing; /* a user half that only returns */

/* A descriptor of each kind, from which an empty read comes back at once. */
static long open_pipe(void)
{
        int ends[2];
        long error = pipe(ends);
        return error ? error : ends[0];
}

static const struct kind {
        const char *name, *path;
        long (*open)(void);
        const char *missing;
} kinds[] = {
        {"null", "/dev/null", NULL, NULL},
        {"zero", "/dev/zero", NULL, NULL},
        {"file", "", NULL, NULL}, /* the program's own */
        {"console", "/dev/console", NULL, NULL},
        {"pipe", NULL, open_pipe, NULL},
        {"proc", "/proc/version", NULL, NULL},
        {"proc-sys", "/proc/sys/kernel/osrelease", NULL, NULL},
        {"nfs", NULL, NULL, "no network yet"},
        {"net-pty", NULL, NULL, "no network yet"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static bool wanted(const char *id)
{
        return !only || strstr(id, only);
}

static void note(const char *id, const char *label, int64_t pair)
{
        static struct statistics s;
        for (unsigned i = 0; i < samples; i++)
                ticks[i] = (int64_t)stamps[WARM_UP + i] - pair;
        statistics_of(&s, ticks, samples);
        print_result(suite, id, label, &s);
        print("  %-30s %6lld\n", id, (long long)s.median);
}

static int64_t median_of_stamps(void)
{
        for (unsigned i = 0; i < samples; i++)
                ticks[i] = stamps[WARM_UP + i];
        return median_of(ticks, samples);
}

static int64_t pair_cost(void)
{
        for (unsigned i = 0; i < WARM_UP + samples; i++)
                stamps[i] = timed_nothing(nothing);
        return median_of_stamps();
}

/* Through a user half: `size` bytes to `buffer`, which must answer so. */
static void by_half(const char *id, const char *label, const void *half, long fd,
                    const void *buffer, long size, long answer)
{
        long result = 0;
        if (!wanted(id))
                return;
        int64_t pair = pair_cost();
        for (unsigned i = 0; i < WARM_UP + samples; i++)
                stamps[i] =
                        timed_call(half, NUMBER_read, fd, (long)(uintptr_t)buffer, size, &result);
        if (result != answer)
                check(false, id, "read() returned %ld, not %ld", result, answer);
        note(id, label, pair);
}

/* In kernel space. */
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

/* `ORIGIN/GATE/standard` of the toll, for each gate of this program's origin. */
static bool is_gate(const struct toll_row *row, char gate[16])
{
        const char *at = row->id + strlen(origin) + 1, *end = strchr(at, '/');
        if (strcmp(row->suite, "toll") || !end || strcmp(end, "/standard") || row->missing[0] ||
            row->quiet || end - at >= 16)
                return false;
        memcpy(gate, at, (size_t)(end - at));
        gate[end - at] = 0;
        return true;
}

/* What programs of this kind make their calls by. */
static bool is_usual(const char *gate)
{
        return !strcmp(gate, WIDE && !kernel_ladder_read ? "syscall" : "int");
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

/* The ids that a kind has no figures for: the suite's own, not every gate's. */
static void skip(const struct kind *kind, const char *reason, unsigned what)
{
        static const char *const rungs[] = {"sys_read", "file_read", "cached"};
        print_skip(suite, id_of(origin, kernel_ladder_read ? "int80" : "read", kind->name), reason);
        for (unsigned i = 0; kernel_ladder_read && i < (what & READS_GATES ? 3 : 2); i++)
                print_skip(suite, id_of("kernel", rungs[i], kind->name), reason);
        print("  %-30s not here: %s\n", kind->name, reason);
}

static long open_kind(const struct kind *kind, const char *self)
{
        if (kind->open)
                return kind->open();
        return open(*kind->path ? kind->path : self, O_RDONLY | O_NONBLOCK, 0);
}

static void measure_kind(const struct kind *kind, const char *self, unsigned what)
{
        if (kind->missing) {
                skip(kind, kind->missing, what);
                return;
        }
        long fd = open_kind(kind, self);
        if (fd < 0) {
                check(false, kind->name, "no such file can be opened: error %ld", -fd);
                return;
        }
        by_gates(kind, fd, what);
        if (kernel_ladder_read)
                by_rungs(kind, fd, what);
        close((int)fd);
}

/* INT 80h with a buffer in kernel memory: the address limit refuses it, unless it is lifted. */
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

/* False = this is not what the command line named, or no Tollgate. */
static bool begin(char **argv, const char *name)
{
        struct toll_control control;
        suite = name;
        output_through(toll_call);
        only = option(argv, "only");
        samples = option_number(argv, "samples", 1000);
        samples = samples && samples <= SAMPLES_MAX ? samples : SAMPLES_MAX;
        origin = kernel_ladder_read                 ? "trusted"
                 : !strncmp(argv[0], "/compat/", 8) ? "compat"
                                                    : "user";
        if (toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control) ||
            toll_call(NUMBER_toll_quiet, 1)) {
                print("%s: only what Tollgate's command line names may measure: suite=%s\n", name,
                      name);
                return false;
        }
        nothing = (const void *)(uintptr_t)control.pair[FLAVOUR_clean];
        return true;
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
        for (unsigned i = 0; i < KINDS; i++)
                measure_kind(&kinds[i], argv[0], what);
        if (kernel_ladder_read)
                kernel_limit_set(limit);
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}

/* --- the cost of a byte -------------------------------------------------------------------------
 */

#define COPY_SAMPLES 50 /* at most: the longest takes 65,536 instructions */

static const unsigned sizes[] = {0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};
#define SIZES (sizeof sizes / sizeof *sizes)

static const char *id_sized(const char *from, const char *how, const char *of, unsigned size)
{
        static char id[40];
        snprintf(id, sizeof id, "%s/%s/%s-%u", from, how, of, size);
        return id;
}

static void read_sized(const char *name, const void *half, long fd, unsigned size)
{
        const char *id = id_sized(origin, kernel_ladder_read ? "int80" : "read", name, size);
        void *buffer = kernel_ladder_read ? kernel_ladder_buffer : own_buffer;
        long result = 0;
        if (!wanted(id))
                return;
        int64_t pair = pair_cost();
        for (unsigned i = 0; i < WARM_UP + samples; i++) {
                toll_call(NUMBER_lseek, fd, 0, 0);
                stamps[i] =
                        timed_call(half, NUMBER_read, fd, (long)(uintptr_t)buffer, size, &result);
        }
        if (result != (long)size || memcmp(buffer, *name == 'z' ? own_buffer : source, size))
                check(false, id, "read() returned %ld, or other bytes", result);
        note(id, "copy", pair);
}

static void rung_sized(const char *name, enum ladder_rung rung, const char *how, long fd,
                       unsigned size)
{
        struct ladder ask = {fd, LADDER_NOTHING, 0, WARM_UP + samples, stamps};
        const char *id = id_sized("kernel", how, name, size);
        if (!wanted(id))
                return;
        toll_call(NUMBER_lseek, fd, 0, 0);
        kernel_ladder_read(&ask);
        int64_t pair = median_of_stamps();
        ask.rung = rung;
        ask.size = size;
        long result = kernel_ladder_read(&ask);
        if (result != (long)size)
                check(false, id, "the read returned %ld", result);
        note(id, "copy", pair);
}

static void by_bytes(void *to, const void *from, size_t size)
{
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void by_words(void *to, const void *from, size_t size)
{
        size_t words = size / sizeof(long);
        __asm__ volatile(REP_MOVS_WORDS : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

static void by_loop(void *to, const void *from, size_t size)
{
        size_t words = size / sizeof(long);
        long word;
        __asm__ volatile("1: mov (%1), %3; mov %3, (%0); add %4, %0; add %4, %1; dec %2; jnz 1b"
                         : "+r"(to), "+r"(from), "+r"(words), "=&r"(word)
                         : "i"(sizeof(long))
                         : "memory", "cc");
}

static const struct copier {
        const char *name, *missing;
        void (*copy)(void *to, const void *from, size_t size);
        unsigned least;
} copiers[] = {
        {"movsb", NULL, by_bytes, 0},
        {"movs", NULL, by_words, 0},
        {"loop", NULL, by_loop, sizeof(long)},
        {"fs", THROUGH_FS_MISSING, copy_through_fs, sizeof(long)},
};

static __attribute__((noinline)) uint32_t timed_copy(const struct copier *copier, size_t size)
{
        uint32_t start = (uint32_t)tsc();
        copier->copy(own_buffer, source, size);
        return (uint32_t)tsc() - start;
}

static void copy_nothing(void *to, const void *from, size_t size)
{
        (void)to, (void)from, (void)size;
}

/* Less a call that copies nothing. */
static void copy_alone(const struct copier *copier)
{
        static const struct copier none = {"", NULL, copy_nothing, 0};
        for (unsigned s = 0; s < SIZES; s++) {
                const char *id = id_sized(origin, "copy", copier->name, sizes[s]);
                if (!wanted(id) || sizes[s] < copier->least ||
                    (copier->copy != by_bytes && sizes[s] % sizeof(long)))
                        continue;
                if (copier->missing) {
                        print_skip(suite, id, copier->missing);
                        continue;
                }
                for (unsigned i = 0; i < WARM_UP + samples; i++)
                        stamps[i] = timed_copy(&none, sizes[s]);
                int64_t pair = median_of_stamps();
                for (unsigned i = 0; i < WARM_UP + samples; i++)
                        stamps[i] = timed_copy(copier, sizes[s]);
                if (memcmp(own_buffer, source, sizes[s]))
                        check(false, id, "other bytes came");
                note(id, "copy", pair);
                memset(own_buffer, 0, sizeof own_buffer);
        }
}

static const void *usual_half(int *index)
{
        struct toll_row row;
        char gate[16];
        for (*index = 0; !toll_call(NUMBER_toll_row, *index, &row); ++*index)
                if (is_gate(&row, gate) && is_usual(gate))
                        return (const void *)(uintptr_t)row.clean;
        return NULL;
}

static void read_all_sizes(const char *name, long fd)
{
        int row;
        const void *half = usual_half(&row);
        for (unsigned s = 0; s < SIZES; s++) {
                toll_call(NUMBER_toll_select, row, FLAVOUR_clean);
                read_sized(name, half, fd, sizes[s]);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                if (!kernel_ladder_read)
                        continue;
                rung_sized(name, LADDER_SYS_READ, "sys_read", fd, sizes[s]);
                rung_sized(name, LADDER_FILE_READ, "file_read", fd, sizes[s]);
        }
}

int reads_copy(char **argv)
{
        static const char data[] = "/tmp/copy.data";
        if (!begin(argv, "copy"))
                return 2;
        samples = samples < COPY_SAMPLES ? samples : COPY_SAMPLES;
        for (unsigned i = 0; i < sizeof source; i++)
                source[i] = (uint8_t)(i * 7 + 1);
        long file = toll_call(NUMBER_open, data, O_CREAT | O_RDWR | O_TRUNC, 0644);
        long zero = toll_call(NUMBER_open, "/dev/zero", O_RDONLY, 0);
        if (toll_call(NUMBER_write, file, source, sizeof source) != sizeof source)
                check(false, data, "it cannot be written");
        uintptr_t limit = kernel_ladder_read ? kernel_limit_get() : 0;
        if (kernel_ladder_read)
                kernel_limit_set(LIMIT_NONE);
        read_all_sizes("zero", zero);
        read_all_sizes("file", file);
        if (kernel_ladder_read)
                kernel_limit_set(limit);
        memset(own_buffer, 0, sizeof own_buffer);
        for (unsigned i = 0; i < sizeof copiers / sizeof *copiers; i++)
                copy_alone(&copiers[i]);
        toll_call(NUMBER_close, file);
        toll_call(NUMBER_close, zero);
        toll_call(NUMBER_unlink, data);
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}
