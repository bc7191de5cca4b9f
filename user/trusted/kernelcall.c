/* kernelcall.c - calls the kernel's functions by name, and times one against the system calls.
 *
 * only=lost passes a bad address to one of them. */
#include "const.h"
#include "cpu/cpu.h"
#include "kernel.h"
#include "lib/crc32.h"
#include "signals.h"
#include "result.h"
#include "toll.h"

KERNEL_FUNCTION(void, console_write, const char *text, size_t count);
KERNEL_FUNCTION(uint32_t, crc32, const void *data, size_t count);
KERNEL_FUNCTION(size_t, frame_count, void);
KERNEL_FUNCTION(const char *, symbol_at, uintptr_t address);
KERNEL_DATA(const volatile uint32_t, timer_ticks);

static uint8_t untouched[65536]; /* never written: pages are mapped on demand */
static int64_t samples[SAMPLES_MAX];
static volatile unsigned steps;

static void answers(void)
{
        static const char text[] = "kernelcall: said by the kernel\n";
        kernel_console_write(text, sizeof text - 1);
        uint32_t sum = kernel_crc32(text, sizeof text);
        check(sum == crc32(text, sizeof text), "crc32", "%x", sum);
        check(kernel_frame_count() > 256, "frame_count", "%u frames",
              (unsigned)kernel_frame_count());
        const char *name = kernel_symbol_at((uintptr_t)kernel_symbol_at);
        check(strstr(name, "function_symbol_at+0"), "symbol_at", "%s", name);
        sum = kernel_crc32(untouched, sizeof untouched);
        check(sum == crc32(untouched, sizeof untouched), "page faults inside", "%x", sum);
}

static void interrupts(void)
{
        uint32_t right = crc32(untouched, sizeof untouched), wrong = 0;
        if (toll_call(NUMBER_toll_timer, TIMER_FAST)) {
                print("kernelcall: no fast timer for a program that may not measure\n");
                return;
        }
        uint32_t before = *kernel_timer_ticks;
        for (unsigned i = 0; i < 50; i++)
                wrong += kernel_crc32(untouched, sizeof untouched) != right;
        uint32_t ticks = *kernel_timer_ticks - before;
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
        check(!wrong && ticks > 50, "interrupts inside", "%u ticks, %u wrong sums", ticks, wrong);
}

static void step(int signal)
{
        steps++;
}

static void flags_write(uintptr_t flags)
{
        __asm__ volatile("push %0; popf" : : "r"(flags) : "memory", "cc");
}

/* A single step is delayed until after the function. */
static void single_steps(void)
{
        unsigned wrong = 0;
        signal_act(SIGTRAP, step, 0, 0);
        for (unsigned i = 0; i < 100; i++) {
                flags_write(flags_read() | RFLAGS_TF);
                uint32_t sum = kernel_crc32("step", 4);
                flags_write(flags_read() & ~(uintptr_t)RFLAGS_TF);
                wrong += sum != crc32("step", 4);
        }
        check(!wrong && steps > 400, "single steps", "%u steps, %u wrong sums", steps, wrong);
}

static const void *direct_call(void)
{
        struct toll_row row;
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!strcmp(row.id, "trusted/call/standard"))
                        return (const void *)(uintptr_t)row.clean;
        return NULL;
}

/* NT, which makes IRET fail, stays set during a direct call: no exit of the kernel may meet it,
 * least of all for another program. */
static void nested_task(void)
{
        const void *direct = direct_call();
        int status = -1;
        flags_write(flags_read() | RFLAGS_NT);
        long child = gate_call(direct, NUMBER_fork);
        flags_write(flags_read() & ~(uintptr_t)RFLAGS_NT);
        if (!child) {
                flags_write(flags_read() | RFLAGS_NT);
                for (unsigned i = 0; i < 10; i++)
                        gate_call(direct, NUMBER_sched_yield);
                toll_call(NUMBER_exit_group, 7);
        }
        toll_call(NUMBER_sched_yield);
        toll_call(NUMBER_wait4, child, &status);
        check(status == 7 << 8, "direct call with NT", "the child ended with %x", (unsigned)status);
}

#define TIME(n, code)                                                                              \
        for (unsigned i = 0; i < (n); i++) {                                                       \
                uint64_t start = tsc();                                                            \
                code;                                                                              \
                samples[i] = (int64_t)(tsc() - start);                                             \
        }

static void record(const char *what, unsigned n, int64_t pair)
{
        struct statistics s;
        char id[40];
        for (unsigned i = 0; i < n; i++)
                samples[i] -= pair;
        statistics_of(&s, samples, n);
        snprintf(id, sizeof id, "trusted/kernelcall/%s", what);
        print_result("kernelcall", id, "kernelcall", &s);
        print("%-9s %lld ticks\n", what, (long long)s.median);
}

/* A function that returns a variable, and getpid by the direct call and by INT 80h. */
static void measure_times(unsigned n)
{
        const void *direct = direct_call();
        toll_call(NUMBER_toll_quiet, 1);
        TIME(n, );
        int64_t pair = median_of(samples, n);
        TIME(n, kernel_frame_count());
        record("function", n, pair);
        TIME(n, gate_call(direct, NUMBER_getpid));
        record("call", n, pair);
        TIME(n, toll_call(NUMBER_getpid));
        record("int", n, pair);
        toll_call(NUMBER_toll_quiet, 0);
}

int main(int argc, char **argv)
{
        unsigned n = option_number(argv, "samples", 1000);
        const char *only = option(argv, "only");
        if (only && !strcmp(only, "lost"))
                kernel_crc32((const void *)(uintptr_t)PAGE_SIZE, 1);
        answers();
        interrupts();
        single_steps();
        nested_task();
        measure_times(n && n <= SAMPLES_MAX ? n : SAMPLES_MAX);
        return check_status();
}
