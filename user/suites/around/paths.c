/* paths.c - the headline paths, each as one timed function: getpid, an empty read of /dev/null, the
 * time by a function of the image, a word handed over and back, a message through two pipes and
 * back, a page of zeros, SIGSEGV to a handler and back, fork to the end of wait.
 *
 * A sample is the difference of two RDTSCs around that function, minus that around an empty one;
 * the figure is the median. Interrupts are on, because an executed program (the partner) may not
 * ask for quiet. */
#include "around.h"
#include "const.h"
#include "signals.h"
#include "statistics.h"
#include "vdso.h"

#define BELOW 0x20000 /* never mapped */
#define BY_MOVES 64   /* bytes copied without REP */

struct around around = {.step = PAGE_SIZE};

static char buffer[MESSAGE_MAX + PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static char own_area[TAKEN * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static long (*time_of_day)(struct timeval *to, void *zone);

static void nothing(void)
{
}

static bool always(void)
{
        return true;
}

static void any_round(unsigned round)
{
}

static int64_t all_of_it(int64_t ticks)
{
        return ticks;
}

static long answer, self;

static bool know_self(void)
{
        self = getpid();
        return true;
}

static void ask_pid(void)
{
        answer = getpid();
}

static bool is_pid(void)
{
        return answer == self;
}

static bool is_nothing(void)
{
        return !answer;
}

static int null;

static bool open_null(void)
{
        null = around.descriptor ? around.descriptor : (int)open("/dev/null", O_RDWR, 0);
        return null >= 0;
}

static void read_null(void)
{
        answer = read(null, buffer + around.align, around.size);
}

static void close_null(void)
{
        if (!around.descriptor)
                close(null);
}

static void ask_time(void)
{
        answer = time_of_day((struct timeval *)(uintptr_t)(buffer + around.align), NULL);
}

static int to_partner, from_partner;
static long partner;

/* Moves the two ends that a process keeps to the descriptors that the conditions choose. */
static bool keep_ends(int ends[2])
{
        for (int i = 0; i < 2 && around.descriptor; i++) {
                int high = around.descriptor + 1 + i;
                if (dup2(ends[i], high) != high || close(ends[i]))
                        return false;
                ends[i] = high;
        }
        return true;
}

/* The arguments of partner_run(). */
enum {
        ARGUMENT_word = 1,
        ARGUMENT_path,
        ARGUMENT_conditions,
        ARGUMENT_parent,
        ARGUMENT_in,
        ARGUMENT_out,
        ARGUMENTS
};
#define PARTNER "partner"

_Noreturn static void execute_partner(enum path_name path, int in, int out)
{
        char words[ARGUMENTS][16];
        char *arguments[ARGUMENTS + 1] = {(char *)(uintptr_t)around.partner, PARTNER};
        const uint32_t values[ARGUMENTS] = {[ARGUMENT_path] = path,
                                            [ARGUMENT_conditions] = conditions_now,
                                            [ARGUMENT_parent] = (uint32_t)self,
                                            [ARGUMENT_in] = (uint32_t)in,
                                            [ARGUMENT_out] = (uint32_t)out};
        for (unsigned i = ARGUMENT_path; i < ARGUMENTS; i++) {
                snprintf(words[i], sizeof words[i], "%u", values[i]);
                arguments[i] = words[i];
        }
        execve(around.partner, arguments, (char *[]){NULL});
        exit_group(1);
        __builtin_unreachable();
}

static bool start_partner(enum path_name path)
{
        int there[2] = {0}, back[2] = {0};
        self = getpid();
        partner = 0;
        if (pipe(there) || pipe(back))
                return false;
        partner = fork();
        if (!partner) {
                int ends[2] = {there[0], back[1]};
                close(there[1]);
                close(back[0]);
                execute_partner(path, ends[0], ends[1]);
        }
        int ends[2] = {there[1], back[0]};
        close(there[0]);
        close(back[1]);
        bool kept = keep_ends(ends);
        to_partner = ends[0];
        from_partner = ends[1];
        return partner > 0 && kept;
}

static void end_partner(void)
{
        close(to_partner);
        close(from_partner);
        if (partner <= 0)
                return;
        kill(partner, SIGKILL);
        wait4(partner, NULL, 0, NULL);
}

static long message_size(void)
{
        return around.size ? (long)around.size : 1;
}

/* Reads the bytes that the first read left; up to a page there are none. */
static __attribute__((noinline)) void read_rest(int from, char *at, long left)
{
        for (long part; left > 0 && (part = read(from, at, (size_t)left)) > 0; left -= part)
                at += part;
}

/* The last byte of a message; the answer has this plus 1. */
static char *mark_of_message(void)
{
        return &buffer[around.align + message_size() - 1];
}

static char *message;
static long size;

static bool begin_pipe(void)
{
        message = buffer + around.align;
        size = message_size();
        return start_partner(PATH_pipe);
}

static void mark_message(unsigned round)
{
        *mark_of_message() = (char)(answer = 2 * (long)round);
}

static void send_and_read(void)
{
        write(to_partner, message, (size_t)size);
        long got = read(from_partner, message, (size_t)size);
        if (got != size)
                read_rest(from_partner, message + got, size - got);
}

static bool came_back(void)
{
        return *mark_of_message() == (char)(answer + 1);
}

static void echo(int in, int out)
{
        char *const mine = buffer + around.align, *mark = mark_of_message();
        const long whole = message_size();
        for (long got; (got = read(in, mine, (size_t)whole)) > 0;) {
                if (got != whole)
                        read_rest(in, mine + got, whole - got);
                ++*mark;
                write(out, mine, (size_t)whole);
        }
}

static __attribute__((noinline)) int64_t ticks_of(void (*once)(void))
{
        uint64_t start = tsc();
        once();
        return (int64_t)(tsc() - start);
}

/* Copies as many words as the kernel copies of a message longer than BY_MOVES, by the same
 * instruction. */
static unsigned kernel_word; /* bytes */
static uintptr_t words;

static void copy_words(void)
{
        uintptr_t count = words;
        const char *from = buffer;
        char *to = buffer;
        __asm__ volatile("rep movsl" : "+c"(count), "+S"(from), "+D"(to) : : "memory");
}

static int64_t median_ticks(void (*once)(void))
{
        int64_t ticks[SAMPLES];
        for (unsigned i = 0; i < SAMPLES; i++)
                ticks[i] = ticks_of(once);
        return median_of(ticks, SAMPLES);
}

/* The cost per page of the message, without copying: it is copied four times. */
static int64_t less_copying(int64_t ticks)
{
        words = 0;
        int64_t none = median_ticks(copy_words);
        words = size > BY_MOVES ? (uintptr_t)size / kernel_word : 0;
        ticks -= 4 * (median_ticks(copy_words) - none);
        return divide_signed(ticks, ((unsigned)size + PAGE_SIZE - 1) / PAGE_SIZE);
}

static long word;

static bool begin_hand(void)
{
        word = 0;
        return start_partner(PATH_hand);
}

static void hand_over(void)
{
        answer = toll_hand(partner, word);
}

static bool came_next(void)
{
        return answer == ++word;
}

static void take_and_hand(long parent)
{
        long taken = toll_hand(parent, TOLL_HAND_TAKE);
        while (taken >= 0)
                taken = toll_hand(parent, taken + 1);
}

static uint32_t number(const char *text)
{
        uint32_t value = 0;
        for (; *text >= '0' && *text <= '9'; text++)
                value = value * 10 + (uint32_t)(*text - '0');
        return value;
}

/* Its ends of the pipes have higher descriptors than the conditions choose. */
_Noreturn void partner_run(char **argv)
{
        int ends[2] = {(int)number(argv[ARGUMENT_in]), (int)number(argv[ARGUMENT_out])};
        if (!conditions_set_up(number(argv[ARGUMENT_conditions]), true) || !keep_ends(ends))
                exit_group(1);
        if (around.floats)
                path_floats();
        if (number(argv[ARGUMENT_path]) == PATH_hand)
                take_and_hand(number(argv[ARGUMENT_parent]));
        else
                echo(ends[0], ends[1]);
        exit_group(0);
        __builtin_unreachable();
}

static int64_t clearing; /* cost of clearing a page, as in the page fault */
static uintptr_t touched;

static uintptr_t page_of(unsigned round)
{
        uintptr_t first = around.other && round % 2 ? around.other : around.page;
        return first + (uintptr_t)((long)round * around.step);
}

static bool forget_pages(void)
{
        if (!around.page)
                around.page = (uintptr_t)own_area;
        for (unsigned i = 0; i < TAKEN; i++)
                madvise(page_of(i), PAGE_SIZE, MADV_DONTNEED);
        return true;
}

static void choose_page(unsigned round)
{
        touched = page_of(round);
        answer = counts_now().frames;
}

static bool took_frame(void)
{
        return (long)counts_now().frames < answer;
}

static void touch(void)
{
        *(volatile char *)touched = 1;
}

static void forget_again(void)
{
        forget_pages();
}

static int64_t less_clearing(int64_t ticks)
{
        return ticks - clearing;
}

static void treat_no_page(void)
{
        toll_call(NUMBER_toll_page, TOLL_PAGE_nothing);
}

static void clear_page(void)
{
        toll_call(NUMBER_toll_page, TOLL_PAGE_clear);
}

static void skip_write(int signal, struct siginfo *info, struct ucontext *uc)
{
        answer = signal;
        uc->context.ip = (uintptr_t)fault_write_end;
}

static bool set_handler(void)
{
        const unsigned long flags = SA_SIGINFO | (around.handler_stack ? SA_ONSTACK : 0);
        return !signal_act(SIGSEGV, skip_write, flags, 0);
}

static void forget_answer(unsigned round)
{
        answer = -1;
}

static void fault_below(void)
{
        fault_write(BELOW);
}

static bool is_segv(void)
{
        return answer == SIGSEGV;
}

static void fork_and_wait(void)
{
        int status = -1;
        long child = fork();
        if (!child)
                exit_group(0);
        wait4(child, &status, 0, NULL);
        answer = status;
}

const struct path paths[PATHS] = {
        [PATH_getpid] = {"getpid", know_self, any_round, ask_pid, is_pid, nothing, all_of_it},
        [PATH_read] = {"read", open_null, any_round, read_null, is_nothing, close_null, all_of_it},
        [PATH_clock] = {"clock", always, any_round, ask_time, is_nothing, nothing, all_of_it},
        [PATH_hand] = {"hand", begin_hand, any_round, hand_over, came_next, end_partner, all_of_it},
        [PATH_pipe] = {"pipe", begin_pipe, mark_message, send_and_read, came_back, end_partner,
                       less_copying},
        [PATH_fault] = {"fault", forget_pages, choose_page, touch, took_frame, forget_again,
                        less_clearing},
        [PATH_segv] = {"segv", set_handler, forget_answer, fault_below, is_segv, nothing,
                       all_of_it},
        [PATH_fork] = {"fork", always, forget_answer, fork_and_wait, is_nothing, nothing,
                       all_of_it}};

void path_floats(void)
{
        __asm__ volatile("fld1\n\tfstp %%st(0)" : : : "memory");
}

int64_t path_ticks(const struct path *path)
{
        int64_t ticks[SAMPLES];
        bool right = path->begin();
        for (unsigned i = 0; right && i < WARM_UP_SHORT + SAMPLES; i++) {
                path->before(i);
                if (around.floats)
                        path_floats();
                ticks[i < WARM_UP_SHORT ? 0 : i - WARM_UP_SHORT] = ticks_of(path->once);
                right = path->right();
        }
        path->end();
        return right ? path->net(median_of(ticks, SAMPLES) - median_ticks(nothing)) : -1;
}

void paths_init(char **argv, char **environment)
{
        const void *function = vdso_function(environment, "__vdso_gettimeofday");
        around.partner = argv[0];
        kernel_word = WIDE || !strcmp(program_origin(argv[0]), "compat") ? 8 : 4;
        time_of_day = (long (*)(struct timeval *, void *))(uintptr_t)function;
        clearing = median_ticks(clear_page) - median_ticks(treat_no_page);
}
