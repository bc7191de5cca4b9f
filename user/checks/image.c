/* image.c - calls each function of the image (docs/programs.md) on each of its paths: from main,
 * and from the handler of a signal that one of them caused. Also for an observer: a debugger can
 * unwind to main from every instruction (tests/unix/backtrace.py). `only=return`: asks for the time
 * once, and accepts a debugger's answer. */
#include "const.h"
#include "signals.h"
#include "vdso.h"

#define ANSWER 77 /* a debugger's */
#define NO_CLOCK 99

typedef int function(long a, long b);

static char **environment;
static int64_t wide[2];
static struct timespec narrow;
static int zone[2];
static unsigned cpu, node;
#define TO(place) (long)(uintptr_t) & (place)

static const struct call {
        const char *name;
        long a, b;
        int answer;
} calls[] = {{"gettimeofday", TO(narrow), TO(zone), 0},
             {"gettimeofday", TO(narrow), 0, 0},
             {"gettimeofday", 0, TO(zone), 0},
             {"getcpu", TO(cpu), TO(node), 0},
             {"getcpu", 0, 0, 0},
             {"clock_gettime", CLOCK_REALTIME, TO(narrow), 0},
             {"clock_gettime", CLOCK_MONOTONIC, TO(narrow), 0},
             {"clock_gettime", CLOCK_REALTIME_COARSE, TO(narrow), 0},
             {"clock_gettime", CLOCK_MONOTONIC_COARSE, TO(narrow), 0},
             {"clock_gettime", CLOCK_PROCESS_CPUTIME_ID, TO(narrow), 0},
             {"clock_gettime", NO_CLOCK, TO(narrow), -EINVAL},
             {"clock_getres", CLOCK_REALTIME, TO(narrow), 0},
             {"clock_getres", CLOCK_REALTIME, 0, 0},
             {"clock_getres", CLOCK_REALTIME_COARSE, TO(narrow), 0},
             {"clock_getres", NO_CLOCK, TO(narrow), -EINVAL},
             {"clock_gettime64", CLOCK_REALTIME, TO(wide), 0},
             {"clock_gettime64", CLOCK_MONOTONIC, TO(wide), 0},
             {"clock_gettime64", CLOCK_MONOTONIC_COARSE, TO(wide), 0},
             {"clock_gettime64", NO_CLOCK, TO(wide), -EINVAL}};
static const struct call bad_calls[] = {{"gettimeofday", NOWHERE, 0, -EFAULT},
                                        {"time", NOWHERE, 0, -EFAULT},
                                        {"getcpu", NOWHERE, 0, -EFAULT},
                                        {"clock_gettime", CLOCK_REALTIME, NOWHERE, -EFAULT},
                                        {"clock_getres", CLOCK_REALTIME, NOWHERE, -EFAULT},
                                        {"clock_gettime64", CLOCK_REALTIME, NOWHERE, -EFAULT}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static function *find(const char *family, const char *name)
{
        char symbol[40];
        snprintf(symbol, sizeof symbol, "%s_%s", family, name);
        return (function *)vdso_function(environment, symbol);
}

static unsigned asked, wrong;

/* Not every width has every function. */
static void make(const char *family, const struct call *call)
{
        function *f = find(family, call->name);
        if (f) {
                asked++;
                wrong += f(call->a, call->b) != call->answer;
        }
}

static void make_each(const char *family)
{
        for (size_t i = 0; i < COUNT(calls); i++)
                make(family, &calls[i]);
        for (unsigned i = 0; i < 2; i++) {
                long seconds = 0, same = find(family, "time")(i ? TO(seconds) : 0, 0);
                asked++;
                wrong += same <= 0 || (i && seconds != same);
        }
}

static void old_handler(int signal)
{
        make("__vdso", &calls[0]);
}

static void new_handler(int signal, struct siginfo *info, struct ucontext *uc)
{
        make("__vdso", &calls[0]);
}

/* Sets the page's time several seconds back, to force the slow path. */
static __attribute__((noinline)) void call_all(void)
{
        function *way_in = (function *)vdso_function(environment, "__kernel_vsyscall");
        toll_call(NUMBER_toll_quiet, 1);
        for (unsigned updates = 0; updates < 2; updates++) {
                for (long step = 0, stores = 1; step < stores; step++)
                        stores = toll_call(NUMBER_toll_clock, step);
                make_each("__vdso");
                make_each("__toll");
        }
        toll_call(NUMBER_toll_quiet, 0);
        make_each("__vdso");
        make_each("__toll");
        for (size_t i = 0; i < COUNT(bad_calls); i++)
                make("__toll", &bad_calls[i]);
        if (way_in) {
                long pid = NUMBER_getpid;
                __asm__ volatile("call *%1" : "+a"(pid) : "r"(way_in) : "memory", "cc");
                asked++;
                wrong += pid != getpid();
        }
        signal_self(SIGUSR1);
        signal_self(SIGUSR2);
}

static void in_handler(int signal, struct siginfo *info, struct ucontext *uc)
{
        call_all();
        uc->context.ip = (uintptr_t)guarded_back;
}

static __attribute__((noinline)) void by_function(uintptr_t to)
{
        find("__vdso", "gettimeofday")((long)to, 0);
}

/* A handler without a restorer returns through the image's, if it has one. */
static void handle(int signal, const void *handler, unsigned long flags)
{
        struct sigaction action = {(uintptr_t)handler, flags, 0, 0};
        if (WIDE) {
                action.flags |= SA_RESTORER;
                action.restorer = (uintptr_t)signal_return;
        }
        rt_sigaction(signal, &action, NULL, sizeof action.mask);
}

/* The talk's prelinking: the library's is weak. */
int gettimeofday(struct timeval *to, void *its_zone)
{
        return ANSWER;
}

static __attribute__((noinline)) void answered(void)
{
        narrow.seconds = -1;
        int answer = find("__vdso", "gettimeofday")(TO(narrow), 0);
        check(answer == ANSWER && narrow.seconds == -1, "answered", "%d", answer);
}

int main(int argc, char **argv, char **given)
{
        const char *only = option(argv, "only");
        environment = given;
        if (only && !strcmp(only, "return")) {
                answered();
                return check_status();
        }
        check(gettimeofday(NULL, NULL) == ANSWER, "gettimeofday", "the program's own");
        handle(SIGSEGV, in_handler, SA_SIGINFO);
        handle(SIGUSR1, old_handler, 0);
        handle(SIGUSR2, new_handler, SA_SIGINFO);
        call_all();
        long left = guarded_call(by_function, NOWHERE);
        check(left == 1 && asked && !wrong, "each way", "%u of %u wrong", wrong, asked);
        return check_status();
}
