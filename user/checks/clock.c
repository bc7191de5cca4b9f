/* clock.c - the clocks agree with each other and with the TSC, never go backwards, and cannot be
 * set. `only=drift` sleeps for a minute instead and prints the difference; `only=host` prints the
 * time often, and again after a minute, for a host with a clock. */
#include "linux.h"
#include "measure.h"

#define SECOND 1000000000ll
#define MOMENT 20000000ll /* 20 ms */
#define ROUNDS 500

struct timeval {
        long seconds, microseconds;
};

static int64_t now_of(int clock)
{
        struct timespec time = {0, 0};
        clock_gettime(clock, &time);
        return time.seconds * SECOND + time.nanoseconds;
}

static int64_t now(void)
{
        return now_of(CLOCK_MONOTONIC);
}

static int64_t by_gettimeofday(void)
{
        struct timeval time = {0, 0};
        system_call(NUMBER_gettimeofday, &time, 0);
        return time.seconds * SECOND + time.microseconds * 1000;
}

static int64_t by_time(void)
{
        return system_call(NUMBER_time, 0) * SECOND;
}

static int64_t by_times(void)
{
        return system_call(NUMBER_times, 0) * 10000000ll;
}

/* Each call must agree with its clock, except for digits that it rounds off: between two readings
 * of the clock. */
static void agree(const char *name, int64_t (*ask)(void), int clock, int64_t rounded)
{
        int64_t worst = 0;
        bool inside = true;
        for (unsigned i = 0; i < ROUNDS; i++) {
                int64_t before = now_of(clock), here = ask(), after = now_of(clock);
                inside &= before - rounded < here && here <= after;
                worst = before - here > worst ? before - here : worst;
        }
        check(inside, name, "%lld ns behind at most", (long long)worst);
}

static int64_t coarse_by_date(void)
{
        return now_of(CLOCK_REALTIME_COARSE);
}

static int64_t coarse(void)
{
        return now_of(CLOCK_MONOTONIC_COARSE);
}

static int64_t since_boot(void)
{
        return now_of(CLOCK_BOOTTIME);
}

static void never_backwards(void)
{
        int64_t (*const ways[])(void) = {now, since_boot, coarse};
        int64_t last[3] = {0}, back = 0;
        for (unsigned i = 0; i < 20 * ROUNDS; i++) {
                int64_t here = ways[i % 3]();
                back += here < last[i % 3];
                last[i % 3] = here;
        }
        check(!back, "never backwards", "%lld times", (long long)back);
}

static void date(void)
{
        const int64_t year_2020 = 1577836800;
        int64_t boot = now_of(CLOCK_REALTIME) - now();
        check(by_time() >= year_2020 * SECOND, "date", "%ld s", system_call(NUMBER_time, 0));
        boot -= now_of(CLOCK_REALTIME) - now();
        check(boot < MOMENT && -boot < MOMENT, "one date of the boot", "%lld", (long long)boot);
}

static void sleeps(void)
{
        struct timespec time = {0, MOMENT};
        int64_t before = now();
        nanosleep(&time, NULL);
        int64_t passed = now() - before;
        check(passed >= MOMENT && passed < 10 * SECOND, "nanosleep", "%lld ns", (long long)passed);
}

/* Reads the clock without interrupts. A clock that counts ticks must not change. */
static void quiet(bool ticks)
{
        const uint64_t counts = 100000000;
        if (toll_call(NUMBER_toll_quiet, 1)) {
                check(true, "quiet", "this is not Tollgate");
                return;
        }
        int64_t start = now();
        for (uint64_t from = tsc(); tsc() - from < counts;)
                for (volatile unsigned i = 0; i < 10000; i++)
                        ;
        int64_t passed = now() - start;
        toll_call(NUMBER_toll_quiet, 0);
        check(ticks ? !passed : passed > 0, "quiet", "%lld ns", (long long)passed);
        check(now() >= start + passed, "after quiet", "%lld ns", (long long)(now() - start));
}

/* A trusted program without interrupts: the TSC advances, and the writer catches up later. */
static void interrupts_off(bool ticks)
{
        const uint64_t counts = 30000000;
        int64_t start = now();
        __asm__ volatile("cli");
        for (uint64_t from = tsc(); tsc() - from < counts;)
                ;
        int64_t passed = now() - start, behind = start + passed - coarse();
        __asm__ volatile("sti");
        for (uint64_t from = tsc(); tsc() - from < counts;)
                ;
        int64_t then = now(), later = then - coarse();
        check(ticks ? passed >= 0 : passed > 0 && behind >= passed / 2, "interrupts off",
              "%lld ns, %lld since the tick", (long long)passed, (long long)behind);
        check(then >= start + passed && later < behind + MOMENT, "interrupts on again",
              "%lld ns since the tick", (long long)later);
}

static void set(void)
{
        struct timespec time = {0, 0};
        struct timeval day = {0, 0};
        long clock = system_call(NUMBER_clock_settime, CLOCK_REALTIME, &time);
        long day_set = system_call(NUMBER_settimeofday, &day, 0);
        check(clock == -1 && day_set == -1, "nobody sets it", "%ld %ld", clock, day_set);
        check(system_call(NUMBER_clock_gettime, 99, &time) == -22 &&
                      system_call(NUMBER_clock_settime, 99, &time) == -22,
              "no such clock", "%d", 99);
}

/* Whether the clock counts ticks. */
static bool resolution(void)
{
        struct timespec fine = {1, 1}, ticks = {1, 1};
        system_call(NUMBER_clock_getres, CLOCK_MONOTONIC, &fine);
        system_call(NUMBER_clock_getres, CLOCK_MONOTONIC_COARSE, &ticks);
        check(!fine.seconds && (fine.nanoseconds == 1 || fine.nanoseconds == ticks.nanoseconds) &&
                      !ticks.seconds && ticks.nanoseconds <= 10000000,
              "resolution", "%ld and %ld ns", fine.nanoseconds, ticks.nanoseconds);
        return fine.nanoseconds == ticks.nanoseconds;
}

/* Prints the clock's and the TSC's advance, for the host to compare. */
static void drift(void)
{
        struct timespec minute = {60, 0};
        for (unsigned round = 0; round < 2; round++) {
                int64_t start = now();
                uint64_t counts = tsc();
                nanosleep(&minute, NULL);
                counts = tsc() - counts;
                print("drift: %lld ns, %llu counts\n", (long long)(now() - start),
                      (unsigned long long)counts);
        }
}

static void say_often(void)
{
        struct timespec moment = {0, MOMENT};
        for (unsigned i = 0; i < 100; i++) {
                print("now: %lld ns\n", (long long)now());
                nanosleep(&moment, NULL);
        }
}

int main(int argc, char **argv)
{
        const char *only = option(argv, "only");
        if (only && !strcmp(only, "host")) {
                say_often();
                for (unsigned i = 0; i < 6; i++) {
                        sleep_ms(10000);
                        print("waits\n");
                }
                say_often();
                return 0;
        }
        if (only && !strcmp(only, "drift")) {
                drift();
                return 0;
        }
        const int64_t tick = 10000000;
        agree("gettimeofday", by_gettimeofday, CLOCK_REALTIME, 1000);
        agree("time", by_time, CLOCK_REALTIME, SECOND);
        agree("times", by_times, CLOCK_MONOTONIC, tick);
        agree("boottime", since_boot, CLOCK_MONOTONIC, 1);
        agree("realtime, coarse", coarse_by_date, CLOCK_REALTIME, 2 * tick);
        agree("monotonic, coarse", coarse, CLOCK_MONOTONIC, 2 * tick);
        never_backwards();
        date();
        sleeps();
        bool ticks = resolution();
        quiet(ticks);
        if (!strncmp(argv[0], "/trusted/", 9))
                interrupts_off(ticks);
        set();
        return check_status();
}
