/* sleep.c - sleeping calls: a signal interrupts or restarts them. */
#include "sigwait.h"

void try_read(void)
{
        char byte = 0;
        int ends[2];
        pipe(ends);
        act(SIGUSR1, without_info, SA_RESTART);
        long child = fork();
        if (!child) {
                for (int i = 0; i < 3; i++) {
                        sleep_ms(10);
                        kill(pid, SIGUSR1);
                }
                sleep_ms(10);
                write(ends[1], "x", 1);
                exit_group(0);
        }
        long result = read(ends[0], &byte, 1);
        check(result == 1 && byte == 'x' && count, "SA_RESTART",
              "read goes on after %d signals: %ld", count, result);
        status_of(child, 0);

        act(SIGUSR1, without_info, 0);
        child = nag();
        result = read(ends[0], &byte, 1);
        check(result == -EINTR && count, "EINTR", "read: %ld", result);
        end(child);
        close(ends[0]);
        close(ends[1]);
}

void try_wait(void)
{
        act(SIGUSR1, without_info, 0);
        long nagger = nag();
        long sleeper = fork();
        if (!sleeper)
                sleep_for_ever();
        long result = wait4(sleeper, NULL, 0, NULL);
        check(result == -EINTR, "EINTR", "wait4: %ld", result);
        act(SIGUSR1, without_info, SA_RESTART);
        while (count < 2)
                sleep_ms(10);
        long last = fork();
        if (!last) {
                sleep_ms(10), sleep_ms(10), sleep_ms(10);
                exit_group(9);
        }
        int status = -1;
        result = wait4(last, &status, 0, NULL);
        check(result == last && status == EXITED(9), "SA_RESTART", "wait4: %x", (unsigned)status);
        end(sleeper);
        end(nagger);
}

void try_sleep(void)
{
        const struct timespec span = {1000, 0};
        struct timespec left = {0, 0};
        int word = 0;
        act(SIGUSR1, without_info, SA_RESTART);
        long child = nag();
        long result = nanosleep(&span, &left);
        check(result == -EINTR && left.seconds > 900 && left.seconds < 1000, "EINTR",
              "nanosleep, SA_RESTART or not: %ld, %ld s left", result, left.seconds);
        result = system_call(NUMBER_futex, &word, 0, 0, &span);
        check(result == -EINTR, "EINTR", "futex with an end: %ld", result);
        result = pause();
        check(result == -EINTR, "EINTR", "pause: %ld", result);
        end(child);

        child = fork();
        if (!child) {
                count = 0;
                result = nanosleep(&span, &left);
                exit_group(result != -EINTR || count != 1 || left.seconds < 900);
        }
        until_asleep(child);
        kill(child, SIGSTOP);
        status_of(child, WUNTRACED);
        kill(child, SIGCONT);
        until_asleep(child);
        kill(child, SIGUSR1);
        int status = status_of(child, 0);
        check(!status, "nanosleep", "goes on after a stop: %x", (unsigned)status);
}

void try_suspend(void)
{
        const uint64_t none = 0;
        int interrupted = 0;
        act(SIGUSR1, without_info, 0);
        signal_mask(SIG_BLOCK, SIGNAL_BIT(SIGUSR1));
        for (int i = 0; i < 20; i++) {
                long child = fork();
                if (!child) {
                        kill(pid, SIGUSR1);
                        exit_group(0);
                }
                long result = rt_sigsuspend(&none, 8);
                interrupted += result == -EINTR && count == i + 1;
                status_of(child, 0);
        }
        signal_mask(SIG_SETMASK, 0);
        check(interrupted == 20, "sigsuspend", "no signal is missed: %d of 20", interrupted);
}

static bool dispatches(const struct toll_row *row)
{
        return row->answers == TOLL_ANSWERS_calls && !row->missing[0] && !row->quiet;
}

/* No program sees -ERESTARTNOHAND, even after an exit without the check for work. */
void try_rows(void)
{
        struct toll_row row;
        long result = 0;
        act(SIGUSR1, without_info, 0);
        long child = nag();
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (!dispatches(&row))
                        continue;
                toll_call(NUMBER_toll_select, i);
                result = gate_call((const void *)(uintptr_t)row.clean, NUMBER_pause);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                check(result == -EINTR, row.id, "pause, interrupted: %ld", result);
        }
        end(child);
}

/* A tick during a program with DF set wakes a thread, which must still copy upwards. */
void try_direction(void)
{
        static struct {
                uint8_t before[128], info[128];
        } got;
        const long soon[4] = {0, 0, 0, 20000};
        const uint64_t set = SIGNAL_BIT(SIGALRM);
        struct siginfo info;
        size_t kept = 0;
        memset(&got, 0xa5, sizeof got);
        signal_mask(SIG_BLOCK, set);
        long child = fork();
        while (!child)
                __asm__ volatile("std");
        system_call(NUMBER_setitimer, 0, soon, NULL);
        long result = system_call(NUMBER_rt_sigtimedwait, &set, got.info, NULL, sizeof set);
        end(child);
        while (kept < sizeof got.before && got.before[kept] == 0xa5)
                kept++;
        memcpy(&info, got.info, sizeof info);
        check(result == SIGALRM && info.signal == SIGALRM && info.code == SI_KERNEL &&
                      kept == sizeof got.before,
              "DF", "beside a program that has set it: %ld, signal %d, code %d", result,
              info.signal, info.code);
        signal_mask(SIG_UNBLOCK, set);
}
