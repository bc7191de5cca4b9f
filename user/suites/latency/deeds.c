/* deeds.c - calls with an adjustable amount of work: pages, names, threads, bytes. */
#include "deeds.h"
#include "lib.h"

static struct deed_calls until_mapped;
struct deed_calls *deed_calls = &until_mapped;

static long counted(long result)
{
        deed_calls->made++;
        deed_calls->failed += result < 0 && result > -4096;
        return result;
}

#undef system_call
#define system_call(...) counted(CALL_BY((system_call), __VA_ARGS__))
#include "child.h"
#include "linux.h"
#include "signals.h"
#include "toll.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define STACK 1024
#define SIGNAL 40 /* a real-time signal */
#define EXIT_AT 9 /* in unused bytes of e_ident: mov eax, exit; int 80h */

static char buffer[256 << 10] __attribute__((aligned(PAGE_SIZE))), name[300];
static uint8_t stacks[190][STACK] __attribute__((aligned(16)));
static volatile int never;
static int ends[2]; /* ends of a pipe, or of a socket pair */

static unsigned least(unsigned a, unsigned b)
{
        return a < b ? a : b;
}

static void wait_all(void)
{
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
}

/* Runs it in a child, and waits for the child's end. */
static void apart(void (*run)(unsigned), unsigned size)
{
        long pid = fork();
        if (!pid) {
                run(size);
                exit_group(0);
        }
        wait4(pid, NULL, 0, NULL);
}

static char *map(size_t size, int flags)
{
        return (char *)mmap(0, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags);
}

static void touch(char *at, size_t size, size_t step)
{
        for (size_t i = 0; i < size; i += step)
                at[i] = 1;
}

static void forget(unsigned pages)
{
        madvise((uintptr_t)buffer, sizeof buffer, MADV_DONTNEED);
}

/* Adjacent pages, of two processes for a while, and shared. */
static void pages(unsigned count)
{
        size_t size = count * (size_t)PAGE_SIZE;
        char *at = map(size, MAP_PRIVATE);
        touch(at, size, PAGE_SIZE);
        mprotect((uintptr_t)at, size, PROT_READ);
        mprotect((uintptr_t)at, size, PROT_READ | PROT_WRITE);
        if (!fork()) {
                madvise((uintptr_t)at, size, MADV_DONTNEED);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        touch(at, size, PAGE_SIZE);
        char *room = map(size, MAP_PRIVATE);
        SYS(mremap, at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, room);
        munmap((uintptr_t)room, size);
        char *shared = map(size, MAP_SHARED);
        munmap((uintptr_t)shared, size);
}

/* Distant pages, so that each has a table of its own. */
static void tables(unsigned count)
{
        size_t span = WIDE ? (size_t)64 << 30 : 512 << 20; /* less in a trusted program */
        char *at;
        for (;; span /= 2) {
                at = (char *)mmap(0, span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
                if ((intptr_t)at > 0)
                        break;
        }
        for (size_t i = 0; i < span; i += span / count)
                (void)*(volatile char *)(at + i);
        mprotect((uintptr_t)at, span, PROT_NONE);
        apart(forget, 0);
        munmap((uintptr_t)at, span);
}

static void areas(unsigned count)
{
        size_t size = 2 * count * (size_t)PAGE_SIZE;
        char *at = map(size, MAP_PRIVATE);
        for (size_t i = 0; i < count; i++)
                mprotect((uintptr_t)at + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        map(PAGE_SIZE, MAP_PRIVATE | MAP_GROWSDOWN);
        apart(forget, 0);
        mprotect((uintptr_t)at, size, PROT_READ);
        munmap((uintptr_t)at, size);
}

/* A file in many areas, of two processes, is cut. */
static void mapped(unsigned count)
{
        size_t size = count * (size_t)PAGE_SIZE;
        int file = (int)open("mapped", O_CREAT | O_RDWR | O_TRUNC, 0755);
        SYS(ftruncate, file, size);
        char *at = (char *)mmap_file(size, PROT_READ | PROT_WRITE, MAP_SHARED, file);
        touch(at, size, PAGE_SIZE);
        for (size_t i = 0; i < least(count / 2, 500); i++)
                mprotect((uintptr_t)at + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ);
        if (!fork()) {
                msync((uintptr_t)at, size, MS_SYNC);
                SYS(ftruncate, file, PAGE_SIZE);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
        munmap((uintptr_t)at, size);
        close(file);
        unlink("mapped");
}

/* `count` times 4 KiB, read and written at once, and in parts. */
static void content(unsigned count)
{
        static uintptr_t vectors[1024][2];
        size_t size = count * (size_t)PAGE_SIZE;
        char *bytes = map(size, MAP_PRIVATE);
        int file = (int)open("content", O_CREAT | O_RDWR | O_TRUNC, 0755);
        write(file, bytes, size);
        SYS(lseek, file, 0, 0);
        read(file, bytes, size);
        SYS(lseek, file, 0, 0);
        for (size_t i = 0; i < 1024; i++)
                vectors[i][0] = (uintptr_t)bytes, vectors[i][1] = count * 4;
        SYS(readv, file, vectors, 1024);
        close(file);
        file = (int)open("/dev/zero", O_RDONLY, 0);
        read(file, bytes, size);
        close(file);
        close((int)open("content", O_WRONLY | O_TRUNC, 0));
        unlink("content");
        munmap((uintptr_t)bytes, size);
}

static const char *numbered(unsigned i)
{
        memset(name, 'a', 200);
        snprintf(name + 200, sizeof name - 200, "%05u", i);
        return name;
}

static void names(unsigned count)
{
        struct stat s;
        mkdir("d", 0755);
        chdir("d");
        for (unsigned i = 0; i < count; i++)
                mkdir(numbered(i), 0755);
        int here = (int)open(".", O_RDONLY, 0);
        getdents64(here, buffer, sizeof buffer);
        close(here);
        lstat(".", &s);
        rename(numbered(0), "other");
        rename("other", numbered(0));
        lstat("nothing", &s);
        for (unsigned i = 0; i < count; i++)
                rmdir(numbered(i));
        chdir("..");
        rmdir("d");
}

/* Forty links to each other, each of many names; and one of slashes only, with the longest name. */
static void links(unsigned bytes)
{
        mkdir("z", 0755);
        for (int link = 0; link < 40; link++) {
                size_t at = 0;
                for (; at + 5 <= bytes; at += 5)
                        memcpy(buffer + at, "z/../", 5);
                snprintf(buffer + at, 32, "l%d", link + 1);
                snprintf(name, sizeof name, "l%d", link);
                symlink(buffer, name);
        }
        open("l0", O_RDONLY, 0);
        open("l39", O_RDONLY, 0);
        for (int i = 0; i < 40; i++) {
                snprintf(name, sizeof name, "l%d", i);
                unlink(name);
        }
        memset(buffer, '/', bytes);
        memcpy(buffer + bytes, "tmp", 4);
        memset(name, 's', NAME_MAX);
        name[NAME_MAX] = 0;
        symlink(buffer, name);
        open(name, O_RDONLY, 0);
        readlink(name, buffer, sizeof buffer);
        unlink(name);
        rmdir("z");
}

/* Nested folders, and getcwd() at the bottom. */
static void deep(unsigned count)
{
        unsigned depth = 0;
        while (depth < count && (!mkdir("a", 0700) || !chdir("a")))
                depth += !chdir("a");
        getcwd(buffer, sizeof buffer);
        readlink("/proc/self/cwd", buffer, sizeof buffer);
        mkdir("b", 0700);
        rename("b", "c");
        rmdir("c");
        for (; depth; depth--) {
                chdir("..");
                rmdir("a");
        }
}

static void bind_sockets(unsigned count, int flags)
{
        struct {
                uint16_t family;
                char path[16];
        } address = {AF_UNIX, ""};
        for (unsigned i = 0; i < count; i++) {
                long socket = SYS(socket, AF_UNIX, SOCK_STREAM | flags, 0);
                int length = snprintf(address.path + 1, sizeof address.path - 1, "%u", i);
                SYS(bind, socket, &address, 3 + length);
        }
}

static void sockets_end(unsigned count)
{
        bind_sockets(count, 0);
}

static void sockets_range(unsigned count)
{
        bind_sockets(count, 0);
        SYS(close_range, 3, -1, 0);
}

static void sockets_exec(unsigned count)
{
        char *arguments[] = {"x", NULL};
        bind_sockets(count, O_CLOEXEC);
        execve("/bin/true", arguments, arguments + 1);
        execve("headers", arguments, arguments + 1);
}

static void pairs_end(unsigned count)
{
        for (unsigned i = 0; i < count / 2; i++)
                if (!SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
                        write(ends[0], "x", 1);
}

static void pipes_end(unsigned count)
{
        for (unsigned i = 0; i < count / 2; i++)
                pipe(ends);
}

static void descriptors(unsigned count)
{
        apart(sockets_end, count);
        apart(sockets_range, count);
        apart(sockets_exec, count);
        apart(pairs_end, count);
        apart(pipes_end, count);
}

/* Erases a line of a pseudo-terminal whose characters are shown as two letters each; then types
 * more than the line can hold. */
static void line(unsigned bytes)
{
        int number, unlock = 0, terminal = (int)open("/dev/ptmx", O_RDWR | O_NOCTTY, 0);
        ioctl(terminal, TIOCSPTLCK, &unlock);
        ioctl(terminal, TIOCGPTN, &number);
        snprintf(name, sizeof name, "/dev/pts/%d", number);
        int slave = (int)open(name, O_RDWR | O_NOCTTY, 0);
        memset(buffer, 1, bytes);
        write(terminal, buffer, bytes);
        read(terminal, buffer, sizeof buffer);
        buffer[0] = 025; /* ^U */
        memset(buffer + 1, 'y', 127);
        write(terminal, buffer, 128);
        close(slave);
        close(terminal);
}

/* Letters, then empty lines; then a page is cleared and written again. */
static void console(unsigned bytes)
{
        static const char clear[] = "\033[2J";
        memset(buffer, '\r', bytes); /* no one has to read it */
        write(1, buffer, bytes);
        memset(buffer, '\n', bytes / 10);
        write(1, buffer, bytes / 10);
        int screen = (int)open("/dev/tty1", O_WRONLY, 0);
        if (screen < 0)
                return;
        for (unsigned i = 0; i < bytes; i++)
                buffer[i] = (char)(' ' + i % 90);
        write(screen, buffer, bytes);
        write(screen, clear, sizeof clear - 1);
        write(screen, buffer, bytes);
        close(screen);
}

static void start(unsigned count, void (*run)(void))
{
        for (unsigned i = 0; i < least(count, sizeof stacks / STACK); i++)
                thread_start(THREAD, stacks[i] + STACK, NULL, run);
        sleep_ms(50);
}

static void sleep_here(void)
{
        const struct timespec time = {0, 300000000};
        for (;;)
                SYS(futex, &never, FUTEX_WAIT, 0, &time);
}

/* All of them wait for a byte; one gets it. */
static void read_here(void)
{
        char byte;
        for (;;)
                read(ends[0], &byte, 1);
}

static void woken(unsigned count)
{
        start(count, sleep_here);
        SYS(futex, &never, FUTEX_WAKE, 1000);
        sleep_ms(400);
        kill(getpid(), SIGCONT);
}

static void crowd(unsigned count)
{
        pipe(ends);
        start(count, read_here);
        write(ends[1], "x", 1);
        sleep_ms(50);
}

static void crowd_of_sockets(unsigned count)
{
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        start(count, read_here);
        write(ends[1], "x", 1);
        sleep_ms(50);
}

/* Each thread has twelve blocked signals, which might be somebody else's then. */
static void left_by_exec(unsigned count)
{
        char *arguments[] = {"x", NULL};
        signal_mask(SIG_SETMASK, ~0ull);
        start(count, sleep_here);
        for (unsigned i = 0; i < 12 * count; i++)
                SYS(tgkill, getpid(), getpid() + 1 + i % count, SIGSTOP + 1 + i / count);
        execve("headers", arguments, arguments + 1);
}

static void told_here(void)
{
        SYS(prctl, PR_SET_PDEATHSIG, SIGUSR1);
        sleep_here();
}

/* Its threads are told of their parent's end. */
static void orphan(unsigned count)
{
        if (!fork()) {
                start(count, told_here);
                sleep_here();
        }
        sleep_ms(100);
}

static void stopped(unsigned count)
{
        start(count, sleep_here);
        kill(getpid(), SIGSTOP);
}

static void threads(unsigned count)
{
        apart(woken, count);
        apart(crowd, count);
        apart(crowd_of_sockets, count);
        apart(left_by_exec, count);
        apart(orphan, count);
        long pid = fork();
        if (!pid) {
                stopped(count);
                exit_group(0);
        }
        sleep_ms(200);
        kill(pid, SIGCONT);
        sleep_ms(200); /* idle when they have ended */
        wait4(pid, NULL, 0, NULL);
}

/* A trusted program gives up its turn in function calls, which do not change IF. */
static const void *direct_call(void)
{
        static struct toll_row row;
        return row_find("/call/standard", &row) < 0 ? NULL : (const void *)(uintptr_t)row.clean;
}

static void yield_here(void)
{
        for (;;)
                SYS(sched_yield, 0);
}

static void yield_directly(unsigned count)
{
        const void *call = direct_call();
        start(count, yield_here);
        for (unsigned i = 0; call && i < count; i++)
                gate_call(call, NUMBER_sched_yield);
}

static void turns(unsigned count)
{
        apart(yield_directly, count);
}

static void group(unsigned count)
{
        setpgid(0, 0);
        for (unsigned i = 0; i < count; i++)
                if (!fork())
                        for (;;)
                                pause();
        kill(0, SIGCONT);
}

static void processes(unsigned count)
{
        long pid = fork();
        if (!pid) {
                group(count);
                exit_group(0);
        }
        wait4(pid, NULL, 0, NULL);
        kill(-pid, SIGUSR1);
        wait_all();
}

/* Real-time signals that one thread leaves to another, which then ends. */
static void queue(unsigned count)
{
        int info[32] = {0, 0, -1} /* SI_QUEUE */;
        signal_mask(SIG_SETMASK, ~0ull);
        start(1, sleep_here);
        for (unsigned i = 0; i < count; i++)
                SYS(rt_sigqueueinfo, getpid(), SIGNAL, info);
        SYS(exit, 0);
}

static void nothing(int signal)
{
}

/* All are handled at once, each on top of the one before. */
static void nested(unsigned count)
{
        int info[32] = {0, 0, -1} /* SI_QUEUE */;
        signal_act(SIGNAL, (const void *)(uintptr_t)nothing, SA_NODEFER, 0);
        signal_mask(SIG_SETMASK, ~0ull);
        for (unsigned i = 0; i < count; i++)
                SYS(rt_sigqueueinfo, getpid(), SIGNAL, info);
        signal_mask(SIG_SETMASK, 0);
}

static void signals(unsigned count)
{
        apart(nested, count);
        long pid = fork();
        if (!pid)
                queue(count);
        sleep_ms(200);
        kill(pid, SIGKILL);
        wait4(pid, NULL, 0, NULL);
}

static void put(size_t at, size_t size, unsigned long value)
{
        memcpy(buffer + at, &value, size);
}

/* Writes one program header; `words` are in the order of a 64-bit file. */
static void put_header(size_t index, unsigned type, unsigned long at, size_t offset, size_t size)
{
        size_t start = 64 + index * (WIDE ? 56 : 32), word = sizeof(long);
        const unsigned long words[] = {offset, at, at, size, size};
        put(start, 4, type);
        put(start + (WIDE ? 4 : 24), 4, 5); /* read and execute */
        for (size_t i = 0; i < 5; i++)
                put(start + (WIDE ? 8 : 4) + i * word, word, words[i]);
}

/* A program of 256 KiB with `headers` headers: one is loaded, four are notes of zeros. */
static void make_program(const char *path, unsigned headers, size_t notes)
{
        const unsigned long text = 0x8048000;
        memset(buffer, 0, sizeof buffer);
        memcpy(buffer, "\177ELF", 4);
        memcpy(buffer + EXIT_AT, WIDE ? "\xb8\x3c\0\0\0\xcd\x80" : "\xb8\x01\0\0\0\xcd\x80", 7);
        put(4, 1, WIDE ? 2 : 1);
        put(5, 2, 0x101);
        put(16, 2, 2);
        put(18, 2, WIDE ? 62 : 3);
        put(24, sizeof(long), text + EXIT_AT);
        put(WIDE ? 32 : 28, 2, 64);
        put(WIDE ? 54 : 42, 2, WIDE ? 56 : 32);
        put(WIDE ? 56 : 44, 2, headers);
        put_header(0, 1, text, 0, 4096);
        for (size_t i = 1; i < 5; i++)
                put_header(i, 4, 0, 8192, notes);
        int file = (int)open(path, O_CREAT | O_WRONLY | O_TRUNC, 0755);
        write(file, buffer, sizeof buffer);
        close(file);
}

static void execute(const char *path, char *const *arguments)
{
        char *none[] = {NULL};
        if (!fork()) {
                execve(path, arguments, none);
                exit_group(0);
        }
        wait4(-1, NULL, 0, NULL);
}

/* Many headers, notes, arguments. */
static void programs(unsigned count)
{
        char *one[] = {"x", NULL}, *many[4097];
        for (unsigned i = 0; i < count; i++)
                many[i] = "an argument of some length, for it is copied";
        many[count] = NULL;
        make_program("headers", count, 0);
        make_program("notes", 5, count * 64);
        execute("headers", one);
        execute("headers", many);
        execute("notes", one);
        unlink("notes");
}

const struct deed deeds[] = {{"pages", pages, 64, 8192},
                             {"tables", tables, 32, 512},
                             {"areas", areas, 64, 1000},
                             {"mapped", mapped, 64, 4096},
                             {"content", content, 16, 4096},
                             {"names", names, 64, 4096},
                             {"links", links, 256, 4080},
                             {"deep", deep, 64, 8000},
                             {"programs", programs, 64, 4000},
                             {"descriptors", descriptors, 64, 1000},
                             {"line", line, 32, 250},
                             {"console", console, 128, 4096},
                             {"threads", threads, 16, 180},
                             {"processes", processes, 16, 150},
                             {"signals", signals, 64, 1020},
                             {"turns", turns, 4, 64},
                             {NULL, NULL, 0, 0}};

void deeds_begin(void)
{
        mkdir("/tmp/latency", 0755);
        chdir("/tmp/latency");
        make_program("headers", 5, 0);
        deed_calls = (struct deed_calls *)map(sizeof *deed_calls, MAP_SHARED);
}

void deeds_end(void)
{
        unlink("headers");
        chdir("/");
        rmdir("/tmp/latency");
}
