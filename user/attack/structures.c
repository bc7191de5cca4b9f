/*
 * structures.c - calls whose structures lie where a program has none, or say more than there is:
 * each with the answer that it must get.
 */
#include "attack.h"
#include "child.h"
#include "layout.h"

#define PAGE 4096L
#define TOP ((uintptr_t)-1)
#define MOST ((uintptr_t)-1 >> 1)
#define CLONE_PARENT_SETTID 0x100000L
#define CLONE_CHILD_SETTID 0x1000000L
#define SIGCHLD 17L
#define FUTEX_WAIT_PRIVATE 128L
#define TCGETS 0x5401L
#define TCSETS 0x5402L
#define TIOCSPGRP 0x5410L
#define TIOCGWINSZ 0x5413L
#define ARCH_SET_GS 0x1001L
#define ARCH_SET_FS 0x1002L
#define ARCH_GET_FS 0x1003L
#define STRING_MOST 0x40000 /* longer than any argument may be */

#define E2BIG 7
#define EBADF 9
#define EPERM 1
#define ENOTTY 25

static long bad;       /* the pointer of a case */
static bool two_bytes; /* are there, at the end of a page: two zeros */
static uint32_t word;
static const char *own_path;
static char string[STRING_MOST + 1];

/* Bit n = -n is right. */
static void expect(const char *what, long result, uint64_t errors)
{
        if (result >= 0 || result < -63 || !(errors >> -result & 1))
                wrong("%s answered %ld", what, result);
}
#define ERROR(number) (1ull << (number))
#define EXPECT(errors, number, ...) expect(#number, call(number, __VA_ARGS__), errors)

static long open_folder(void)
{
        return call(NUMBER_open, "/", 0L, 0L, 0L, 0L, 0L);
}

/* The ids have no place, and the child is there all the same, as in Linux. */
static void clone(void)
{
        for (int which = 0; which < 2; which++) {
                long flags = SIGCHLD | (which ? CLONE_CHILD_SETTID : CLONE_PARENT_SETTID);
                long pid = call(NUMBER_clone, flags, 0L, bad, bad, bad, 0L);
                if (!pid)
                        call(NUMBER_exit_group, 7L, 0L, 0L, 0L, 0L, 0L);
                if (pid < 0 || CHILD_STATUS(child_wait(pid, 20000)) != 7)
                        wrong("clone() answered %ld", pid);
        }
}

static void futex(void)
{
        EXPECT(ERROR(EFAULT) | (bad & 3 ? ERROR(EINVAL) : 0), NUMBER_futex, bad, FUTEX_WAIT_PRIVATE,
               0L, 0L, 0L, 0L);
        if (bad)
                EXPECT(ERROR(EFAULT), NUMBER_futex, &word, FUTEX_WAIT_PRIVATE, 0L, bad, 0L, 0L);
}

static void set_thread_area(void)
{
        if (WIDE)
                not_here();
        EXPECT(ERROR(EFAULT), NUMBER_set_thread_area, bad, 0L, 0L, 0L, 0L, 0L);
}

static void nanosleep(void)
{
        EXPECT(ERROR(EFAULT), NUMBER_nanosleep, bad, 0L, 0L, 0L, 0L, 0L);
}

/* The child is asked for and gone, even if nobody could be told. */
static void wait4(void)
{
        for (int which = 0; bad && which < 2; which++) {
                long pid = call(LINUX_fork, 0L, 0L, 0L, 0L, 0L, 0L);
                if (!pid)
                        call(NUMBER_exit_group, 0L, 0L, 0L, 0L, 0L, 0L);
                EXPECT(ERROR(EFAULT), NUMBER_wait4, pid, which ? 0 : bad, 0L, which ? bad : 0L, 0L,
                       0L);
                EXPECT(ERROR(ECHILD), NUMBER_wait4, pid, 0L, 0L, 0L, 0L, 0L);
        }
}

static void execve(void)
{
        long elements[] = {bad, 0};
        if (!bad)
                not_here(); /* none are given: allowed */
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, bad, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, 0L, bad, 0L, 0L, 0L);
        if (two_bytes)
                return; /* a string */
        EXPECT(ERROR(EFAULT), NUMBER_execve, bad, 0L, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, elements, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, 0L, elements, 0L, 0L, 0L);
}

static void ioctl(void)
{
        static const long requests[] = {TCGETS, TCSETS, TIOCSPGRP, TIOCGWINSZ};
        for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
                EXPECT(ERROR(EFAULT) | ERROR(ENOTTY), NUMBER_ioctl, 1L, requests[i], bad, 0L, 0L,
                       0L);
}

static void getdents64(void)
{
        EXPECT(ERROR(EFAULT), NUMBER_getdents64, open_folder(), bad, 4096L, 0L, 0L, 0L);
}

static void vectors(void)
{
        int ends[2];
        uintptr_t one[] = {(uintptr_t)bad, 16};
        call(LINUX_pipe, ends, 0L, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_writev, (long)ends[1], bad, 1L, 0L, 0L, 0L);
        if (!two_bytes)
                EXPECT(ERROR(EFAULT), NUMBER_writev, (long)ends[1], one, 1L, 0L, 0L, 0L);
        call(NUMBER_write, (long)ends[1], &word, 4L, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_readv, (long)ends[0], bad, 1L, 0L, 0L, 0L);
        if (!two_bytes)
                EXPECT(ERROR(EFAULT), NUMBER_readv, (long)ends[0], one, 1L, 0L, 0L, 0L);
}

static void arch_prctl(void)
{
        if (!WIDE)
                not_here();
        EXPECT(ERROR(EFAULT), NUMBER_arch_prctl, ARCH_GET_FS, bad, 0L, 0L, 0L, 0L);
}

static const struct {
        const char *name;
        void (*go)(void);
} structures[] = {
        {"clone", clone},
        {"futex", futex},
        {"set_thread_area", set_thread_area},
        {"nanosleep", nanosleep},
        {"wait4", wait4},
        {"execve", execve},
        {"ioctl", ioctl},
        {"getdents64", getdents64},
        {"vectors", vectors},
        {"arch_prctl", arch_prctl},
};
#define STRUCTURES (sizeof structures / sizeof *structures)

static const struct {
        const char *name;
        uintptr_t address;
} pointers[] = {
        {"null", 0},
        {"page_0", 8},
        {"kernel", KERNEL_BASE},
        {"kernel_text", (uintptr_t)KERNEL_BASE + 0x101000},
        {"not_canonical", (uintptr_t)1 << (8 * sizeof(void *) - 1)},
        {"wraps", TOP - 3},
        {"wraps_at_once", TOP - 7},
        {"page_end", 1}, /* of a page of its own */
};
#define POINTERS (sizeof pointers / sizeof *pointers)

/* All but two bytes lie behind the end of a page. */
static long page_end(void)
{
        long at = call(LINUX_mmap, 0L, 2 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);
        call(LINUX_munmap, at + PAGE, PAGE, 0L, 0L, 0L, 0L);
        return at + PAGE - 2;
}

static void give(uintptr_t index)
{
        uintptr_t address = pointers[index % POINTERS].address;
        two_bytes = address == 1;
        bad = two_bytes ? page_end() : (long)address;
        structures[index / POINTERS].go();
}

/* --- more than there is ---------------------------------------------------------------------- */

static void wild_descriptors(void)
{
        static const uintptr_t wild[] = {(uintptr_t)-1,
                                         0x7fffffff,
                                         0x80000000,
                                         64,
                                         (uintptr_t)-4096,
                                         1 << 20,
                                         (uintptr_t)KERNEL_BASE,
                                         MOST & ~(uintptr_t)0xff};
        for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
                EXPECT(ERROR(EBADF), NUMBER_close, wild[i], 0L, 0L, 0L, 0L, 0L);
                EXPECT(ERROR(EBADF), NUMBER_dup, wild[i], 0L, 0L, 0L, 0L, 0L);
                EXPECT(ERROR(EBADF), NUMBER_dup2, wild[i], 5L, 0L, 0L, 0L, 0L);
                if (wild[i] != 64 && wild[i] != 1 << 20)
                        EXPECT(ERROR(EBADF), NUMBER_dup2, 1L, wild[i], 0L, 0L, 0L, 0L);
        }
}

static void lengths(void)
{
        int ends[2];
        uintptr_t negative[] = {(uintptr_t)string, 4, (uintptr_t)string, TOP};
        uintptr_t enormous[] = {(uintptr_t)string, MOST, (uintptr_t)string, 4};
        call(LINUX_pipe, ends, 0L, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(EINVAL), NUMBER_writev, (long)ends[1], negative + 2, 1L, 0L, 0L, 0L);
        EXPECT(ERROR(EINVAL), NUMBER_writev, (long)ends[1], negative, TOP, 0L, 0L, 0L);
        EXPECT(ERROR(EINVAL), NUMBER_writev, (long)ends[1], negative, 1025L, 0L, 0L, 0L);
        if (WIDE) /* else that much may lie in the program's memory, and fill the pipe */
                EXPECT(ERROR(EFAULT), NUMBER_writev, (long)ends[1], enormous, 2L, 0L, 0L, 0L);
        if (!WIDE && !on_tollgate())
                return; /* and under a 64-bit Linux even this */
        EXPECT(ERROR(EFAULT), NUMBER_write, (long)ends[1], string, TOP, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_read, (long)ends[0], string, TOP, 0L, 0L, 0L);
}

static void long_string(void)
{
        char *const arguments[] = {string, NULL};
        memset(string, 'x', STRING_MOST);
        EXPECT(ERROR(E2BIG), NUMBER_execve, own_path, arguments, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(E2BIG), NUMBER_execve, own_path, 0L, arguments, 0L, 0L, 0L);
}

/* Of a million arguments each is the same long one; then the array is one that has no end. */
static void long_array(void)
{
        long count = 1 << 20, size = count * (long)sizeof(char *);
        char **array = (char **)call(LINUX_mmap, 0L, size + PAGE, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);
        call(LINUX_munmap, (char *)array + size, PAGE, 0L, 0L, 0L, 0L);
        memset(string, 'x', 4000);
        for (long i = 0; i < count; i++)
                array[i] = string;
        EXPECT(ERROR(E2BIG) | ERROR(EFAULT), NUMBER_execve, own_path, array, 0L, 0L, 0L, 0L);
        EXPECT(ERROR(E2BIG) | ERROR(EFAULT), NUMBER_execve, own_path, 0L, array, 0L, 0L, 0L);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, array + count - 2, 0L, 0L, 0L, 0L);
}

static void kernel_base_of_gs(void)
{
        if (!WIDE)
                not_here();
        static const uintptr_t bases[] = {(uintptr_t)KERNEL_BASE, (uintptr_t)-4096, MOST,
                                          (uintptr_t)1 << (WIDE ? 47 : 0)};
        for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
                EXPECT(ERROR(EPERM), NUMBER_arch_prctl, ARCH_SET_GS, bases[i], 0L, 0L, 0L, 0L);
                EXPECT(ERROR(EPERM), NUMBER_arch_prctl, ARCH_SET_FS, bases[i], 0L, 0L, 0L, 0L);
        }
}

static const struct {
        const char *name;
        void (*go)(void);
} excesses[] = {
        {"wild_descriptors", wild_descriptors},   {"vector_lengths", lengths},
        {"long_argument", long_string},           {"long_array", long_array},
        {"kernel_base_of_gs", kernel_base_of_gs},
};
#define EXCESSES (sizeof excesses / sizeof *excesses)

static void exceed(uintptr_t index)
{
        excesses[index].go();
}

static unsigned count(void)
{
        own_path = program_path();
        return STRUCTURES * POINTERS + EXCESSES;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        if (i < STRUCTURES * POINTERS) {
                snprintf(name, ATTACK_NAME, "structure/%s/%s", structures[i / POINTERS].name,
                         pointers[i % POINTERS].name);
                *attack = (struct attack){name, LIVES, give, i};
        } else {
                i -= STRUCTURES * POINTERS;
                snprintf(name, ATTACK_NAME, "excess/%s", excesses[i].name);
                *attack = (struct attack){name, LIVES, exceed, i};
        }
}

const struct subject structures_subject = {"structures", count, at};
