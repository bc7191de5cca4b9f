/* main.c - system calls by each mechanism of a Linux program: INT 80h, SYSCALL in 64-bit mode, and
 * AT_SYSINFO. It makes no Tollgate calls, so `tollgate linux` runs the same program on Linux.
 *
 * A sample is the mechanism alone, there and back: the cost of the same loads, and of calling a
 * half that only returns, is subtracted. No fences, and interrupts are on. */
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "linux.h"
#include "timed.h"
#include "vdso.h"

#define SYSINFO_BYTES 16  /* size of the code there, which contains the gate */
#define NO_SUCH_CALL 1000 /* a number that no system call has */
#define NARROW_GETPID 20  /* Linux's 32-bit numbers */
#define NARROW_GETPPID 64

extern const char way_int80[], way_syscall[], way_nothing[]; /* ways.asm */

static int64_t ticks[SAMPLES_MAX];
static char buffer[4];
static const char *only, *origin, *path;
static const uint8_t *at_sysinfo;
static unsigned samples;

struct call {
        const char *name;
        long number, a, b, c;
        long answer; /* the expected result, or ANY */
        long narrow; /* its number in Linux's 32-bit table, if it has no arguments */
};
#define ANY (-1L - 4096)

/* The gate in the code at AT_SYSINFO; a program in ring 0 has none: a direct call. */
static const char *gate_in(const uint8_t *code)
{
        for (unsigned i = 0; i + 1 < SYSINFO_BYTES; i++) {
                if (code[i] == 0x0f && code[i + 1] == 0x34)
                        return "sysenter";
                if (code[i] == 0x0f && code[i + 1] == 0x05)
                        return "syscall";
                if (code[i] == 0xcd && code[i + 1] == 0x80)
                        return "int80";
        }
        return "direct";
}

static void sample(const void *half, const struct call *call, int64_t less)
{
        long result = 0;
        unsigned wrong = 0;
        noise_pass();
        for (unsigned i = 0; i < WARM_UP + samples;) {
                int64_t took =
                        timed_half(half, call->number, call->a, call->b, call->c, &result) - less;
                wrong += call->answer != ANY && result != call->answer;
                ticks[i < WARM_UP ? 0 : i - WARM_UP] = took;
                i += noise_keeps(took);
        }
        if (wrong)
                check(false, call->name, "%u answers of %u are not %ld; the last is %ld", wrong,
                      WARM_UP + samples, call->answer, result);
}

static const struct call *retired_call;

static void pass(const void *half, unsigned calls)
{
        const struct call *call = retired_call;
        long result;
        while (calls--)
                timed_half(half, call->number, call->a, call->b, call->c, &result);
}

static void measure(const char *gate, const void *half, const struct call *call)
{
        static struct statistics s;
        struct call nothing = *call;
        char id[48];
        snprintf(id, sizeof id, "%s/%s/%s", origin, call->name, gate);
        if ((only && !strstr(id, only)) || !progress_row(id))
                return;
        nothing.answer = ANY;
        do {
                noise_try();
                sample(way_nothing, &nothing, 0);
                int64_t pair = median_of(ticks, samples);
                sample(half, call, pair);
        } while (noise_again(true));
        statistics_of(&s, ticks, samples);
        retired_call = call;
        noise_retired(pass, half, way_nothing);
        print_result("calls", id, gate, &s);
        print("  %-30s %6lld\n", id, (long long)s.median);
}

/* INT 80h in a 64-bit program: Linux uses 32 bits of each register, and 32-bit numbers. */
static bool int80_is_narrow(void)
{
        return WIDE && toll_call(NARROW_GETPID, -1, 0, 0) == getpid();
}

static void by_int80(const struct call *call)
{
        struct call narrow = *call;
        if (int80_is_narrow()) {
                if (!call->narrow)
                        return;
                narrow.number = call->narrow;
        }
        measure("int80", way_int80, &narrow);
}

static void measure_all(void)
{
        static int null, zero, own;
        static long parent, self;
        if (!self) {
                self = getpid();
                parent = getppid();
                null = (int)open("/dev/null", O_RDONLY, 0);
                zero = (int)open("/dev/zero", O_RDONLY, 0);
                own = (int)open(path, O_RDONLY, 0);
        }
        const long to = (long)(uintptr_t)buffer;
        const struct call calls[] = {{"getpid", NUMBER_getpid, 0, 0, 0, self, NARROW_GETPID},
                                     {"getppid", NUMBER_getppid, 0, 0, 0, parent, NARROW_GETPPID},
                                     {"no-call", NO_SUCH_CALL, 0, 0, 0, -ENOSYS, NO_SUCH_CALL},
                                     {"empty-null", NUMBER_read, null, to, 0, 0, 0},
                                     {"empty-zero", NUMBER_read, zero, to, 0, 0, 0},
                                     {"empty-file", NUMBER_read, own, to, 0, 0, 0}};
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
                by_int80(&calls[i]);
                if (WIDE)
                        measure("syscall", way_syscall, &calls[i]);
                if (at_sysinfo && strcmp(gate_in(at_sysinfo), "int80"))
                        measure(gate_in(at_sysinfo), at_sysinfo, &calls[i]);
        }
}

int main(int argc, char **argv, char **environment)
{
        path = argv[0];
        origin = program_origin(path);
        at_sysinfo = (const uint8_t *)auxiliary(environment, AT_SYSINFO);
        only = option(argv, "only");
        samples = option_number(argv, "samples", 1000);
        samples = samples && samples <= SAMPLES_MAX ? samples : SAMPLES_MAX;
        noise_init(argv);
        progress_walk(argv, "calls", measure_all);
        return check_status();
}
