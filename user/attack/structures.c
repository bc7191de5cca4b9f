/*
 * structures.c - calls whose structures lie where a program has none, or say more than there is:
 * each with the answer that it must get.
 */
#include "attack.h"
#include "child.h"
#include "layout.h"

#define TOP ((uintptr_t)-1)
#define MOST ((uintptr_t)-1 >> 1)
#define STRING_MOST 0x40000 /* longer than any argument may be */

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

static long open_directory(void)
{
        return call(NUMBER_open, "/");
}

/* The ids have no place, and the child is there all the same, as in Linux. */
static void try_clone(void)
{
        for (int which = 0; which < 2; which++) {
                long flags = SIGCHLD | (which ? CLONE_CHILD_SETTID : CLONE_PARENT_SETTID);
                long pid = call(NUMBER_clone, flags, 0, bad, bad, bad);
                if (!pid)
                        call(NUMBER_exit_group, 7);
                if (pid < 0 || CHILD_STATUS(child_wait(pid, 20000)) != 7)
                        wrong("clone() answered %ld", pid);
        }
}

static void try_futex(void)
{
        EXPECT(ERROR(EFAULT) | (bad & 3 ? ERROR(EINVAL) : 0), NUMBER_futex, bad,
               FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
        if (bad)
                EXPECT(ERROR(EFAULT), NUMBER_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, bad);
}

static void try_set_thread_area(void)
{
        if (WIDE)
                not_here();
        EXPECT(ERROR(EFAULT), NUMBER_set_thread_area, bad);
}

static void try_nanosleep(void)
{
        EXPECT(ERROR(EFAULT), NUMBER_nanosleep, bad);
}

/* The child is asked for and gone, even if nobody could be told. */
static void try_wait4(void)
{
        for (int which = 0; bad && which < 2; which++) {
                long pid = call(NUMBER_fork);
                if (!pid)
                        call(NUMBER_exit_group, 0);
                EXPECT(ERROR(EFAULT), NUMBER_wait4, pid, which ? 0 : bad, 0, which ? bad : 0);
                EXPECT(ERROR(ECHILD), NUMBER_wait4, pid);
        }
}

static void try_execve(void)
{
        long elements[] = {bad, 0};
        if (!bad)
                not_here(); /* none are given: allowed */
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, bad);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, 0, bad);
        if (two_bytes)
                return; /* a string */
        EXPECT(ERROR(EFAULT), NUMBER_execve, bad);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, elements);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, 0, elements);
}

static void try_ioctl(void)
{
        static const long requests[] = {TCGETS, TCSETS, TIOCSPGRP, TIOCGWINSZ};
        for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
                EXPECT(ERROR(EFAULT) | ERROR(ENOTTY), NUMBER_ioctl, 1, requests[i], bad);
}

static void try_getdents64(void)
{
        EXPECT(ERROR(EFAULT), NUMBER_getdents64, open_directory(), bad, 4096);
}

static void try_vectors(void)
{
        int ends[2];
        uintptr_t one[] = {(uintptr_t)bad, 16};
        call(NUMBER_pipe, ends);
        EXPECT(ERROR(EFAULT), NUMBER_writev, ends[1], bad, 1);
        if (!two_bytes)
                EXPECT(ERROR(EFAULT), NUMBER_writev, ends[1], one, 1);
        call(NUMBER_write, ends[1], &word, 4);
        EXPECT(ERROR(EFAULT), NUMBER_readv, ends[0], bad, 1);
        if (!two_bytes)
                EXPECT(ERROR(EFAULT), NUMBER_readv, ends[0], one, 1);
}

static void try_arch_prctl(void)
{
        if (!WIDE)
                not_here();
        EXPECT(ERROR(EFAULT), NUMBER_arch_prctl, ARCH_GET_FS, bad);
}

static const struct {
        const char *name;
        void (*go)(void);
} structures[] = {
        {"clone", try_clone},
        {"futex", try_futex},
        {"set_thread_area", try_set_thread_area},
        {"nanosleep", try_nanosleep},
        {"wait4", try_wait4},
        {"execve", try_execve},
        {"ioctl", try_ioctl},
        {"getdents64", try_getdents64},
        {"vectors", try_vectors},
        {"arch_prctl", try_arch_prctl},
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
        long at = call(LIBC_mmap, 0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1);
        call(NUMBER_munmap, at + PAGE, PAGE);
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
                EXPECT(ERROR(EBADF), NUMBER_close, wild[i]);
                EXPECT(ERROR(EBADF), NUMBER_dup, wild[i]);
                EXPECT(ERROR(EBADF), NUMBER_dup2, wild[i], 5);
                if (wild[i] != 64 && wild[i] != 1 << 20)
                        EXPECT(ERROR(EBADF), NUMBER_dup2, 1, wild[i]);
        }
}

static void lengths(void)
{
        int ends[2];
        uintptr_t negative[] = {(uintptr_t)string, 4, (uintptr_t)string, TOP};
        uintptr_t enormous[] = {(uintptr_t)string, MOST, (uintptr_t)string, 4};
        call(NUMBER_pipe, ends);
        EXPECT(ERROR(EINVAL), NUMBER_writev, ends[1], negative + 2, 1);
        EXPECT(ERROR(EINVAL), NUMBER_writev, ends[1], negative, TOP);
        EXPECT(ERROR(EINVAL), NUMBER_writev, ends[1], negative, 1025);
        if (WIDE) /* else that much may lie in the program's memory, and fill the pipe */
                EXPECT(ERROR(EFAULT), NUMBER_writev, ends[1], enormous, 2);
        if (!WIDE && !on_tollgate())
                return; /* and under a 64-bit Linux even this */
        EXPECT(ERROR(EFAULT), NUMBER_write, ends[1], string, TOP);
        EXPECT(ERROR(EFAULT), NUMBER_read, ends[0], string, TOP);
}

static void long_string(void)
{
        char *const arguments[] = {string, NULL};
        memset(string, 'x', STRING_MOST);
        EXPECT(ERROR(E2BIG), NUMBER_execve, own_path, arguments);
        EXPECT(ERROR(E2BIG), NUMBER_execve, own_path, 0, arguments);
}

/* A million arguments that are the same long string; then an array that has no end. */
static void long_array(void)
{
        long count = 1 << 20, size = count * (long)sizeof(char *);
        char **array = (char **)call(LIBC_mmap, 0, size + PAGE, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1);
        call(NUMBER_munmap, (char *)array + size, PAGE);
        memset(string, 'x', 4000);
        for (long i = 0; i < count; i++)
                array[i] = string;
        EXPECT(ERROR(E2BIG) | ERROR(EFAULT), NUMBER_execve, own_path, array);
        EXPECT(ERROR(E2BIG) | ERROR(EFAULT), NUMBER_execve, own_path, 0, array);
        EXPECT(ERROR(EFAULT), NUMBER_execve, own_path, array + count - 2);
}

static void kernel_base_of_gs(void)
{
        if (!WIDE)
                not_here();
        static const uintptr_t bases[] = {(uintptr_t)KERNEL_BASE, (uintptr_t)-4096, MOST,
                                          (uintptr_t)1 << (WIDE ? 47 : 0)};
        for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
                EXPECT(ERROR(EPERM), NUMBER_arch_prctl, ARCH_SET_GS, bases[i]);
                EXPECT(ERROR(EPERM), NUMBER_arch_prctl, ARCH_SET_FS, bases[i]);
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
