/* bytes.c - the cost of a byte: reads of growing size by each method, and copies alone. */
#include "copiers.h"
#include "timing.h"

#define COPY_SAMPLES 50 /* maximum: the longest takes 65,536 instructions */

static const unsigned sizes[] = {0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};
#define SIZES (sizeof sizes / sizeof *sizes)

static uint8_t source[LADDER_ROOM];

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
                        timed_half(half, NUMBER_read, fd, (long)(uintptr_t)buffer, size, &result);
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
} copiers[] = {{"movsb", NULL, by_bytes, 0},
               {"movs", NULL, by_words, 0},
               {"loop", NULL, by_loop, sizeof(long)},
               {"fs", THROUGH_FS_MISSING, copy_through_fs, sizeof(long)}};

static __attribute__((noinline)) uint32_t timed_copy(const struct copier *copier, size_t size)
{
        uint32_t start = (uint32_t)tsc();
        copier->copy(own_buffer, source, size);
        return (uint32_t)tsc() - start;
}

static void copy_nothing(void *to, const void *from, size_t size)
{
}

/* The cost without a call that copies nothing. */
static void copy_alone(const struct copier *copier)
{
        static const struct copier none = {"", NULL, copy_nothing, 0};
        for (unsigned s = 0; s < SIZES; s++) {
                const char *id = id_sized(origin, "copy", copier->name, sizes[s]);
                if (sizes[s] < copier->least ||
                    (copier->copy != by_bytes && sizes[s] % sizeof(long)) || !wanted(id))
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

static long zero, file;

static void copy_all(void)
{
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
}

int reads_copy(char **argv)
{
        static const char data[] = "/tmp/copy.data";
        if (!begin(argv, "copy"))
                return 2;
        samples = samples < COPY_SAMPLES ? samples : COPY_SAMPLES;
        for (unsigned i = 0; i < sizeof source; i++)
                source[i] = (uint8_t)(i * 7 + 1);
        file = toll_call(NUMBER_open, data, O_CREAT | O_RDWR | O_TRUNC, 0644);
        zero = toll_call(NUMBER_open, "/dev/zero", O_RDONLY, 0);
        if (toll_call(NUMBER_write, file, source, sizeof source) != sizeof source)
                check(false, data, "it cannot be written");
        progress_walk(argv, "copy", copy_all);
        toll_call(NUMBER_close, file);
        toll_call(NUMBER_close, zero);
        toll_call(NUMBER_unlink, data);
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}
