/*
 * sites.c - compiled system calls, which become calls in a trusted program (docs/trusted.md,
 * "Unmodified programs"): each has the same effect as SYSCALL on Linux.
 *
 *      sites                   all of it
 *      sites number            the exit status is 1 if the call at `which` is getpid, 2 if getppid
 *      sites unmap             unmaps the calls' area of slots
 *      sites unmap-waiting     the same during another thread's call, which a signal ends
 *      busybox-takes           the cost of running /trusted/busybox, four times
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "asleep.h"

#define AREA 0x050f0000ul
#define TF 0x100

extern char __executable_start[], etext[], which[], here[], behind[];
extern const uint8_t wide_site[];

static unsigned failures;

static void expect(int good, const char *what)
{
        printf("%s: %s\n", what, good ? "right" : "WRONG");
        failures += !good;
}

__asm__(".text\n"
        ".globl which\n which: .cfi_startproc\n mov $39, %eax\n syscall\n ret\n .cfi_endproc\n"
        ".globl wide_site\n wide_site: .cfi_startproc\n mov $39, %rax\n syscall\n ret\n "
        ".cfi_endproc\n");
/* Like glibc's read(), with padding behind its RET. */
__asm__(".globl reads\n reads: .cfi_startproc\n xor %eax, %eax\n"
        ".globl reads_call\n reads_call: syscall\n cmp $-4096, %rax\n ja 1f\n ret\n"
        ".globl reads_padding\n reads_padding: .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
        "1: mov $-1, %rax\n ret\n .cfi_endproc\n");
long reads(int fd, void *to, size_t size);
long reads_padding(void);
extern const uint8_t reads_at[] __asm__("reads"), padding[] __asm__("reads_padding");
long call_which(void) __asm__("which");
long call_wide(void) __asm__("wide_site");
/* Alone in its page; the next one has a site, too. */
__asm__(".pushsection .alone, \"ax\"\n.balign 4096\n.globl alone\n alone: mov $39, %eax\n syscall\n"
        " ret\n.balign 4096\n mov $39, %eax\n syscall\n ret\n.balign 4096\n.popsection");
long alone(void);

/* A leaf function that keeps a value below the stack pointer. */
__attribute__((noinline)) static long leaf(long x)
{
        long r;
        __asm__ volatile("mov %1, -8(%%rsp); mov %1, -128(%%rsp); mov $39, %%eax; syscall;"
                         "mov -8(%%rsp), %0; and -128(%%rsp), %0"
                         : "=&r"(r)
                         : "r"(x)
                         : "rax", "rcx", "r11", "memory");
        return r;
}

/* Jumps to the SYSCALL of a site with another number. */
__attribute__((noinline)) static long into(void)
{
        long r;
        __asm__ volatile("mov $110, %%eax; jmp 1f; mov $39, %%eax; 1: syscall"
                         : "=a"(r)
                         :
                         : "rcx", "r11", "memory");
        return r;
}

/* Jumps to the SYSCALL behind an `xor` that was turned into a jump. */
__attribute__((noinline)) static long into_reads(void)
{
        long r;
        __asm__ volatile("sub $128, %%rsp; mov $110, %%eax; call reads_call; add $128, %%rsp"
                         : "=a"(r)
                         :
                         : "rcx", "r11", "memory");
        return r;
}

static void padded(int is_call)
{
        int ends[2], good = !pipe(ends);
        char got[4] = "";
        good &= write(ends[1], "abc", 3) == 3 && reads(ends[0], got, 3) == 3;
        expect(good && !strcmp(got, "abc"), "xor");
        expect(reads(-1, NULL, 0) == -1 && reads_padding() == -1, "its padding");
        expect(into_reads() == getppid(), "jump to its SYSCALL");
        expect((*reads_at == 0xeb) == is_call, "it is a call");
        close(ends[0]), close(ends[1]);
}

#define PREFIXED(prefix, mov)                                                                      \
        __asm__ volatile(".byte " prefix ", " mov ", 39, 0, 0, 0, 0x0f, 0x05"                      \
                         : "=a"(r)                                                                 \
                         :                                                                         \
                         : "rcx", "r11", "memory");                                                \
        wrong += r != getpid();
#define NARROW "0xb8"
#define WIDE "0x48, 0xc7, 0xc0"

/* Code that looks like a site but is not: the mov has a prefix, or its number is part of another
 * instruction. */
static void prefixes(void)
{
        unsigned long constant, eighth;
        long r, wrong = 0;
        PREFIXED("0x26", NARROW)
        PREFIXED("0x2e", NARROW)
        PREFIXED("0x36", NARROW)
        PREFIXED("0x3e", NARROW)
        PREFIXED("0x64", NARROW)
        PREFIXED("0x65", NARROW)
        PREFIXED("0x67", NARROW)
        PREFIXED("0xf2", NARROW)
        PREFIXED("0xf3", NARROW)
        PREFIXED("0x64", WIDE)
        PREFIXED("0x65", WIDE)
        PREFIXED("0x66", WIDE)
        PREFIXED("0x67", WIDE)
        PREFIXED("0x44", WIDE)
        expect(!wrong, "prefixes that change nothing");
        __asm__ volatile("movabs $0x1234050f00000027, %0" : "=a"(constant));
        __asm__ volatile("mov $110, %%eax; mov $39, %%r8d; syscall; mov %%r8, %1"
                         : "=&a"(r), "=r"(eighth)
                         :
                         : "rcx", "r8", "r11", "memory");
        expect(constant == 0x1234050f00000027 && r == getppid() && eighth == 39, "prefixes");
}

/* Everything that SYSCALL preserves, with six unused arguments. */
static void registers(void)
{
        unsigned long r[12];
        __asm__ volatile("mov $1, %%edi; mov $2, %%esi; mov $3, %%edx; mov $4, %%r10d;"
                         "mov $5, %%r8d; mov $6, %%r9d; mov $39, %%eax; syscall;"
                         "mov %%rdi, 0(%0); mov %%rsi, 8(%0); mov %%rdx, 16(%0);"
                         "mov %%r10, 24(%0); mov %%r8, 32(%0); mov %%r9, 40(%0); mov %%rax, 48(%0)"
                         :
                         : "b"(r)
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
        int kept = 1;
        for (unsigned long i = 0; i < 6; i++)
                kept &= r[i] == i + 1;
        expect(kept && (long)r[6] == getpid(), "registers");
}

static volatile unsigned handled, at_site, at_behind, at_padding, elsewhere, unwound;

static int is_text(uintptr_t ip)
{
        return ip >= (uintptr_t)__executable_start && ip < (uintptr_t)etext;
}

static unsigned chance = 1;

__attribute__((noinline)) static long caller(unsigned n)
{
        long wrong = 0, pid = getpid();
        for (unsigned i = 0; i < n; i++) {
                long r;
                chance = chance * 1103515245 + 12345;
                for (volatile unsigned wait = 0; wait < (chance >> 16 & 1); wait++)
                        ;
                __asm__ volatile(".globl here\n here: mov $39, %%eax; syscall\n"
                                 ".globl behind\n behind:"
                                 : "=a"(r)
                                 :
                                 : "rcx", "r11", "memory");
                wrong += r != pid;
                if (n & 1)
                        wrong += reads(-1, NULL, 0) != -1;
        }
        __asm__ volatile("");
        return wrong;
}

static int all_met(void)
{
        return at_site && at_behind && (at_padding || *reads_at != 0xeb);
}

static void look(int signal, siginfo_t *info, void *context)
{
        void *frames[16];
        uintptr_t ip = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
        handled++;
        at_site += ip == (uintptr_t)here;
        at_behind += ip == (uintptr_t)behind;
        at_padding += ip == (uintptr_t)padding + 2;
        elsewhere += !is_text(ip);
        int n = backtrace(frames, 16), found = 0;
        for (int i = 0; i < n; i++)
                found |= frames[i] == (void *)ip;
        unwound += found && n > 3;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
        struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
        sigaction(signal, &action, NULL);
}

/* Signals of a timer arrive at every instruction of a call. If a compiler's loop stays in step with
 * them, it continues until all places were hit. */
static void signals(void)
{
        const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
        void *warm[1];
        backtrace(warm, 1);
        handle(SIGALRM, look, SA_RESTART);
        setitimer(ITIMER_REAL, &often, NULL);
        long wrong = 0;
        for (unsigned told = 0; !wrong && handled < (all_met() ? 300 : 3000);) {
                wrong += caller(997 + handled % 8);
                if (handled / 50 > told)
                        printf("%u signals\n", 50 * ++told);
        }
        setitimer(ITIMER_REAL, &never, NULL);
        expect(!wrong, "results among signals");
        expect(!elsewhere, "handlers find the program's text");
        expect(unwound == handled, "handlers unwind");
        printf("at a site %u, behind it %u, on the way %u, of %u\n", at_site, at_behind, at_padding,
               handled);
}

static volatile unsigned noticed;
static void notice(int signal, siginfo_t *info, void *context)
{
        noticed++;
}

/* A child that sends a signal, and later a byte for a reader; then it ends. */
static pid_t disturber(int flags, int end)
{
        pid_t self = getpid(), child;
        handle(SIGUSR2, notice, flags);
        noticed = 0;
        if ((child = fork()))
                return child;
        until_asleep(self);
        kill(self, SIGUSR2);
        until_asleep(self); /* again, or to wait for the end of this child */
        _exit(write(end, "a", 1) == 1 ? 7 : 8);
}

/* wait4() by a site. */
static long waits(int flags, int *status)
{
        pid_t child = disturber(flags, 1);
        register long r10 __asm__("r10") = 0;
        long r;
        __asm__ volatile("mov $61, %%eax; syscall"
                         : "=a"(r)
                         : "D"((long)child), "S"(status), "d"(0l), "r"(r10)
                         : "rcx", "r11", "memory");
        if (r == -EINTR)
                waitpid(child, status, 0);
        return r == child ? 0 : r;
}

/* The same with read(). */
static long waits_to_read(int flags)
{
        int ends[2], status;
        char byte;
        if (pipe(ends))
                return -2;
        pid_t child = disturber(flags, ends[1]);
        long r = reads(ends[0], &byte, 1);
        waitpid(child, &status, 0);
        close(ends[0]), close(ends[1]);
        return r;
}

static void restarts(void)
{
        int status = 0;
        expect(waits_to_read(SA_RESTART) == 1, "read again");
        expect(waits_to_read(0) == -1, "no more read");
        expect(!waits(SA_RESTART, &status) && noticed == 1 && WEXITSTATUS(status) == 7,
               "restarted");
        expect(waits(0, &status) == -EINTR && noticed == 1, "interrupted");
}

extern char landing[]; /* return address of a RET directly behind a site */

/* Steps from the site to the first instruction behind it (rbx) or the second: every address is in
 * the program's text. */
static void step(int signal, siginfo_t *info, void *context)
{
        static unsigned steps;
        const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
        uintptr_t ip = (uintptr_t)r[REG_RIP], behind = (uintptr_t)r[REG_RBX];
        if (!is_text(ip))
                _exit(2);
        if (signal == SIGSEGV || (++steps > 1 && ip != behind - 2))
                _exit(steps == 1 && signal == SIGSEGV && ip != behind ? 3 : 0);
        if (steps == 1 && ip != behind - 7)
                _exit(4);
}

/* Jumps there with TF set and invalid arguments. */
static int enter(const uint8_t *site)
{
        int status = 0;
        pid_t child = fork();
        if (!child) {
                close(0), close(1), close(2);
                static char stack[65536];
                sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
                handle(SIGTRAP, step, SA_ONSTACK);
                handle(SIGSEGV, step, SA_ONSTACK);
                __asm__ volatile("mov $-4096, %%rdi; mov %%rdi, %%rsi; mov %%rdi, %%rdx;"
                                 "mov %%rdi, %%r10; mov %%rdi, %%r8; mov %%rdi, %%r9;"
                                 "lea landing(%%rip), %%rcx; push %%rcx; pushf; orl %1, (%%rsp); "
                                 "popf; jmp *%%rax\n"
                                 ".globl landing\n landing: nop; nop; nop"
                                 :
                                 : "a"(site), "i"(TF), "b"(site + 7)
                                 : "memory");
                __builtin_unreachable();
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
        return status;
}

/* Calls that do not return. */
static int ends(unsigned number)
{
        return number == 60 || number == 231 || number == 15 || number == 34 ||
               (number >= 56 && number <= 59) || number == 435;
}

static const uint8_t *file;
static size_t file_size;

/* Each bit that an offset can have, two at a time: behind the file's end is nothing. */
static void offsets(int fd)
{
        int wrong = 0, ends[2];
        expect(!pipe(ends), "a pipe");
        for (unsigned high = 12; high < 64; high++)
                for (unsigned low = 12; low <= high; low++) {
                        uint64_t offset = 1ull << high | 1ull << low;
                        void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
                        wrong += page == MAP_FAILED && errno != EOVERFLOW;
                        if (page == MAP_FAILED || offset < file_size)
                                continue;
                        wrong += write(ends[1], page, 1) > 0;
                        munmap(page, 4096);
                }
        expect(!wrong, "offsets");
        close(ends[0]), close(ends[1]);
}

static void read_file(const char *path)
{
        struct stat facts;
        int fd = open(path, O_RDONLY);
        fstat(fd, &facts);
        file_size = (size_t)facts.st_size;
        uint8_t *bytes = malloc(file_size + 8);
        expect(read(fd, bytes, file_size) == (ssize_t)file_size, "the whole file");
        file = bytes;
        const uint8_t *map = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
        expect(map != MAP_FAILED && !memcmp(map, file, file_size), "the file, read and mapped");
        offsets(fd);
        close(fd);
}

/* Each site of the file, in its mapped text. */
static void all_sites(void)
{
        unsigned sites = 0, calls = 0, bad = 0, other = 0;
        const uint8_t *text = (const uint8_t *)__executable_start;
        for (size_t i = 0; i + 7 < file_size && text + i + 7 < (uint8_t *)etext; i++) {
                const uint8_t *f = file + i, *m = text + i;
                if (f[0] != 0xb8 || f[2] > 1 || f[3] || f[4] || f[5] != 0x0f || f[6] != 0x05) {
                        continue;
                }
                int call = m[0] == 0xff && m[1] == 0x24 && m[2] == 0x25;
                sites++;
                calls += call;
                other += memcmp(m + 5, f + 5, 2) || (!call && memcmp(m, f, 7));
                if (ends((unsigned)(f[1] | f[2] << 8)))
                        continue;
                int status = enter(m);
                if (sites % 16 == 0)
                        printf("%u sites\n", sites);
                if (status)
                        printf("%p, call %u: status %x\n", (const void *)m, f[1] | f[2] << 8,
                               (unsigned)status);
                bad += status != 0;
        }
        expect(!other, "text beside the calls");
        expect(!bad && sites > 10, "sites, step by step");
        printf("sites %s, calls %s\n", sites ? "some" : "none", calls ? "some" : "none");
}

static void *thread(void *argument)
{
        long wrong = 0, pid = getpid();
        for (int i = 0; i < 20000; i++)
                wrong += call_which() != pid;
        return (void *)wrong;
}

static void threads(void)
{
        pthread_t of[4];
        void *wrong, *any = NULL;
        for (int i = 0; i < 4; i++)
                pthread_create(&of[i], NULL, thread, NULL);
        for (int i = 0; i < 4; i++) {
                pthread_join(of[i], &wrong);
                any = wrong ? wrong : any;
        }
        expect(!any, "threads");
}

static int run(const char *path, const char *word)
{
        int status = -1;
        pid_t child = vfork();
        if (!child) {
                execl(path, path, word, (char *)NULL);
                _exit(99);
        }
        waitpid(child, &status, 0);
        return status;
}

static void forks(void)
{
        int status = -1;
        pid_t child = fork();
        if (!child)
                _exit(call_which() == getpid() && getppid() != getpid() ? 5 : 6);
        waitpid(child, &status, 0);
        expect(WEXITSTATUS(status) == 5, "fork");
        expect(call_wide() == getpid(), "mov to rax");
}

/* A copy is run, overwritten at a call site, and run again. */
static void written(const char *path)
{
        char copy[256];
        snprintf(copy, sizeof copy, "%s2", path);
        int fd = open(copy, O_CREAT | O_TRUNC | O_WRONLY, 0755);
        expect(write(fd, file, file_size) == (ssize_t)file_size, "the whole copy");
        close(fd);
        int first = run(copy, "number"), again = run(copy, "number");
        fd = open(copy, O_RDWR);
        uint8_t number = 110;
        expect(pwrite(fd, &number, 1, which + 1 - __executable_start) == 1, "the copy, written to");
        close(fd);
        fd = open(copy, O_RDONLY); /* a shared file may change */
        void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        int other = run(copy, "number");
        munmap(map, 4096), close(fd);
        expect(WEXITSTATUS(first) == 1 && WEXITSTATUS(again) == 1, "the copy, twice");
        expect(WEXITSTATUS(other) == 2, "the copy, with another call");
        unlink(copy);
}

/* The cost of the libc's getpid(). */
static void price(void)
{
        unsigned long long best = ~0ull, pair = ~0ull;
        for (int i = 0; i < 200; i++) {
                unsigned long long a = __builtin_ia32_rdtsc();
                unsigned long long b = __builtin_ia32_rdtsc();
                __asm__ volatile("call getpid" ::
                                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
                                           "r11", "memory");
                unsigned long long c = __builtin_ia32_rdtsc();
                pair = b - a < pair ? b - a : pair;
                best = c - b < best ? c - b : best;
        }
        printf("getpid takes %llu\n", best - pair);
        best = ~0ull;
        for (int i = 0; i < 200; i++) {
                unsigned long long a = __builtin_ia32_rdtsc();
                char byte;
                read(-1, &byte, 1);
                unsigned long long b = __builtin_ia32_rdtsc();
                best = b - a < best ? b - a : best;
        }
        printf("read takes %llu\n", best - pair);
}

/* The cost of a signal to itself with kill() at a site, minus that with the number from elsewhere,
 * which stays SYSCALL. */
static void price_of_signal(void)
{
        unsigned long long best[2] = {~0ull, ~0ull};
        pid_t self = getpid();
        handle(SIGUSR2, notice, 0);
        for (int i = 0; i < 400; i++) {
                unsigned long long start = __builtin_ia32_rdtsc();
                if (i % 2)
                        kill(self, SIGUSR2);
                else
                        syscall(SYS_kill, self, SIGUSR2);
                unsigned long long took = __builtin_ia32_rdtsc() - start;
                best[i % 2] = took < best[i % 2] ? took : best[i % 2];
        }
        printf("a signal takes %lld more\n", (long long)(best[1] - best[0]));
}

static volatile pid_t waiting;
static void *wait_for_signal(void *argument)
{
        waiting = gettid();
        pause();
        return argument;
}

/* Waits by syscall(), whose SYSCALLs are not replaced. */
static int unmap_waiting(void)
{
        pthread_t other;
        handle(SIGUSR2, notice, 0);
        pthread_create(&other, NULL, wait_for_signal, NULL);
        while (!waiting)
                sched_yield();
        for (int i = 0; i < 100; i++)
                sched_yield(); /* gives it turns until it sleeps */
        syscall(SYS_munmap, AREA, 0x4000);
        syscall(SYS_tkill, waiting, SIGUSR2);
        for (int i = 0; i < 100; i++)
                syscall(SYS_sched_yield);
        syscall(SYS_exit_group, 0);
        return 1;
}

static int run_timed(const char *path, const char *word)
{
        int status = 0;
        for (int i = 0; i < 4; i++) {
                unsigned long long start = __builtin_ia32_rdtsc();
                status |= run(path, word);
                printf("took %llu\n", __builtin_ia32_rdtsc() - start);
        }
        return status != 0;
}

/* A program may change neither the area nor the text that jumps there. */
static void keep_area(void)
{
        void *area = (void *)AREA, *text = (void *)((uintptr_t)which & ~4095ul);
        void *room = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        expect(mprotect(area, 4096, PROT_READ | PROT_WRITE) && errno == EACCES, "read-only");
        expect(mremap(area, 4096, 1 << 20, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL &&
                       mremap(text, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, room) ==
                               MAP_FAILED &&
                       errno == EINVAL,
               "neither moves");
        munmap(room, 8192);
}

static void write_text(void)
{
        uint8_t *text = (uint8_t *)(uintptr_t)alone;
        long first = alone();
        mprotect(text, 4096, PROT_READ | PROT_WRITE);
        text[1] = 110; /* getppid */
        mprotect(text, 4096, PROT_READ | PROT_EXEC);
        expect(first == getpid() && alone() == getppid(), "text made writable");
}

static int area(void)
{
        char line[256];
        int found = 0;
        FILE *maps = fopen("/proc/self/maps", "r");
        while (maps && fgets(line, sizeof line, maps))
                if (strstr(line, "[sites]")) {
                        printf("area %s", line);
                        found = 1;
                }
        if (maps)
                fclose(maps);
        return found;
}

int main(int argc, char **argv)
{
        setvbuf(stdout, NULL, _IONBF, 0);
        if (argc > 1 && !strcmp(argv[1], "number"))
                return call_which() == getpid() ? 1 : call_which() == getppid() ? 2 : 3;
        if (argc > 1 && !strcmp(argv[1], "unmap"))
                return munmap((void *)AREA, 0x4000);
        if (argc > 1 && !strcmp(argv[1], "unmap-waiting"))
                return unmap_waiting();
        if (strstr(argv[0], "busybox-takes"))
                return run_timed("/trusted/busybox", "true");
        int has_area = area();
        price();
        price_of_signal();
        expect(leaf(0x1234) == 0x1234, "red zone");
        expect(into() == getppid(), "jump to the SYSCALL");
        prefixes();
        padded(has_area);
        registers();
        restarts();
        threads();
        forks();
        read_file(argv[0]);
        written(argv[0]);
        signals();
        all_sites();
        int gone = run(argv[0], "unmap");
        printf("unmapped: status %x\n", (unsigned)gone);
        gone = run(argv[0], "unmap-waiting");
        printf("unmapped under a call: status %x\n", (unsigned)gone);
        expect(call_which() == getpid(), "this one lives");
        if (has_area)
                keep_area();
        write_text();
        printf("sites: %u failures\n", failures);
        return failures != 0;
}
