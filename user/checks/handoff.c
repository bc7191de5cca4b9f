/* handoff.c - toll_hand(): its contract, and every disturbance of two partners: signals, stops,
 * ends, and other threads that need the processor. */
#include "const.h"
#include "linux.h"
#include "toll.h"

#define TAKE(partner) toll_hand(partner, TOLL_HAND_TAKE)

static volatile int caught;
static long me;

static void handler(int signal)
{
        caught = signal;
}

static long handle(int signal, unsigned long flags)
{
        const struct sigaction action = {(uintptr_t)handler, flags | SA_SIGINFO | SA_RESTORER,
                                         (uintptr_t)signal_return, 0};
        caught = 0;
        return rt_sigaction(signal, &action, NULL, sizeof action.mask);
}

static void serve(long partner)
{
        for (long word = TAKE(partner); word >= 0;)
                word = toll_hand(partner, word + 1);
        exit_group(0);
}

/* A child that answers after `delay` milliseconds. */
static long server(long delay)
{
        long child = fork();
        if (!child) {
                if (delay)
                        sleep_ms(delay);
                serve(me);
        }
        return child;
}

static int reap(long child)
{
        int status = -1;
        return wait4(child, &status, 0, NULL) == child ? status : -1;
}

static void end(long child)
{
        kill(child, SIGKILL);
        reap(child);
}

static void try_words(void)
{
        long early = server(20), late = server(0);
        long first = toll_hand(early, 7), second = toll_hand(early, 0x7ffffffe);
        sleep_ms(20);
        long third = toll_hand(late, 1), mixed = toll_hand(early, 2);
        check(first == 8 && second == 0x7fffffff && third == 2 && mixed == 3, "words",
              "of two servers: %ld, %lx, %ld, %ld", first, second, third, mixed);
        long odd = toll_hand(early, -2), self = toll_hand(me, 1), none = toll_hand(99999, 1);
        check(odd == -EINVAL && self == -EINVAL && none == -3 && toll_hand(0, 1) == -3, "errors",
              "an odd word %ld, itself %ld, nobody %ld", odd, self, none);
        end(early);
        check(toll_hand(early, 1) == -3, "errors", "a partner that has ended: %ld",
              toll_hand(early, 1));
        end(late);
}

static void try_both_give(void)
{
        long child = fork();
        if (!child) {
                long word = toll_hand(me, 1);
                exit_group(word == 5 ? 3 : 4);
        }
        sleep_ms(20);
        long both = toll_hand(child, 2), taken = TAKE(child);
        toll_hand(child, 5);
        int status = reap(child);
        check(both == -EDEADLK && taken == 1 && status == 3 << 8, "both give",
              "%ld, then took %ld, its status %x", both, taken, (unsigned)status);
}

static void try_ends(void)
{
        long child = fork();
        if (!child) {
                TAKE(me);
                exit_group(0);
        }
        long taken = toll_hand(child, 1);
        reap(child);
        check(taken == -EPIPE, "ends", "the partner took the word and left: %ld", taken);
        child = fork();
        if (!child) {
                sleep_ms(20);
                exit_group(0);
        }
        long never = toll_hand(child, 1);
        reap(child);
        check(never == -EPIPE, "ends", "the partner never came: %ld", never);
        child = server(0);
        long killer = fork();
        if (!killer) {
                sleep_ms(20);
                exit_group((int)kill(child, SIGKILL));
        }
        toll_hand(child, 1);
        long waited = TAKE(child);
        reap(killer);
        reap(child);
        check(waited == -EPIPE, "ends", "killed while both wait: %ld", waited);
}

static void try_signals(void)
{
        long child = fork();
        if (!child) {
                handle(SIGUSR1, SA_RESTART);
                long word = TAKE(me);
                exit_group(word == 6 && caught == SIGUSR1 ? 3 : 4);
        }
        sleep_ms(20);
        kill(child, SIGUSR1);
        sleep_ms(20);
        long answer = toll_hand(child, 6);
        int status = reap(child);
        check(answer == -EPIPE && status == 3 << 8, "signals",
              "a wait is taken up again: %ld, status %x", answer, (unsigned)status);
        handle(SIGUSR1, SA_RESTART);
        child = fork();
        if (!child) {
                long word = TAKE(me);
                kill(me, SIGUSR1);
                sleep_ms(20);
                toll_hand(me, word + 1);
                exit_group(0);
        }
        long given = toll_hand(child, 1), later = TAKE(child);
        check(given == -EINTR && later == 2 && caught == SIGUSR1, "signals",
              "a word that was given is not given again: %ld, then %ld", given, later);
        end(child);
}

static void try_stop(void)
{
        long child = server(0);
        sleep_ms(20);
        kill(child, SIGSTOP);
        sleep_ms(20);
        long helper = fork();
        if (!helper) {
                sleep_ms(20);
                exit_group((int)kill(child, SIGCONT));
        }
        long word = toll_hand(child, 1);
        reap(helper);
        check(word == 2, "stop", "the word waited for SIGCONT: %ld", word);
        end(child);
}

static void try_rival(void)
{
        long child = server(0), rival = fork();
        if (!rival)
                for (;;)
                        caught++;
        long good = 0;
        struct timespec start, now;
        clock_gettime(CLOCK_MONOTONIC, &start);
        do {
                good += toll_hand(child, 1) == 2 ? 0 : 1;
                clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.seconds == start.seconds && now.nanoseconds - start.nanoseconds < 40000000);
        int status = (int)wait4(rival, NULL, WNOHANG, NULL);
        check(!good && !status, "rival", "beside a busy process: %ld went wrong", good);
        end(rival);
        end(child);
}

static void try_strangers(void)
{
        int pids[2];
        long stranger = 0;
        pipe(pids);
        long child = fork();
        if (!child) {
                long below = fork();
                if (!below) {
                        setpgid(0, 0);
                        long self = getpid();
                        write(pids[1], &self, sizeof self);
                        sleep_ms(500);
                        exit_group(0);
                }
                exit_group(reap(below) != SIGKILL);
        }
        read(pids[0], &stranger, sizeof stranger);
        long word = toll_hand(stranger, 1);
        check(word == -1, "strangers", "of another group, no child: %ld", word);
        kill(stranger, SIGKILL);
        reap(child);
        close(pids[0]);
        close(pids[1]);
}

/* The FPU's control word, which is different on both sides. */
static unsigned short fpu_control(unsigned short set)
{
        unsigned short was;
        __asm__ volatile("fnstcw %0; fldcw %1" : "=m"(was) : "m"(set));
        return was;
}

static void try_fpu(void)
{
        long child = fork();
        if (!child) {
                long bad = 0, word = TAKE(me);
                for (fpu_control(0x37f); word >= 0; word = toll_hand(me, bad))
                        bad += fpu_control(0x37f) != 0x37f;
                exit_group(0);
        }
        long bad = 0, other = 0;
        fpu_control(0x27f);
        for (int i = 0; i < 10; i++) {
                other = toll_hand(child, 1);
                bad += fpu_control(0x27f) != 0x27f;
        }
        fpu_control(0x37f);
        check(!bad && !other, "fpu", "the control word changed %ld and %ld times", bad, other);
        end(child);
}

int main(int argc, char **argv)
{
        me = getpid();
        try_words();
        try_both_give();
        try_ends();
        try_signals();
        try_stop();
        try_rival();
        try_strangers();
        try_fpu();
        return check_status();
}
