/* page.c - reads a page of HTML and strips it to its text: in ring 3, in ring 0, and in kernel code
 * that calls the file's read function. First like the document, whose loop keeps reading and soon
 * is at the file's end; then with the file rewound; then by the same method on both sides. */
#include "file/markup.h"
#include "lib/crc32.h"
#include "lib/html.h"
#include "timing.h"
#include "kernel.h"

KERNEL_FUNCTION_MAYBE(long, markup_read, const struct markup *ask);

#define READ 1000 /* bytes, as in the document */
#define RUNS 5

static const char path[] = "/pages/index.html";
static char text[READ], kernel_text[READ];
static uint32_t parses[SAMPLES_MAX];
static const void *half;
static int half_row;
static long kernel_length; /* of kernel_text */

static const char *id_of(const char *from, const char *what, unsigned run)
{
        static char id[40];
        snprintf(id, sizeof id, "%s/%s/%u", from, what, run);
        return id;
}

/* Samples start with the first read, as in the document, which takes the best of all. */
static void run_here(const char *what, unsigned run, bool rewinds)
{
        if (!progress_row(id_of(origin, what, run)))
                return;
        long result = 0, fd = open(path, O_RDONLY, 0);
        int64_t pair = pair_cost();
        for (unsigned i = 0; i < samples; i++) {
                stamps[WARM_UP + i] = timed_half(half, NUMBER_read, fd, (long)(uintptr_t)own_buffer,
                                                 READ, &result);
                if (rewinds)
                        toll_call(NUMBER_lseek, fd, 0, SEEK_SET);
                if (result < 0 || (rewinds && result != READ))
                        check(false, what, "read() returned %ld", result);
        }
        note(id_of(origin, what, run), what, pair);
        close((int)fd);
}

static int64_t kernels_pair(long fd)
{
        struct ladder ask = {fd, LADDER_NOTHING, 0, WARM_UP + samples, stamps};
        kernel_ladder_read(&ask);
        return median_of_stamps();
}

/* Runs in kernel code; its parses and text are kept for the end. */
static void run_in_kernel(const char *what, unsigned run, bool rewinds)
{
        if (!progress_row(id_of("kernel", what, run)))
                return;
        long fd = open(path, O_RDONLY, 0);
        int64_t pair = kernels_pair(fd);
        const struct markup ask = {fd,     READ,       samples, rewinds, stamps + WARM_UP,
                                   parses, kernel_text};
        kernel_length = kernel_markup_read(&ask);
        if (kernel_length < 0)
                check(false, what, "markup_read() returned %ld", kernel_length);
        note(id_of("kernel", what, run), what, pair);
        close((int)fd);
}

static void five_runs(const char *what, bool rewinds)
{
        for (unsigned run = 1; run <= RUNS; run++) {
                run_here(what, run, rewinds);
                if (kernel_markup_read)
                        run_in_kernel(what, run, rewinds);
        }
}

/* The methods below the system call, which only kernel code has. */
static void lower_rungs(void)
{
        static const char *const names[] = {
                [LADDER_SYS_READ] = "sys_read", [LADDER_FILE_READ] = "file_read"};
        long fd = open(path, O_RDONLY, 0);
        int64_t pair = kernels_pair(fd);
        for (int rung = LADDER_SYS_READ; rung <= LADDER_FILE_READ; rung++) {
                struct ladder ask = {fd, rung, READ, WARM_UP + samples, stamps};
                if (!progress_row(id_of("kernel", names[rung], READ)))
                        continue;
                long result = kernel_ladder_read(&ask);
                if (result != READ)
                        check(false, names[rung], "the read returned %ld", result);
                note(id_of("kernel", names[rung], READ), "rung", pair);
        }
        close((int)fd);
}

static __attribute__((noinline)) uint32_t timed_parse(const char *page, size_t size, size_t *length)
{
        uint32_t start = (uint32_t)tsc();
        *length = html_text(text, sizeof text, page, size);
        return (uint32_t)tsc() - start;
}

/* Strips the page to its text, which must be the same everywhere. */
static void parse(void)
{
        size_t length = 0;
        if (!progress_row(id_of(origin, "parse", READ)))
                return;
        long fd = open(path, O_RDONLY, 0), size = read((int)fd, own_buffer, READ);
        int64_t pair = pair_cost();
        for (unsigned i = 0; i < samples; i++)
                stamps[WARM_UP + i] = timed_parse((const char *)own_buffer, (size_t)size, &length);
        note(id_of(origin, "parse", READ), "parse", pair);
        print("  text: %u bytes, crc32 %08x\n", (unsigned)length, (unsigned)crc32(text, length));
        if (kernel_markup_read) {
                if (kernel_length != (long)length || memcmp(text, kernel_text, length))
                        check(false, "text", "kernel code found another: %ld bytes", kernel_length);
                pair = kernels_pair(fd);
                memcpy(stamps + WARM_UP, parses, samples * sizeof *parses);
                note(id_of("kernel", "parse", READ), "parse", pair);
        }
        close((int)fd);
}

static void strip_all(void)
{
        toll_call(NUMBER_toll_select, half_row, FLAVOUR_clean);
        five_runs("printed", false);
        five_runs("rewound", true);
        run_here(kernel_ladder_read ? "int80" : "read", READ, true);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        if (kernel_ladder_read)
                lower_rungs();
        parse();
}

int reads_page(char **argv)
{
        if (!begin(argv, "html"))
                return 2;
        half = usual_half(&half_row);
        progress_walk(argv, "html", strip_all);
        toll_call(NUMBER_toll_quiet, 0);
        return check_status();
}
