/* mapped.c - files in memory: mmap(), msync(), what is cut, removed, written and executed
 * meanwhile. */
#include "answers.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE 4096ul
#define HERE (PROT_READ | PROT_WRITE)
#define NAME "asked.map"

static int fd, ends[2];
static sigjmp_buf before;

static char *map(size_t pages, int access, int flags, off_t offset)
{
        return mmap(NULL, pages * PAGE, access, flags, fd, offset);
}

static long refused(const void *at)
{
        return at == MAP_FAILED ? -1 : 0;
}

static void begin(size_t size)
{
        char text[PAGE];
        fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0755);
        for (size_t done = 0; done < size; done += sizeof text) {
                memset(text, (char)('a' + done / PAGE), sizeof text);
                write(fd, text, size - done < PAGE ? size - done : PAGE);
        }
}

static void end(void)
{
        close(fd);
        unlink(NAME);
}

static int byte_of_file(off_t offset)
{
        char byte = 0;
        return pread(fd, &byte, 1, offset) == 1 ? byte : -1;
}

/* One that was written behind the end, before the file grew. POSIX: 0. (A tmpfs has it still.) */
static int grown_byte(off_t offset)
{
        return byte_of_file(offset);
}

static void caught(int signal, siginfo_t *info, void *context)
{
        (void)context;
        siglongjmp(before, signal * 100 + info->si_code);
}

/* What a touch comes to: the byte, or the signal and its code. */
static long touch(volatile char *at, int write)
{
        int came = sigsetjmp(before, 1);
        if (came)
                return came;
        if (write)
                *at = 'w';
        return *at;
}

static void ask_private(void)
{
        begin(2 * PAGE + 100);
        char *at = map(3, HERE, MAP_PRIVATE, 0);
        ASK(at[0] * 1000 + at[PAGE]);
        ASK(at[2 * PAGE + 99]);
        ASK(at[2 * PAGE + 100]);
        ASK(pwrite(fd, "X", 1, PAGE + 5));
        ASK(at[PAGE + 5]);
        at[PAGE + 5] = 'Y';
        ASK(byte_of_file(PAGE + 5));
        ASK(pwrite(fd, "Z", 1, PAGE + 5));
        ASK(at[PAGE + 5]);
        ASK(madvise(at + PAGE, PAGE, MADV_DONTNEED));
        ASK(at[PAGE + 5]);
        ASK(munmap(at, 3 * PAGE));
        at = map(1, PROT_READ, MAP_PRIVATE, PAGE);
        ASK(at[5]);
        ASK(touch(at, 1));
        ASK(mprotect(at, PAGE, HERE));
        ASK(touch(at, 1));
        ASK(byte_of_file(PAGE));
        munmap(at, PAGE);
        end();
}

/* Behind the end of the file, as far as one bit of an offset goes. */
static long behind(unsigned bit)
{
        char *at = map(1, PROT_READ, MAP_PRIVATE, (off_t)(1ull << bit));
        if (at == MAP_FAILED)
                return -1;
        long came = touch(at, 0);
        munmap(at, PAGE);
        return came;
}

static void ask_offsets(void)
{
        begin(PAGE);
        for (unsigned bit = 0; bit < 8 * sizeof(off_t); bit++)
                ASK(behind(bit));
        end();
}

static void write_there(char *at)
{
        pid_t pid = fork();
        if (!pid) {
                at[1] = 'c';
                _exit(at[0]);
        }
        ASK(WEXITSTATUS(status_of(pid)));
}

static void ask_shared(void)
{
        struct stat was, is;
        begin(PAGE);
        char *at = map(2, HERE, MAP_SHARED, 0), *again = map(1, PROT_READ, MAP_SHARED, 0);
        at[0] = 'S';
        ASK(again[0]);
        ASK(byte_of_file(0));
        ASK(pwrite(fd, "T", 1, 0));
        ASK(at[0]);
        write_there(at);
        ASK(at[1]);
        ASK(byte_of_file(1));
        ASK(touch(again, 1));
        ASK(mprotect(again, PAGE, HERE));
        ASK(touch(again, 1));
        ASK(msync(at, PAGE, MS_SYNC));
        ASK(msync(at, 2 * PAGE, MS_ASYNC | MS_INVALIDATE));
        ASK(msync(at, 2 * PAGE, MS_ASYNC | MS_SYNC));
        ASK(msync(at + 1, PAGE, MS_SYNC));
        ASK(msync(at, PAGE, 8));
        ASK(msync(at, 0, MS_SYNC));
        ASK(munmap(again, PAGE));
        ASK(msync(again, PAGE, MS_SYNC));
        munmap(at, 2 * PAGE);
        at = map(1, HERE, MAP_SHARED, 0);
        ASK(utimensat(AT_FDCWD, NAME, (struct timespec[]){{5, 0}, {5, 0}}, 0));
        fstat(fd, &was);
        at[7] = 'm';
        msync(at, PAGE, MS_SYNC);
        fstat(fd, &is);
        ASK(was.st_mtime == 5);
        ASK(is.st_mtime > 5);
        munmap(at, PAGE);
        end();
}

/* The last page is there to its end; behind it there is nothing, until the file has grown. */
static void ask_cut(int flags)
{
        begin(4 * PAGE);
        char *at = map(6, HERE, flags, 0);
        ASK(touch(at + 3 * PAGE, 0));
        ASK(touch(at + 3 * PAGE + 9, 1));
        ASK(touch(at + 4 * PAGE, 0));
        ASK(touch(at + 5 * PAGE, 1));
        ASK(ftruncate(fd, PAGE + 10));
        ASK(touch(at + PAGE + 9, 0));
        ASK(touch(at + PAGE + 10, 0));
        ASK(touch(at + 2 * PAGE, 0));
        ASK(touch(at + 3 * PAGE + 9, 0));
        ASK(write(ends[1], at + 2 * PAGE, 1));
        ASK(ftruncate(fd, 5 * PAGE));
        ASK(touch(at + PAGE + 10, 0));
        ASK(touch(at + 3 * PAGE + 9, 0));
        ASK(touch(at + 4 * PAGE, 1));
        ASK(touch(at + 5 * PAGE, 0));
        ASK(byte_of_file(4 * PAGE));
        ASK(ftruncate(fd, 0));
        ASK(touch(at, 0));
        munmap(at, 6 * PAGE);
        end();
}

/* What is written behind the end is no byte of the file, however that grows. */
static void ask_behind_the_end(void)
{
        begin(PAGE + 10);
        char *at = map(2, HERE, MAP_SHARED, 0);
        at[PAGE + 20] = 't';
        ASK(byte_of_file(PAGE + 20));
        ASK(ftruncate(fd, PAGE + 30));
        ASK(grown_byte(PAGE + 20));
        at[PAGE + 40] = 't';
        at[PAGE + 60] = 't';
        ASK(pwrite(fd, "x", 1, PAGE + 50));
        ASK(grown_byte(PAGE + 40));
        ASK(byte_of_file(PAGE + 50));
        ASK(ftruncate(fd, PAGE + 100));
        ASK(grown_byte(PAGE + 60));
        at[PAGE + 200] = 't';
        ASK(munmap(at, 2 * PAGE));
        ASK(pwrite(fd, "x", 1, 3 * PAGE));
        ASK(grown_byte(PAGE + 200));
        end();
}

/* A file without a name goes with the last that has it mapped. */
static void ask_removed(void)
{
        begin(2 * PAGE);
        char *at = map(2, HERE, MAP_SHARED, 0);
        ASK(unlink(NAME));
        ASK(close(fd));
        ASK(at[PAGE]);
        at[PAGE] = 'u';
        write_there(at + PAGE);
        ASK(at[PAGE + 1]);
        ASK(munmap(at, PAGE));
        ASK(touch(at, 0));
        ASK(touch(at + PAGE, 0));
        ASK(munmap(at + PAGE, PAGE));
}

static void ask_moved(void)
{
        begin(4 * PAGE);
        char *at = map(1, HERE, MAP_SHARED, PAGE), *to;
        at[1] = 'v';
        to = mremap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
        ASK(refused(to));
        ASK(to[1] * 1000 + to[PAGE]);
        ASK(touch(to + 2 * PAGE, 0));
        ASK(mprotect(to + PAGE, PAGE, PROT_NONE));
        ASK(touch(to + PAGE, 0));
        ASK(mprotect(to + PAGE, PAGE, PROT_READ));
        ASK(touch(to + PAGE, 0));
        ASK(munmap(to, 3 * PAGE));
        end();
}

static void ask_refused(void)
{
        begin(PAGE);
        int both = fd, pipes[2];
        ASK(refused(map(0, HERE, MAP_PRIVATE, 0)));
        ASK(refused(map(1, HERE, MAP_PRIVATE, 1)));
        ASK(refused(map(1, HERE, 0, 0)));
        ASK(refused(mmap(NULL, PAGE, HERE, MAP_PRIVATE, -1, 0)));
        ASK(refused(mmap(NULL, PAGE, HERE, MAP_PRIVATE, 900, 0)));
        fd = open(NAME, O_WRONLY);
        ASK(refused(map(1, PROT_READ, MAP_PRIVATE, 0)));
        ASK(refused(map(1, PROT_WRITE, MAP_SHARED, 0)));
        close(fd);
        fd = open(NAME, O_RDONLY);
        ASK(refused(map(1, HERE, MAP_SHARED, 0)));
        ASK(refused(map(1, HERE, MAP_PRIVATE, 0)));
        char *at = map(1, PROT_READ, MAP_SHARED, 0);
        ASK(mprotect(at, PAGE, HERE));
        ASK(at[0]);
        close(fd);
        fd = open("/dev/zero", O_RDONLY);
        ASK(refused(map(1, HERE, MAP_SHARED, 0)));
        close(fd);
        fd = both;
#ifdef MAP_SYNC
        ASK(refused(map(1, PROT_READ, MAP_SHARED_VALIDATE, 0)));
        ASK(refused(map(1, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, 0)));
        ASK(refused(map(1, PROT_READ, MAP_SHARED_VALIDATE | 0x800000, 0)));
        ASK(refused(map(1, PROT_READ, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, 0)));
#endif
        fd = open(".", O_RDONLY);
        ASK(refused(map(1, PROT_READ, MAP_PRIVATE, 0)));
        close(fd);
        ASK(pipe(pipes));
        fd = pipes[0];
        ASK(refused(map(1, PROT_READ, MAP_PRIVATE, 0)));
        close(pipes[0]), close(pipes[1]);
        fd = open("/dev/null", O_RDWR);
        ASK(refused(map(1, PROT_READ, MAP_PRIVATE, 0)));
        close(fd);
        fd = open("/dev/zero", O_RDWR);
        at = map(1, HERE, MAP_PRIVATE, 0);
        ASK(touch(at + 5, 0));
        ASK(touch(at + 5, 1));
        close(fd);
        fd = both;
        end();
}

/* Where /proc says that it lies: the words in front of the inode's number, and the name. */
static void ask_listed(void)
{
        char line[4400], where[20], name[4096];
        unsigned long start, offset;
        begin(4 * PAGE);
        char *at = map(2, PROT_READ, MAP_SHARED, 2 * PAGE);
        unlink(NAME);
        snprintf(where, sizeof where, "%lx-", (unsigned long)at);
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps)) {
                char access[5];
                *name = 0;
                if (sscanf(line, "%lx-%*x %4s %lx %*s %*s %4095[^\n]", &start, access, &offset,
                           name) < 3 ||
                    start != (unsigned long)at)
                        continue;
                note("mapped", access);
                ASK(offset);
                note("of", strstr(name, "asked") ? strstr(name, "asked") : "");
        }
        fclose(maps);
        munmap(at, 2 * PAGE);
        close(fd);
}

static void copy_program(void)
{
        char text[PAGE];
        long size;
        int from = open(program, O_RDONLY);
        fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0755);
        while ((size = read(from, text, sizeof text)) > 0)
                write(fd, text, (size_t)size);
        close(from);
}

/* Returns when the program is executed, or cannot be: then the end that execve() closes is gone. */
static pid_t start(void)
{
        int gone[2];
        char byte;
        ASK(pipe(ends));
        pipe2(gone, O_CLOEXEC);
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
                dup2(ends[0], 0);
                close(ends[1]);
                execl(NAME, NAME, "waiting", NULL);
                _exit(errno);
        }
        close(gone[1]);
        read(gone[0], &byte, 1);
        close(gone[0]);
        close(ends[0]);
        fd = ends[1];
        return pid;
}

/* Waits until nobody writes to it any more. */
void wait_for_end(void)
{
        char byte;
        _exit(read(0, &byte, 1) == 0 ? 7 : 8);
}

/* A file that is being executed cannot be opened for writing, nor the other way round. */
static void ask_executed(void)
{
        copy_program();
        int open_for_writing = fd;
        pid_t pid = start();
        close(fd);
        ASK(WEXITSTATUS(status_of(pid)));
        close(open_for_writing);
        pid = start();
        ASK(open(NAME, O_WRONLY));
        ASK(open(NAME, O_RDWR));
        ASK(truncate(NAME, 0));
        int reads = open(NAME, O_RDONLY);
        ASK(reads >= 0);
        close(reads);
        ASK(unlink(NAME));
        close(fd);
        ASK(WEXITSTATUS(status_of(pid)));
        copy_program();
        close(fd);
        pid = start();
        close(fd);
        ASK(WEXITSTATUS(status_of(pid)));
        fd = open(NAME, O_WRONLY);
        ASK(fd >= 0);
        end();
}

/* Memory that has a name: musl and glibc look for it in /dev/shm. */
static void ask_by_name(void)
{
        char name[32];
        snprintf(name, sizeof name, "/asked.%d", (int)getpid());
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        answer("shm_open", fd < 0 ? -1 : 0);
        answer("shm_open, its size", ftruncate(fd, PAGE));
        char *at = map(1, HERE, MAP_SHARED, 0);
        if (at != MAP_FAILED)
                at[7] = 's';
        answer("shm_open, written in memory", byte_of_file(7));
        answer("shm_open, there already", shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600));
        munmap(at, PAGE);
        close(fd);
        answer("shm_unlink", shm_unlink(name));
        answer("shm_unlink, gone", shm_unlink(name));
}

void ask_mapped(void)
{
        ask_by_name();
        catch_info(SIGBUS, caught);
        catch_info(SIGSEGV, caught);
        ASK(pipe(ends));
        ask_private();
        ask_shared();
        ask_cut(MAP_SHARED);
        ask_cut(MAP_PRIVATE);
        ask_behind_the_end();
        ask_removed();
        ask_moved();
        ask_refused();
        ask_offsets();
        ask_listed();
        close(ends[0]), close(ends[1]);
        ask_executed();
        signal(SIGBUS, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
}
