/* numbers.c - wrong numbers, lengths and addresses. */
#include "answers.h"
#include <sys/mman.h>
#include <sys/uio.h>

#define PAGE 4096l

static volatile int faults;

static void skip(int signal)
{
        faults += signal == SIGSEGV;
        _exit(faults);
}

static void call_numbers(void)
{
#ifdef __x86_64__
        static const unsigned long numbers[] = {1ul << 32 | SYS_getpid, ~0ul << 32 | SYS_getpid,
                                                1ul << 63 | SYS_getpid, 480,
                                                1ul << 32 | 480,        ~0ul};
        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                long result = (long)numbers[i];
                __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
                ASK(result == getpid());
        }
        char *low = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        ASK((unsigned long)low < 1ul << 31), ASK(munmap(low, PAGE));
        low = mmap((void *)0x123456789000, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                   -1, 0);
        ASK((unsigned long)low < 1ul << 31), ASK(mlock((void *)-1l, 1)), ASK(mlock(low, -1));
#endif
        ASK(syscall(480)), ASK(syscall(-1)), ASK(syscall(100000));
}

/* Three pages, the middle one unmapped: everything before the hole is done. */
static void write_first(void)
{
        char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        catch (SIGSEGV, skip, 0);
        ASK(munmap(at + PAGE, PAGE)), ASK(mprotect(at, 3 * PAGE, PROT_READ));
        at[2 * PAGE] = 1;
        ASK(mprotect(at + PAGE, PAGE, PROT_READ)), ASK(mprotect(at + PAGE, 2 * PAGE, PROT_READ));
        at[2 * PAGE] = 1;
        fflush(stdout);
        at[0] = 1; /* no longer mapped */
        _exit(3);
}

static void vectors(void)
{
        char text[16] = "";
        struct iovec v[3];
        int fd = open("vectors", O_RDWR | O_CREAT | O_TRUNC, 0600);
        v[0] = (struct iovec){"abc", 3};
        v[1] = (struct iovec){(void *)8, 5};
        v[2] = (struct iovec){"de", 2};
        ASK(writev(fd, v, 3));
        v[1].iov_len = (size_t)-1;
        ASK(writev(fd, v, 3)), ASK(lseek(fd, 0, SEEK_CUR)), ASK(syscall(SYS_writev, fd, v, -1));
        ASK(syscall(SYS_writev, fd, v, 1025)), ASK(writev(fd, v, 0));
        ASK(syscall(SYS_writev, fd, 8, 1));
        v[1] = (struct iovec){NULL, 0};
        ASK(writev(fd, v, 3)), ASK(lseek(fd, 0, SEEK_SET));
        v[0] = (struct iovec){text, 2};
        v[1] = (struct iovec){text + 2, (size_t)-1};
        ASK(readv(fd, v, 2)), ASK(lseek(fd, 0, SEEK_CUR));
        v[1] = (struct iovec){text + 2, 10};
        ASK(readv(fd, v, 2));
        note("readv()", text);
        close(fd);
        unlink("vectors");
}

static void random_bytes(void)
{
        char one[64] = "", two[64] = "", none[64] = "";
        int fd = open("/dev/urandom", O_RDONLY);
        ASK(syscall(SYS_getrandom, one, sizeof one, 0));
        ASK(syscall(SYS_getrandom, two, sizeof two, 1));
        ASK(memcmp(one, two, sizeof one) && memcmp(one, none, sizeof one));
        ASK(syscall(SYS_getrandom, one, sizeof one, 16)), ASK(syscall(SYS_getrandom, 8, 16, 0));
        ASK(syscall(SYS_getrandom, one, 0, 0)), ASK(read(fd, one, sizeof one));
        ASK(memcmp(one, two, sizeof one) && memcmp(one, none, sizeof one));
        close(fd);
        fd = open("/dev/random", O_RDONLY);
        ASK(read(fd, one, 5));
        close(fd);
}

void ask_numbers(void)
{
        call_numbers();
        ASK(status_of(child(write_first)));
        vectors();
        random_bytes();
}
