/* conditions.c - conditions for a path: a partner of another origin, high descriptors, a second
 * thread, many areas, and so on. Each entry of the table is set up in a process of its own, which
 * ends with it. Conditions of one kind exclude one another. */
#include "around.h"
#include "const.h"
#include "signals.h"
#include "tls.h"

#define BIT(path) (1u << PATH_##path)
#define ALL ALL_PATHS
#define MESSAGES (BIT(pipe) | BIT(hand))
#define TABLES 16 /* parts of the room for areas with the first touches */

static bool partner_of(long value, bool partner)
{
        static const char *const programs[] = {"/bin/around", "/compat/around", "/trusted/around"};
        around.partner = programs[value];
        return true;
}

/* The table of descriptors grows before any path is measured. */
static bool descriptors_from(long value, bool partner)
{
        around.descriptor = (int)value;
        long null = open("/dev/null", O_RDWR, 0);
        return null >= 0 && dup2((int)null, (int)value) == value && !close((int)null);
}

static volatile bool thread_sleeps;

static void sleep_as_thread(void)
{
        thread_sleeps = true;
        sleep_for_ever();
}

static bool second_thread(long value, bool partner)
{
        static char stack[4096] __attribute__((aligned(16)));
        if (thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
                         stack + sizeof stack, NULL, sleep_as_thread) < 0)
                return false;
        while (!thread_sleeps)
                system_call(NUMBER_sched_yield);
        return true;
}

/* Protects every second page, so each page is an area. Faults are in writable areas, each time in
 * another one: from the lowest up, or (value < 0) from the highest down; in all of them if there
 * are few. The page tables exist before. */
static bool areas(long value, bool partner)
{
        const unsigned count = (unsigned)(value < 0 ? -value : value), writable = count / 2;
        const size_t size = (size_t)count * PAGE_SIZE;
        const uintptr_t room =
                (uintptr_t)mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        for (unsigned i = 0; i < writable; i++)
                if (mprotect(room + (2 * i + 1) * PAGE_SIZE, PAGE_SIZE, PROT_READ))
                        return false;
        for (unsigned i = 0; i < TABLES; i++)
                (void)*(volatile char *)(room + ((i * count / TABLES) & ~1u) * PAGE_SIZE);
        around.page = value < 0 ? room + (2 * writable - 2) * PAGE_SIZE : room;
        around.step = value < 0 ? -2 * PAGE_SIZE : 2 * PAGE_SIZE;
        return true;
}

/* Alternates between two large areas, with one between, or they would merge. */
static bool two_areas(long value, bool partner)
{
        const size_t half = TAKEN * PAGE_SIZE;
        around.page = (uintptr_t)mmap(0, 2 * half + PAGE_SIZE, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS);
        around.other = around.page + half + PAGE_SIZE;
        return !mprotect(around.page + half, PAGE_SIZE, PROT_READ);
}

enum { BOTH_SIDES, PARTNER_ALONE };

static bool tls(long value, bool partner)
{
        static uintptr_t own;
        return (value == PARTNER_ALONE && !partner) || tls_point(&own);
}

static bool message_of(long value, bool partner)
{
        around.size = (unsigned)value;
        return true;
}

static bool buffer_at(long value, bool partner)
{
        around.align = (unsigned)value;
        return true;
}

/* Threads started later block it, too: it stays pending for the process. */
static bool signal_blocked(long pending, bool partner)
{
        const uint64_t set = 1ull << (SIGUSR2 - 1);
        return !rt_sigprocmask(SIG_BLOCK, &set, NULL, sizeof set) &&
               (!pending || !signal_self(SIGUSR2));
}

static bool handler_stack(long value, bool partner)
{
        static char stack[16384] __attribute__((aligned(16)));
        const struct sigaltstack own = {(uintptr_t)stack, 0, sizeof stack};
        around.handler_stack = true;
        return !sigaltstack(&own, NULL);
}

/* A forked process starts the others as its own children, so that their memory stays separate. */
static long sleepers;

static void sleep_counted(void)
{
        __atomic_fetch_add(&shared->asleep, 1, __ATOMIC_RELAXED);
        sleep_for_ever();
}

static long asleep_now(void)
{
        return __atomic_load_n(&shared->asleep, __ATOMIC_RELAXED);
}

static void start_sleepers(long count)
{
        static char stacks[200][512] __attribute__((aligned(16)));
        setpgid(0, 0);
        for (long i = 1; i < count; i++)
                if (thread_start(CLONE_VM | CLONE_PARENT | SIGCHLD, stacks[i] + sizeof *stacks,
                                 NULL, sleep_counted) < 0)
                        exit_group(1);
        sleep_counted();
}

static bool sleeping(long count, bool partner)
{
        if (partner)
                return true;
        shared->asleep = 0;
        sleepers = fork();
        if (!sleepers)
                start_sleepers(count);
        while (sleepers > 0 && asleep_now() < count && !wait4(sleepers, NULL, WNOHANG, NULL))
                system_call(NUMBER_sched_yield);
        return sleepers > 0 && asleep_now() == count;
}

static bool floats(long value, bool partner)
{
        around.floats = true;
        return true;
}

enum kind {
        PARTNER,
        DESCRIPTOR,
        THREADS,
        AREAS,
        TLS,
        SIZE,
        ALIGN,
        PENDING,
        HANDLER,
        PROCESSES,
        FLOATS
};

static const struct condition {
        enum kind kind;
        const char *words;
        unsigned paths; /* paths it can affect */
        bool (*set_up)(long value, bool partner);
        long value;
} conditions[] = {
        {PENDING, "a signal blocked", ALL, signal_blocked, false},
        {PENDING, "a signal blocked and pending", ALL, signal_blocked, true},
        {PARTNER, "a user partner", MESSAGES, partner_of, 0},
        {PARTNER, "a 32-bit partner", MESSAGES, partner_of, 1},
        {PARTNER, "a trusted partner", MESSAGES, partner_of, 2},
        {DESCRIPTOR, "descriptor 64", ALL, descriptors_from, 64},
        {DESCRIPTOR, "descriptor 1,000", ALL, descriptors_from, 1000},
        {THREADS, "a second thread", ALL, second_thread, 0},
        {AREAS, "2 areas by turns", ALL, two_areas, 0},
        {AREAS, "50 areas in turn", ALL, areas, 50},
        {AREAS, "1,000 areas, the lowest in turn", ALL, areas, 1000},
        {AREAS, "1,000 areas, the highest in turn", ALL, areas, -1000},
        {TLS, "TLS", ALL, tls, BOTH_SIDES},
        {TLS, "TLS of the partner alone", MESSAGES, tls, PARTNER_ALONE},
        {SIZE, "1 byte", BIT(read), message_of, 1},
        {SIZE, "3 bytes", BIT(pipe), message_of, 3},
        {SIZE, "64 bytes", BIT(read) | BIT(pipe), message_of, 64},
        {SIZE, "65 bytes", BIT(read) | BIT(pipe), message_of, 65},
        {SIZE, "4,096 bytes", BIT(read) | BIT(pipe), message_of, 4096},
        {SIZE, "65,536 bytes", BIT(read) | BIT(pipe), message_of, MESSAGE_MAX},
        {ALIGN, "a buffer at an odd address", BIT(read) | BIT(pipe) | BIT(clock), buffer_at, 1},
        {ALIGN, "a buffer across two pages", BIT(read) | BIT(pipe) | BIT(clock), buffer_at,
         PAGE_SIZE - 3},
        {HANDLER, "a stack of the handler's own", BIT(segv), handler_stack, 0},
        {PROCESSES, "100 sleeping processes", ALL, sleeping, 100},
        {PROCESSES, "190 sleeping processes", ALL, sleeping, 190},
        {FLOATS, "floating point used", ALL, floats, 0}};
const unsigned condition_count = sizeof conditions / sizeof *conditions;
_Static_assert(sizeof conditions / sizeof *conditions <= CONDITIONS_MAX, "a bit for each");
uint32_t conditions_now;

const char *condition_words(unsigned condition)
{
        return conditions[condition].words;
}

unsigned condition_paths(unsigned condition)
{
        return conditions[condition].paths;
}

unsigned condition_kind(unsigned condition)
{
        return conditions[condition].kind;
}

/* A 32-bit kernel has no 32-bit programs besides its own. Every other condition has a partner of
 * this program's origin. */
bool condition_is_here(unsigned condition)
{
        const char *own = around.partner;
        struct stat s;
        if (conditions[condition].kind != PARTNER)
                return true;
        partner_of(conditions[condition].value, false);
        const char *other = around.partner;
        around.partner = own;
        return strcmp(other, own) && !stat(other, &s);
}

bool conditions_set_up(uint32_t set, bool partner)
{
        conditions_now = set;
        for (unsigned i = 0; i < condition_count; i++)
                if (set >> i & 1 && !conditions[i].set_up(conditions[i].value, partner))
                        return false;
        return true;
}

void conditions_end(void)
{
        if (sleepers > 0)
                kill(-sleepers, SIGKILL);
        while (sleepers > 0 && wait4(-1, NULL, 0, NULL) > 0)
                ;
}
