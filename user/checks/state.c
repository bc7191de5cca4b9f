/* state.c - a thread's state outside its frame stays its own during turns and signals: x87, SSE and
 * MXCSR, and the base of FS or GS. A new program starts with none of it. */
#include "fpu.h"
#include "signals.h"
#include "tls.h"
#include "toll.h"

#define ROUNDS 20
#define SPINS 100000

static uintptr_t own_word; /* read through the thread's segment */

/* The state after execve() (System V ABI, "Initial Stack and Register State"). */
static bool is_clean(void)
{
        static const struct fpu zeros;
        struct fpu now;
        uint16_t control;
        uint32_t mxcsr = MXCSR;
        fpu_save(&now);
        memcpy(&control, now.bytes, sizeof control);
        if (!has_fxsr())
                return control == CONTROL_WORD && now.bytes[8] == 0xff && now.bytes[9] == 0xff;
        return control == CONTROL_WORD && !now.bytes[4] &&
               !memcmp(now.bytes + FXSAVE_MXCSR, &mxcsr, sizeof mxcsr) &&
               !memcmp(now.bytes + FXSAVE_XMM, zeros.bytes, XMM_SIZE);
}

static void spoil(int signal)
{
        struct fpu other;
        fpu_fill(&other, 0x55u + (unsigned)signal);
        fpu_load(&other);
}

/* One of the threads that take turns; 0 if nothing was lost. */
static int live(unsigned seed)
{
        struct fpu mine, now;
        own_word = seed;
        if (!tls_point(&own_word))
                return 4;
        signal_act(SIGUSR1, spoil, 0, 0);
        fpu_fill(&mine, seed);
        for (unsigned round = 0; round < ROUNDS; round++) {
                fpu_load(&mine);
                for (volatile unsigned spin = 0; spin < SPINS; spin++)
                        ;
                if (round % 4 == 3)
                        signal_self(SIGUSR1);
                fpu_save(&now);
                if (fpu_differs(&mine, &now))
                        return 1;
                if (tls_word() != seed)
                        return 2;
        }
        return 0;
}

static int status_of(long pid)
{
        int status = -1;
        wait4(pid, &status, 0, NULL);
        return status & 0x7f ? status : status >> 8;
}

static void take_turns(void)
{
        enum { CHILDREN = 3 };
        long pid[CHILDREN];
        toll_call(NUMBER_toll_timer, TIMER_FAST);
        for (unsigned i = 0; i < CHILDREN; i++)
                if (!(pid[i] = fork()))
                        exit_group(live(i + 1));
        for (unsigned i = 0; i < CHILDREN; i++) {
                int status = status_of(pid[i]);
                check(!status, "turns", "process %u: %s", i + 1,
                      status == 0   ? "all kept"
                      : status == 1 ? "another's FPU state"
                      : status == 2 ? "another's segment"
                                    : "ended early");
        }
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
}

/* Whether FXRSTOR on this processor leaves the x87 pointers unchanged: AMD's without RstrFpErrPtrs
 * does (kernel/core/cpu/protect.c), QEMU's always, so there only the kernel's own work is checked.
 */
static bool leaves_pointers(void)
{
        uint32_t ax = 0, bx, cx = 0, dx;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        if (cx != 0x444d4163) /* AuthenticAMD */
                return false;
        ax = 0x80000000;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        if (ax < 0x80000008)
                return true;
        ax = 0x80000008;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        return !(bx >> 2 & 1);
}

struct x87_environment { /* SDM 1, "x87 FPU Environment", 32 bits */
        uint32_t control, status, tag, ip, cs, data, ds;
};

static const uint32_t loaded = 7;
extern const char load_at[];

static void use_x87(void)
{
        __asm__ volatile("fninit; .global load_at; load_at: fildl %0; fstp %%st" : : "m"(loaded));
}

/* No other process sees the address of the last x87 instruction and its operand. */
static void try_pointers(void)
{
        struct x87_environment seen;
        int there[2], back[2];
        char byte = 0;
        pipe(there);
        pipe(back);
        long pid = fork();
        if (!pid) {
                use_x87();
                write(there[1], &byte, 1);
                read(back[0], &byte, 1);
                exit_group(0);
        }
        read(there[0], &byte, 1);
        __asm__ volatile("fnstenv %0; fldenv %0" : "=m"(seen));
        write(back[1], &byte, 1);
        status_of(pid);
        bool known = seen.ip == (uint32_t)(uintptr_t)load_at ||
                     seen.data == (uint32_t)(uintptr_t)&loaded;
        check(!known || !leaves_pointers(), "x87 pointers", "%s",
              !known              ? "nobody else's"
              : leaves_pointers() ? "another process's"
                                  : "another's: this processor would restore them");
        close((int)there[0]);
        close((int)there[1]);
        close((int)back[0]);
        close((int)back[1]);
}

static void execute(char *path)
{
        char *arguments[] = {path, (char[]){"clean=1"}, NULL}, *environment[] = {NULL};
        long pid = fork();
        if (!pid) {
                struct fpu mine;
                own_word = 9;
                tls_point(&own_word);
                fpu_fill(&mine, 9);
                fpu_load(&mine);
                execve(path, arguments, environment);
                exit_group(127);
        }
        int status = status_of(pid);
        check(!status, "execve", "a new program begins clean: %d", status);
}

int main(int argc, char **argv)
{
        bool clean = is_clean();
        if (option(argv, "clean"))
                return !clean;
        check(clean, "start", "x87 and SSE state as execve leaves them");
        take_turns();
        try_pointers();
        execute(argv[0]);
        return check_status();
}
