/*
 * sleeps.c - short sleeps while another computes: never shorter than asked, and not a turn longer.
 * Of several tries the shortest counts, because a host may have others to run as well.
 */
#include "answers.h"
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>

#define TRIES 10
#define SHORT 1000000 /* ns */

static const struct timespec span = {0, SHORT};

static long long now(void)
{
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void by_nanosleep(void)
{
        nanosleep(&span, NULL);
}

static void until_a_moment(void)
{
        long long end = now() + SHORT;
        struct timespec at = {end / 1000000000, end % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void by_poll(void)
{
        poll(NULL, 0, SHORT / 1000000);
}

static void by_select(void)
{
        struct timeval time = {0, SHORT / 1000};
        select(0, NULL, NULL, NULL, &time);
}

static void by_sigtimedwait(void)
{
        sigset_t none;
        sigemptyset(&none);
        sigtimedwait(&none, NULL, &span);
}

static void by_condition(void)
{
        pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec += SHORT;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&never, &lock, &at);
        pthread_mutex_unlock(&lock);
}

static void compute(void)
{
        for (;;)
                __asm__ volatile("");
}

static void shortest(const char *what, void (*sleep)(void))
{
        long long least = 1ll << 62;
        for (int i = 0; i < TRIES; i++) {
                long long start = now();
                sleep();
                long long took = now() - start;
                least = took < least ? took : least;
        }
        printf("= a millisecond by %s: %s\n", what,
               least < SHORT       ? "too short"
               : least < 2 * SHORT ? "as long as asked"
                                   : "longer");
}

static void handle(int signal)
{
        (void)signal;
}

static void interrupt_later(void)
{
        nap(30);
        kill(getppid(), SIGUSR1);
}

/* What is left of a sleep is said to the nanosecond. */
static void left(void)
{
        struct timespec rest = {0, 0}, time = {1000, 0};
        catch (SIGUSR1, handle, 0);
        pid_t pid = child(interrupt_later);
        ASK(nanosleep(&time, &rest));
        ASK(rest.tv_sec);
        ASK(rest.tv_nsec > 0);
        status_of(pid);
}

static volatile int order, places[3];

static void *sleep_for(void *argument)
{
        long which = (long)argument;
        nap(200 * which);
        places[which - 1] = ++order;
        return argument;
}

/* The shortest sleep wakes first, in whatever order they began. */
static void in_order(void)
{
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
                pthread_create(&threads[i], NULL, sleep_for, (void *)(long)((i + 1) % 3 + 1));
        for (int i = 0; i < 3; i++)
                pthread_join(threads[i], NULL);
        for (int i = 0; i < 3; i++)
                ASK(places[i]);
}

void ask_sleeps(void)
{
        pid_t pid = child(compute);
        shortest("nanosleep", by_nanosleep);
        shortest("clock_nanosleep to a moment", until_a_moment);
        shortest("poll", by_poll);
        shortest("select", by_select);
        shortest("sigtimedwait", by_sigtimedwait);
        shortest("a condition", by_condition);
        kill(pid, SIGKILL);
        ASK(status_of(pid));
        left();
        in_order();
}
