/*
 * grammar.c - one call of a table, with arguments that it can begin something with: descriptors
 * that are open, paths that are there, sizes at edges; now and then a word that fits nothing.
 */
#include "grammar.h"
#include "linux.h"
#include "signals.h"
#include "steps.h"
#include "wild.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define PLACE "/tmp/grammar"
#define SLOTS 16           /* descriptors 3 to 18 */
#define REPORT 63          /* main.c's pipe */
#define ARENA 0x30000000ul /* four pages, and nothing behind them */
#define ARENA_SIZE 0x4000ul
#define TICK 2000  /* microseconds */
#define CHILDREN 4 /* of a process, at a time */
#define PARTS 8

struct vector {
        uintptr_t at, size;
};

struct message {
        uintptr_t name;
        uint32_t name_size;
        uintptr_t vectors, vector_count, control, control_size;
        uint32_t flags;
};

struct control {
        uintptr_t size;
        int level, type, descriptors[3];
};

static const int caught[] = {SIGALRM, SIGHUP,  SIGINT,  SIGQUIT, SIGTSTP,
                             SIGTTIN, SIGTTOU, SIGPIPE, SIGCONT, SIGWINCH};
#define CAUGHT (sizeof caught / sizeof *caught)

static struct vector vectors[PARTS];
static struct message message;
static struct control control;
static struct timespec moment;
static struct {
        int fd;
        uint16_t events, answer;
} polled[4];
static struct {
        uint16_t family;
        char path[126];
} address;
static uint32_t address_size;
static char path[128], told[400];
static long pids[CHILDREN];
static bool is_child;

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
        va_list arguments;
        size_t length = strlen(told);
        if (!torture_tells)
                return;
        va_start(arguments, format);
        vsnprintf(told + length, sizeof told - length, format, arguments);
        va_end(arguments);
}

/* Low ones are open more often. Not the console's, which is for people, and not the pipe that
 * reports. */
static long descriptor(struct random *random)
{
        long odd = (long)random_word(random, 0);
        if (random_below(random, 16))
                return 3 + (long)random_below(random, 1 + random_below(random, SLOTS));
        return (odd >= 0 && odd < 3) || (int)odd == REPORT ? 64 : odd;
}

static uintptr_t size(struct random *random)
{
        static const uint16_t edges[] = {0,  1,   2,   4,   8,    12,   16,
                                         60, 108, 110, 255, 4095, 4096, 8192};
        switch (random_below(random, 8)) {
        case 0: return random_word(random, 0);
        case 1:
        case 2: return random_below(random, 8192);
        case 3:
        case 4: return edges[random_below(random, sizeof edges / sizeof *edges)];
        default: return random_below(random, 64);
        }
}

/* Filled with what terminals and paths know. */
static uintptr_t buffer(struct random *random)
{
        static const char known[] = "\3\4\10\12\15\21\23\25\26\27\32\34\177\377/.0123456789\33[;Hm";
        uint8_t *at = (uint8_t *)ARENA + random_below(random, 4096);
        if (!random_below(random, 16))
                return random_word(random, ARENA + ARENA_SIZE - 4096);
        if (!random_below(random, 8))
                return ARENA + ARENA_SIZE - random_below(random, 64);
        for (unsigned i = 0; i < 64; i++) {
                uint32_t word = random_next(random);
                at[i] = word & 1 ? (uint8_t)known[(word >> 8) % (sizeof known - 1)]
                                 : (uint8_t)(word >> 8);
        }
        return (uintptr_t)at;
}

static long process(struct random *random)
{
        unsigned which = random_below(random, CHILDREN + 2);
        return which == CHILDREN ? getpid() : which > CHILDREN ? getppid() : pids[which];
}

static const char *some_path(struct random *random, const struct language *language)
{
        const char *format = language->paths[random_below(random, language->path_count)];
        unsigned number = random_below(random, 2) ? 3 + random_below(random, SLOTS)
                                                  : (unsigned)process(random);
        snprintf(path, sizeof path, format, number, number);
        tell("\"%s\"", path);
        return path;
}

/* By name in the directory, or of no name in the tree. */
static uintptr_t name(struct random *random)
{
        unsigned number = random_below(random, 6);
        bool hidden = random_below(random, 2);
        memset(&address, 0, sizeof address);
        address.family = random_below(random, 16) ? AF_UNIX : (uint16_t)random_next(random);
        snprintf(address.path + hidden, sizeof address.path - 1, "s%u", number);
        address_size = random_below(random, 8) ? (uint32_t)(4 + hidden + random_below(random, 2))
                                               : (uint32_t)size(random);
        tell("%s%s", hidden ? "@" : "", address.path + hidden);
        return (uintptr_t)&address;
}

static uintptr_t vector(struct random *random)
{
        for (unsigned i = 0; i < PARTS; i++)
                vectors[i] = (struct vector){buffer(random), size(random)};
        return (uintptr_t)vectors;
}

static uintptr_t whole_message(struct random *random)
{
        control = (struct control){.size = sizeof control - sizeof(int) * random_below(random, 3),
                                   .level = random_below(random, 16) ? SOL_SOCKET : 0,
                                   .type = 1 + (int)random_below(random, 3)};
        for (unsigned i = 0; i < 3; i++)
                control.descriptors[i] = (int)descriptor(random);
        if (!random_below(random, 8))
                control.size = size(random);
        message = (struct message){.vectors = vector(random),
                                   .vector_count = random_below(random, PARTS)};
        if (random_below(random, 4)) {
                message.control = (uintptr_t)&control;
                message.control_size = random_below(random, 8) ? control.size : size(random);
        }
        if (!random_below(random, 8)) {
                message.name = name(random);
                message.name_size = address_size;
        }
        tell("{%u vectors, control %lu bytes}", (unsigned)message.vector_count,
             (unsigned long)message.control_size);
        return (uintptr_t)&message;
}

static uintptr_t some_polled(struct random *random)
{
        for (unsigned i = 0; i < sizeof polled / sizeof *polled; i++) {
                polled[i].fd = (int)descriptor(random);
                polled[i].events = (uint16_t)random_next(random);
        }
        return (uintptr_t)polled;
}

static uintptr_t argument(struct random *random, const struct language *language, char letter)
{
        moment = (struct timespec){0, (long)random_below(random, 1000000)};
        switch (letter) {
        case 'p': return (uintptr_t)some_path(random, language);
        case 'a': return name(random);
        case 'm': return whole_message(random);
        case 'v': tell("vectors"); return vector(random);
        case 'o': tell("polled"); return some_polled(random);
        case 'T': tell("{0, %ld}", moment.nanoseconds); return (uintptr_t)&moment;
        case 'L': tell("&%u", address_size); return (uintptr_t)&address_size;
        }
        uintptr_t value = 0;
        switch (letter) {
        case 'f': value = (uintptr_t)descriptor(random); break;
        case 'l': value = address_size; break;
        case 'b': value = buffer(random); break;
        case 'z': value = size(random); break;
        case 'n': value = random_below(random, 32) ? random_below(random, 5) : size(random); break;
        case 'w': value = language->words[random_below(random, language->word_count)]; break;
        case 'e': value = random_below(random, 2); break;
        case '0':
        case '1': value = (uintptr_t)(letter - '0'); break;
        case 'S': value = SOCK_STREAM | (random_below(random, 4) ? O_NONBLOCK : 0); break;
        case 'i': value = (uintptr_t)process(random); break;
        case 'g': value = (uintptr_t)caught[random_below(random, CAUGHT)]; break;
        default: value = random_word(random, ARENA);
        }
        tell(value < 1000 ? "%lu" : "0x%lx", (unsigned long)value);
        return value;
}

/* O_NONBLOCK and CLOEXEC are in every kind's words; others wait until the next tick. */
unsigned grammar_act(struct random *random, const struct language *language)
{
        const struct form *form = &language->forms[random_below(random, language->form_count)];
        uintptr_t a[6] = {0};
        told[0] = 0;
        tell("%s(", form->name);
        for (unsigned i = 0; form->takes[i]; i++) {
                tell("%s", i ? ", " : "");
                a[i] = argument(random, language, form->takes[i]);
        }
        if (torture_tells)
                print("torture: %s)\n", told);
        long result = form->act ? form->act(random)
                                : system_call(form->number, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (torture_tells)
                print("torture:  = %ld\n", result);
        return (unsigned long)result > -256UL ? (unsigned)-result : 0;
}

static void handle(int signal)
{
        (void)signal;
}

static void tick(void)
{
        const long interval[] = {0, TICK, 0, TICK};
        SYS(setitimer, 0, interval, NULL);
}

long grammar_fork(struct random *random, const struct language *language)
{
        unsigned which = random_below(random, CHILDREN);
        struct random own = random_of(random_next(random), which);
        if (is_child || SYS(wait4, pids[which], NULL, WNOHANG, NULL) == 0)
                return -EAGAIN;
        long pid = fork();
        if (!pid) {
                is_child = true;
                SYS(close, REPORT);
                tick();
                for (unsigned n = 1 + random_below(&own, 8); n; n--)
                        grammar_act(&own, language);
                exit_group(0);
        }
        pids[which] = pid;
        return pid;
}

long grammar_kill(struct random *random)
{
        static const int signals[] = {SIGKILL, SIGSTOP, SIGCONT, SIGCONT, SIGHUP, SIGINT};
        long who = pids[random_below(random, CHILDREN)];
        return who > 1 && !is_child ? kill(who, signals[random_below(random, 6)]) : -ESRCH;
}

long grammar_reap(struct random *random)
{
        return SYS(wait4, random_below(random, 2) ? -1 : pids[0], NULL, WNOHANG, NULL);
}

long grammar_init(void)
{
        return system_call(NUMBER_toll_sum) == -ENOSYS ? -ENOSYS : 0;
}

/* In a session of its own, in a directory of its own, with no terminal. */
void grammar_begin(void)
{
        for (int fd = 3; fd < REPORT; fd++)
                close(fd);
        setsid();
        mkdir("/tmp", 0777);
        mkdir(PLACE, 0700);
        chdir(PLACE);
        munmap(ARENA, ARENA_SIZE);
        mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
        signals_as_at_login();
        for (size_t i = 0; i < CAUGHT; i++)
                signal_act(caught[i], handle, 0, 0);
        memset(pids, 0, sizeof pids);
        tick();
}

void grammar_end(void)
{
        wild_bury();
        steps_end(PLACE);
}

void grammar_outcome_name(unsigned outcome, char *to, unsigned size)
{
        if (outcome)
                snprintf(to, size, "error %u", outcome);
        else
                snprintf(to, size, "success");
}
