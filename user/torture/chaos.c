/*
 * chaos.c - steps at random in one process, which now and then makes a child, a thread or another
 * program that does some, too, and waits for it: what each answers is the same on Linux.
 */
#include "child.h"
#include "linux.h"
#include "steps.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define THREAD                                                                                     \
        (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_PARENT_SETTID |  \
         CLONE_CHILD_CLEARTID)
#define REPORT 63 /* main.c's pipe */
#define BASE "/tmp/tollgate-chaos"
#define PIECE 0x80 /* of a result's value, besides the error */

static char base[64], place[80];
static bool tells;
static uint8_t stack[16384] __attribute__((aligned(16)));
static struct random *shared_random;
static volatile uint32_t thread_sum;

static uint32_t sum_of(struct answer answer)
{
        return answer.error * 0x85ebca6bu ^ answer.value;
}

static struct answer told(struct answer answer)
{
        if (tells)
                print("torture: chaos: %s: error %u, value %x\n", answer.step, answer.error,
                      answer.value);
        return answer;
}

static uint32_t several(struct random *random, bool alone)
{
        uint32_t sum = 0;
        for (unsigned n = 1 + random_below(random, 4); n; n--)
                sum = sum * 31 + sum_of(told(step(random, alone)));
        return sum;
}

static struct answer in_child(struct random *random)
{
        int status = 0;
        long pid = fork();
        if (!pid) {
                close(REPORT);
                exit_group((int)(several(random, true) & 0x7f));
        }
        long result = wait4(pid, &status, 0, NULL);
        return (struct answer){"child", result == pid ? 0 : (unsigned)-result, (uint32_t)status};
}

/* Includes what is open, blocked and ignored. */
static struct answer in_program(void)
{
        int status = 0;
        char *arguments[] = {torture_path, "inherited", NULL}, *environment[] = {NULL};
        long pid = fork();
        if (!pid) {
                close(REPORT);
                execve(torture_path, arguments, environment);
                exit_group(127);
        }
        wait4(pid, &status, 0, NULL);
        return (struct answer){"program", 0, (uint32_t)status};
}

static void run_thread(void)
{
        thread_sum = several(shared_random, false);
        SYS(exit, 0);
}

static struct answer in_thread(struct random *random)
{
        static volatile int tid;
        int is;
        shared_random = random;
        long result = thread_start(THREAD, stack + sizeof stack, (int *)&tid, run_thread);
        while (result > 0 && (is = tid))
                SYS(futex, &tid, FUTEX_WAIT, is, NULL);
        return result > 0 ? (struct answer){"thread", 0, thread_sum}
                          : (struct answer){"thread", (unsigned)-result, 0};
}

static unsigned act(struct random *random)
{
        unsigned which = random_below(random, 64);
        struct answer answer = which == 0  ? in_program()
                               : which < 3 ? in_child(random)
                               : which < 5 ? in_thread(random)
                                           : step(random, true);
        uint32_t folded = answer.value ^ answer.value >> 16;
        folded ^= folded >> 8;
        folded ^= folded >> 4;
        told(answer);
        return (answer.error & (PIECE - 1)) | (__builtin_parity(folded) ? PIECE : 0);
}

static long init(void)
{
        mkdir("/tmp", 0777);
        snprintf(base, sizeof base, BASE "-%ld", getpid());
        snprintf(place, sizeof place, "%s/1/2", base);
        tells = torture_tells;
        return 0;
}

static void begin(void)
{
        char above[80];
        mkdir(base, 0700);
        snprintf(above, sizeof above, "%s/1", base);
        mkdir(above, 0700);
        steps_begin(place, REPORT);
}

static void end(void)
{
        steps_end(base);
}

static void outcome_name(unsigned outcome, char *to, unsigned size)
{
        const char *piece = outcome & PIECE ? "'" : "";
        if (outcome & (PIECE - 1))
                snprintf(to, size, "error %u%s", outcome & (PIECE - 1), piece);
        else
                snprintf(to, size, "success%s", piece);
}

const struct kind kind_chaos = {
        .name = "chaos",
        .init = init,
        .act = act,
        .outcome_name = outcome_name,
        .varied = 12,
        .chunk = 250,
        .limit = 30000,
        .ordered = true,
        .begin = begin,
        .end = end,
};
