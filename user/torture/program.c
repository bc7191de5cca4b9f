/* program.c - programs of system calls that the host has made (tests/torture/program.py), each in a
 * process of its own, which begins with an empty directory and nothing open.
 *
 * /programs contains their number, each one's offset, and the end of the last, 4 bytes each. The
 * first one makes allocations that the kernel keeps for good. A program is a list of deeds: total
 * size, 2 bytes; kind, 1 byte; and arguments. A value is a byte and 8 bytes: 0 and a number, or 1
 * and the number of a deed whose result is used.
 *
 *   CALL   a mechanism, 1 byte; the call's number and six arguments, 7 values; its result is kept
 *   PUT    an address, 1 value; bytes up to the end of the deed
 *   STORE  an address and a value, 2 values; the value's size, 1 byte
 *   TOUCH  an address, 1 value; whether it is written to, 1 byte
 *   SPAWN  the flags of clone(), 1 value; number of deeds for the new thread, 1 byte
 *
 * A signal every 500 us keeps calls from waiting for ever; after 200 the program ends. */
#include "clean.h"
#include "linux.h"
#include "signals.h"
#include "torture.h"

#define PLACE "/tmp/program"
#define TERMINAL "/dev/console"
#define TERMINAL_KEPT "/dev/kept" /* a second name, unknown to programs */
#define ARENA 0x30000000ul        /* target of PUT; nothing is mapped behind it */
#define ARENA_SIZE 0x10000ul
#define TICK 500 /* microseconds */
#define SIGNALS_MOST 200
#define RESULTS 256
#define STACKS 8
#define STACK 8192

enum { CALL, PUT, STORE, TOUCH, SPAWN };

struct deeds {
        const uint8_t *at, *end;
        unsigned number; /* number of the first program */
};

static const uint8_t *programs;
static long first_pid, results[RESULTS];
static uint8_t stacks[STACKS][STACK] __attribute__((aligned(STACK)));
static unsigned spawned;

static uint64_t take(const uint8_t **at, unsigned size)
{
        uint64_t value = 0;
        memcpy(&value, *at, size);
        *at += size;
        return value;
}

static uintptr_t value(const uint8_t **at)
{
        bool is_result = take(at, 1);
        uint64_t number = take(at, 8);
        return is_result ? (uintptr_t)results[number % RESULTS] : (uintptr_t)number;
}

/* Calls that could stop, end or starve the first process, which must report the result. */
static bool is_of_others(long number, const uintptr_t a[6])
{
        static const long calls[] = {NUMBER_kill,
                                     NUMBER_tkill,
                                     NUMBER_tgkill,
                                     NUMBER_rt_sigqueueinfo,
                                     NUMBER_rt_tgsigqueueinfo,
                                     NUMBER_prlimit64,
                                     NUMBER_toll_hand};
        int who = (int)a[0] < 0 ? -(int)a[0] : (int)a[0];
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
                if (number == calls[i] && who && who <= first_pid)
                        return true;
        return number == NUMBER_reboot;
}

static long call(const uint8_t *at)
{
        bool other_way = take(&at, 1);
        long number = (long)value(&at);
        uintptr_t a[6];
        for (unsigned i = 0; i < 6; i++)
                a[i] = value(&at);
        if (is_of_others(number, a))
                return -EPERM;
        return other_way ? toll_call(number, a[0], a[1], a[2], a[3], a[4], a[5])
                         : system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void touch(const uint8_t *at)
{
        volatile uint8_t *byte = (volatile uint8_t *)value(&at);
        uint8_t was = *byte;
        if (take(&at, 1))
                *byte = was;
}

static long spawn(const struct deeds *deeds, const uint8_t *at);

static void perform(struct deeds deeds)
{
        while (deeds.at < deeds.end) {
                const uint8_t *at = deeds.at, *next = at + take(&at, 2);
                unsigned kind = (unsigned)take(&at, 1), number = deeds.number++ % RESULTS;
                struct deeds others = {next, deeds.end, deeds.number};
                deeds.at = next;
                if (kind == CALL) {
                        results[number] = call(at);
                } else if (kind == TOUCH) {
                        touch(at);
                } else if (kind == SPAWN) {
                        results[number] = spawn(&others, at);
                        for (unsigned n = next[-1]; n && deeds.at < deeds.end; n--, deeds.number++)
                                deeds.at += deeds.at[0] | deeds.at[1] << 8;
                } else {
                        uint8_t *to = (uint8_t *)value(&at);
                        uintptr_t word = kind == STORE ? value(&at) : 0;
                        memcpy(to, kind == STORE ? (const void *)&word : at,
                               kind == STORE ? *at : (size_t)(next - at));
                }
        }
}

/* Its deeds are at the lowest address of its stack. */
static void begin_thread(void)
{
        uintptr_t stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(STACK - 1);
        perform(*(struct deeds *)stack);
        SYS(exit, 0);
}

static long spawn(const struct deeds *deeds, const uint8_t *at)
{
        static int tid;
        uint8_t *stack = stacks[spawned++ % STACKS];
        struct deeds own = *deeds;
        long flags = (long)value(&at);
        own.end = own.at;
        for (unsigned n = *at; n && own.end < deeds->end; n--)
                own.end += own.end[0] | own.end[1] << 8;
        *(struct deeds *)stack = own;
        return thread_start(flags, stack + STACK, &tid, begin_thread);
}

static void handle(int signal)
{
        static unsigned handled;
        if (++handled > SIGNALS_MOST)
                exit_group(0);
}

/* Begins in a session and a directory of its own, without a terminal. */
static void begin(void)
{
        static const int caught[] = {SIGALRM, SIGHUP,  SIGINT,  SIGQUIT, SIGTSTP,
                                     SIGTTIN, SIGTTOU, SIGPIPE, SIGCONT, SIGWINCH};
        const long interval[] = {0, TICK, 0, TICK};
        for (int fd = 0; fd < 64; fd++)
                close(fd);
        setsid();
        mkdir("/tmp", 0777);
        mkdir(PLACE, 0700);
        chdir(PLACE);
        munmap(ARENA, ARENA_SIZE);
        mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
        signals_as_at_login();
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
                signal_act(caught[i], handle, 0, 0);
        SYS(setitimer, 0, interval, NULL);
}

static uint32_t number_at(size_t place)
{
        uint32_t number;
        memcpy(&number, programs + place * sizeof number, sizeof number);
        return number;
}

static void do_program(uint32_t index)
{
        if (index < number_at(0))
                perform((struct deeds){programs + number_at(1 + index),
                                       programs + number_at(2 + index), 0});
}

static unsigned act(struct random *random)
{
        do_program(1 + torture_deed);
        return 0;
}

/* Marks a program's start for the host (tools/audit/reach.c). */
void program_begins(struct random random)
{
        __asm__ volatile("" : : "r"(&random));
}

/* Resets the row, the watch, the timer and the fence, so that the next program does not get
 * them. */
static void disarm(void)
{
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_watch, -1);
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
        toll_call(NUMBER_toll_fence, 0);
}

/* Restores the terminal's name, which the kernel's next program needs. */
static void restore_terminal(void)
{
        unlink(TERMINAL);
        SYS(rmdir, TERMINAL);
        SYS(link, TERMINAL_KEPT, TERMINAL);
}

static void end(void)
{
        disarm();
        clean_processes();
        clean_files(PLACE);
        restore_terminal();
}

static long init(void)
{
        struct stat about;
        long fd = open("/programs", O_RDONLY, 0);
        if (fd < 0 || system_call(NUMBER_toll_sum) == -ENOSYS)
                return fd < 0 ? fd : -ENOSYS;
        fstat((int)fd, &about);
        programs = (const uint8_t *)mmap_file((size_t)about.size, PROT_READ, MAP_PRIVATE, (int)fd);
        for (size_t at = 0; at < (size_t)about.size; at += PAGE_SIZE) /* maps it now, not later */
                (void)*(const volatile uint8_t *)(programs + at);
        close((int)fd);
        SYS(link, TERMINAL, TERMINAL_KEPT);
        first_pid = getpid();
        if (!fork()) {
                begin();
                do_program(0);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        end();
        return 0;
}

const struct row program_row = {.name = "program",
                                .init = init,
                                .act = act,
                                .asked = true,
                                .chunk = 1,
                                .limit = 50,
                                .begin = begin,
                                .beside = program_begins,
                                .end = end};
