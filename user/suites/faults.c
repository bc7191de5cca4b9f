/* faults.c - the cost of page faults and signals, from the instruction that causes them to the next
 * one: a page of zeros, also in another area than the last fault's, and with a new page table; a
 * page copied after a fork, a page of the stack; a bad pointer in a system call; a signal from a
 * fault and from kill(), to its handler and back by sigreturn, or out of the handler by
 * siglongjmp().
 *
 * A sample is the difference of two RDTSCs around a function that does it, minus that around an
 * empty one. The devices are quiet meanwhile; Linux, where this runs unchanged (`tollgate linux`),
 * has no way to ask for that. Clearing a page and copying one have rows of their own; a fault's row
 * ending in -net is its samples minus that. */
#include "const.h"
#include "signals.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

#define PAGES 64 /* samples per batch */
#define SIZE (PAGES * PAGE_SIZE)
#define TABLES 16                                    /* the same of what makes a page table */
#define TABLE (PAGE_SIZE / sizeof(long) * PAGE_SIZE) /* bytes that one table maps, or two */
/* An address below every program. Above NOWHERE Linux may have the stack, and would first try to
 * grow it. */
#define BELOW 0x20000

static int64_t ticks[SAMPLES_MAX];
static char area[SIZE] __attribute__((aligned(PAGE_SIZE)));
static uintptr_t elsewhere; /* another area of the same size */
static long child;
static void *jump_to[5]; /* __builtin_setjmp()'s */

static void nothing(uintptr_t unused)
{
}

/* Makes pages as if they had never been touched. */
static void forget(uintptr_t start)
{
        madvise(start, SIZE, MADV_DONTNEED);
}

static void touch(uintptr_t address)
{
        *(volatile char *)address = 1;
}

static void look(uintptr_t address)
{
        (void)*(volatile char *)address;
}

static void forget_both(uintptr_t start)
{
        forget(start);
        forget(elsewhere);
}

/* A fault in the other area, before each one in the row's. */
static void touch_elsewhere(uintptr_t address)
{
        touch(elsewhere + (address - (uintptr_t)area));
}

/* The last page of a table takes the table with it. */
static void forget_tables(uintptr_t start)
{
        munmap(start, TABLES * TABLE);
        mmap(start, TABLES * TABLE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
}

/* Maps an area with page tables of its own; if only read, it may be larger than the memory. */
static uintptr_t whole_tables(void)
{
        uintptr_t room =
                (uintptr_t)mmap(0, (TABLES + 1) * TABLE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
        return (room + TABLE - 1) & ~(uintptr_t)(TABLE - 1);
}

static void share(uintptr_t start)
{
        for (unsigned i = 0; i < PAGES; i++)
                touch(start + i * PAGE_SIZE);
        child = fork();
        while (!child)
                pause();
}

static void end_child(uintptr_t unused)
{
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
}

static void treat_page(uintptr_t what)
{
        toll_call(NUMBER_toll_page, what);
}

/* -EFAULT */
static void ask_the_time(uintptr_t to)
{
        system_call(NUMBER_gettimeofday, to, 0);
}

static void handle(int signal)
{
}

static void skip_write(int signal, struct siginfo *info, struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)fault_write_end;
}

/* Leaves the handler like siglongjmp(): restores the mask, and does not return. */
static void jump_back(int signal)
{
        const uint64_t none = 0;
        rt_sigprocmask(SIG_SETMASK, &none, NULL, sizeof none);
        __builtin_longjmp(jump_to, 1);
}

static void jump_write(uintptr_t address)
{
        if (!__builtin_setjmp(jump_to))
                fault_write(address);
}

static void will_jump(uintptr_t unused)
{
        signal_act(SIGSEGV, jump_back, 0, 0);
}

static void will_return(uintptr_t unused)
{
        signal_act(SIGSEGV, skip_write, SA_SIGINFO, 0);
}

static void kill_itself(uintptr_t pid)
{
        kill(pid, SIGUSR1);
}

struct row {
        const char *id;
        void (*before)(uintptr_t start);
        void (*between)(uintptr_t argument); /* directly before `cause`, untimed */
        void (*cause)(uintptr_t argument);   /* from `start` on, by `step` */
        void (*after)(uintptr_t start);
        uintptr_t start, step;
        unsigned most;       /* samples per batch */
        enum toll_page part; /* the work on the page, which -net subtracts */
};

static __attribute__((noinline)) int64_t ticks_of(void (*cause)(uintptr_t), uintptr_t argument)
{
        uint64_t start = tsc();
        cause(argument);
        return (int64_t)(tsc() - start);
}

static void sample(const struct row *row, unsigned n, int64_t empty)
{
        noise_try();
        for (unsigned kept = 0; kept < n;) {
                row->before(row->start);
                toll_call(NUMBER_toll_quiet, 1);
                for (unsigned i = 0; i < row->most && kept < n; i++) {
                        row->between(row->start + i * row->step);
                        ticks[kept] = ticks_of(row->cause, row->start + i * row->step) - empty;
                        kept += noise_keeps(ticks[kept]);
                }
                toll_call(NUMBER_toll_quiet, 0);
                row->after(row->start);
        }
}

static const char *origin;
static unsigned samples;

static void record(const char *name, const char *more)
{
        char id[40];
        struct statistics s;
        statistics_of(&s, ticks, samples);
        snprintf(id, sizeof id, "%s/%s%s", origin, name, more);
        print_result("exceptions", id, name, &s);
        print("  %-28s %6lld\n", id, (long long)s.median);
}

/* The median of a row that is not recorded. */
static int64_t cost_of(const struct row *row)
{
        do
                sample(row, samples, 0);
        while (noise_again(true));
        return median_of(ticks, samples);
}

static void measure(const struct row *row, int64_t empty, int64_t part)
{
        progress_row(row->id);
        do {
                sample(row, PAGES, empty); /* warm up */
                sample(row, samples, empty);
        } while (noise_again(true));
        record(row->id, "");
        for (unsigned i = 0; part && i < samples; i++)
                ticks[i] -= part;
        if (part)
                record(row->id, "-net");
}

int main(int argc, char **argv)
{
        const char *only = option(argv, "only");
        unsigned wanted = 0;
        origin = program_origin(argv[0]);
        samples = option_number(argv, "samples", 1000);
        samples = samples && samples <= SAMPLES_MAX ? samples : SAMPLES_MAX;
        elsewhere = (uintptr_t)mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        const uintptr_t start = (uintptr_t)area, pid = (uintptr_t)getpid(), tables = whole_tables();
        const uintptr_t stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(PAGE_SIZE - 1);
        const struct row rows[] = {{"fault/zero", forget, nothing, touch, nothing, start, PAGE_SIZE,
                                    PAGES, TOLL_PAGE_clear},
                                   {"fault/zero-area", forget_both, touch_elsewhere, touch, nothing,
                                    start, PAGE_SIZE, PAGES, TOLL_PAGE_clear},
                                   {"fault/zero-table", forget_tables, nothing, look, nothing,
                                    tables, TABLE, TABLES, TOLL_PAGE_nothing},
                                   {"fault/copy", share, nothing, touch, end_child, start,
                                    PAGE_SIZE, PAGES, TOLL_PAGE_copy},
                                   {"fault/stack", forget, nothing, touch, nothing,
                                    stack - 2 * SIZE, PAGE_SIZE, PAGES, TOLL_PAGE_nothing},
                                   {"fault/call", nothing, nothing, ask_the_time, nothing, BELOW, 0,
                                    PAGES, TOLL_PAGE_nothing},
                                   {"signal/segv", nothing, nothing, fault_write, nothing, BELOW, 0,
                                    PAGES, TOLL_PAGE_nothing},
                                   {"signal/jump", will_jump, nothing, jump_write, will_return,
                                    BELOW, 0, PAGES, TOLL_PAGE_nothing},
                                   {"signal/self", nothing, nothing, kill_itself, nothing, pid, 0,
                                    PAGES, TOLL_PAGE_nothing}};
#define PAGE_ROW(what)                                                                             \
        {                                                                                          \
                "page/" #what, nothing, nothing, treat_page, nothing, TOLL_PAGE_##what, 0, PAGES,  \
                        TOLL_PAGE_nothing                                                          \
        }
        const struct row page_rows[TOLL_PAGES] = {[TOLL_PAGE_nothing] = PAGE_ROW(nothing),
                                                  [TOLL_PAGE_clear] = PAGE_ROW(clear),
                                                  [TOLL_PAGE_copy] = PAGE_ROW(copy)};
        const struct row empty = {"", nothing, nothing, nothing,          nothing,
                                  0,  0,       PAGES,   TOLL_PAGE_nothing};

        will_return(0);
        signal_act(SIGUSR1, handle, 0, 0);
        noise_init(argv);
        const bool treats = toll_call(NUMBER_toll_page, TOLL_PAGE_nothing) != -ENOSYS;
        for (size_t i = TOLL_PAGE_clear; i < TOLL_PAGES; i++)
                wanted += treats && (!only || strstr(page_rows[i].id, only));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                wanted += !only || strstr(rows[i].id, only);
        progress_begin(argv, "faults", wanted);
        int64_t least = cost_of(&empty), call = 0, parts[TOLL_PAGES] = {0};
        if (treats)
                call = cost_of(&page_rows[TOLL_PAGE_nothing]);
        for (size_t i = TOLL_PAGE_clear; treats && i < TOLL_PAGES; i++) {
                parts[i] = cost_of(&page_rows[i]) - call;
                if (!only || strstr(page_rows[i].id, only))
                        measure(&page_rows[i], call, 0);
        }
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if (!only || strstr(rows[i].id, only))
                        measure(&rows[i], least, parts[rows[i].part]);
        return check_status();
}
