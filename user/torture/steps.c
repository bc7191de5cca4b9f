/*
 * steps.c - names, descriptors, pipes, pages and signals, one call or two at a time.
 *
 * A step's result is the same on Linux; legitimate differences (capacities, order in a directory,
 * root's rights) are avoided.
 */
#include "steps.h"
#include "linux.h"
#include "signals.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define SLOTS 16 /* descriptors 3 to 18 */
#define PAGES 64
#define REGION 0x30000000ul
#define PIPE_ENDS 20 /* a pipe of our own, a source for writing to pages */
#define SPARE 40     /* above all of these */
#define MOST 20000   /* bytes of a file */

enum {
        SLOT_CLOSED,
        SLOT_FILE, /* or of a directory */
        SLOT_PIPE
};

static uint8_t slots[SLOTS];
static char buffer[8192];
static volatile uint32_t handled;
static const int signals[] = {SIGUSR1, SIGUSR2, SIGWINCH, SIGTERM};

/* A description of a step, for people. */
static char told[100];

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
        va_list arguments;
        size_t length = strlen(told);
        va_start(arguments, format);
        vsnprintf(told + length, sizeof told - length, format, arguments);
        va_end(arguments);
}

static const char *name(struct random *random)
{
        static const char *const names[] = {"a",   "b",    "c",     "d",   "a/b",    "a/c",  "b/a",
                                            "b/d", "c/a",  "a/",    ".",   "..",     "",     "a/.",
                                            "d/a", "b/..", "a/b/c", "./a", "c/../d", "b/c/d"};
        const char *chosen = names[random_below(random, sizeof names / sizeof *names)];
        tell(" %s", chosen);
        return chosen;
}

static uint32_t mix(uint32_t sum, uint32_t value)
{
        return (sum ^ value) * 0x9e3779b1u + (sum >> 15);
}

static uint32_t mix_bytes(const char *bytes, long size)
{
        uint32_t sum = 1;
        for (long i = 0; i < size; i++)
                sum = mix(sum, (uint8_t)bytes[i]);
        return sum;
}

static long slot(struct random *random)
{
        long fd = 3 + (long)random_below(random, SLOTS);
        tell(" %ld", fd);
        return fd;
}

static uint8_t kind_of(long fd)
{
        return fd >= 3 && fd < 3 + SLOTS ? slots[fd - 3] : (uint8_t)SLOT_CLOSED;
}

static long keep(long fd, uint8_t kind)
{
        if (fd >= 3 && fd < 3 + SLOTS)
                slots[fd - 3] = kind;
        else if (fd >= 0) {
                SYS(close, fd);
                return -EMFILE; /* more than SLOTS */
        }
        return fd;
}

static long try_open(struct random *random, uint32_t *value)
{
        static const int flags[] = {O_RDONLY,
                                    O_RDWR,
                                    O_WRONLY | O_CREAT,
                                    O_RDWR | O_CREAT,
                                    O_RDWR | O_CREAT | O_EXCL,
                                    O_RDWR | O_TRUNC,
                                    O_WRONLY | O_APPEND,
                                    O_RDONLY | O_DIRECTORY,
                                    O_RDONLY | O_NOFOLLOW,
                                    O_RDWR | O_CREAT | O_CLOEXEC};
        (void)value;
        const char *path = name(random);
        return keep(
                SYS(open, path, flags[random_below(random, sizeof flags / sizeof *flags)], 0700),
                SLOT_FILE);
}

static long try_close(struct random *random, uint32_t *value)
{
        long fd = slot(random);
        (void)value;
        slots[fd - 3] = SLOT_CLOSED;
        return SYS(close, fd);
}

static long try_read(struct random *random, uint32_t *value)
{
        long fd = slot(random), size = (long)random_below(random, sizeof buffer);
        long done = SYS(read, fd, buffer, random_below(random, 2) ? size : size % 32);
        if (done > 0)
                *value = mix_bytes(buffer, done);
        return done;
}

/* No more than any pipe accepts; files stay small. */
static long try_write(struct random *random, uint32_t *value)
{
        long fd = slot(random), size = (long)random_below(random, sizeof buffer);
        (void)value;
        memset(buffer, (int)random_next(random), (size_t)size);
        if (kind_of(fd) == SLOT_PIPE) {
                char drained[64];
                while (SYS(read, fd - 1, drained, sizeof drained) > 0)
                        ;
                size %= 64;
        }
        tell(" %ld bytes", size);
        return SYS(write, fd, buffer, size);
}

static long try_seek(struct random *random, uint32_t *value)
{
        long fd = slot(random), to = (long)random_below(random, MOST) - 100;
        struct stat s;
        (void)value;
        if (!fstat((int)fd, &s) && (s.mode & S_IFMT) == S_IFDIR)
                return 0;
        return SYS(lseek, fd, to, random_below(random, 16) ? random_below(random, 3) : 9);
}

static long try_stat(struct random *random, uint32_t *value)
{
        struct stat s = {0};
        long result = random_below(random, 2) ? stat(name(random), &s) : lstat(name(random), &s);
        bool regular = (s.mode & S_IFMT) == S_IFREG;
        if (!result)
                *value = mix(s.mode & S_IFMT, regular ? (uint32_t)s.size : 0);
        return result;
}

static long try_fstat(struct random *random, uint32_t *value)
{
        struct stat s = {0};
        long result = fstat((int)slot(random), &s);
        bool regular = (s.mode & S_IFMT) == S_IFREG;
        if (!result)
                *value = mix(s.mode & S_IFMT, regular ? (uint32_t)s.size + (s.links != 0) : 0);
        return result;
}

static long try_name(struct random *random, uint32_t *value)
{
        const char *one = name(random), *other = name(random);
        switch (random_below(random, 8)) {
        case 0:
        case 1: return mkdir(one, 0700);
        case 2: return rmdir(one);
        case 3: return unlink(one);
        case 4: /* none that points out of the directory */
                return symlink(strchr(one, '.') ? "a/b" : one, other);
        case 5: {
                long size = readlink(one, buffer, sizeof buffer);
                if (size > 0)
                        *value = mix_bytes(buffer, size);
                return size;
        }
        default: return rename(one, other);
        }
}

static long try_dup(struct random *random, uint32_t *value)
{
        long from = slot(random), to = slot(random);
        (void)value;
        switch (random_below(random, 4)) {
        case 0: return keep(SYS(dup, from), kind_of(from));
        case 1: return keep(SYS(fcntl, from, F_DUPFD, to), kind_of(from));
        case 2: return SYS(fcntl, from, F_SETFD, random_below(random, 2));
        default: return keep(SYS(dup2, from, to), kind_of(from));
        }
}

/* Both ends have adjacent descriptors: the writer can empty it. */
static long try_pipe(struct random *random, uint32_t *value)
{
        long at = slot(random);
        int ends[2];
        (void)value;
        if (at == 3 + SLOTS - 1)
                return SYS(pipe2, 8, O_NONBLOCK);
        long result = SYS(pipe2, ends, O_NONBLOCK | (random_below(random, 2) ? O_CLOEXEC : 0));
        if (result)
                return result;
        dup2(ends[0], SPARE);
        dup2(ends[1], SPARE + 1);
        close(ends[0]);
        close(ends[1]);
        for (long i = 0; i < 2; i++) {
                dup2((int)(SPARE + i), (int)(at + i));
                close((int)(SPARE + i));
                slots[at - 3 + i] = i ? SLOT_PIPE : SLOT_FILE;
        }
        return 0;
}

static uintptr_t page(struct random *random)
{
        return REGION + random_below(random, PAGES) * PAGE_SIZE;
}

static size_t span(struct random *random, uintptr_t at)
{
        size_t room = (REGION + PAGES * PAGE_SIZE - at) / PAGE_SIZE;
        size_t pages = 1 + random_below(random, room < 12 ? (uint32_t)room : 12);
        tell(" %x + %x", (unsigned)(at - REGION), (unsigned)(pages * PAGE_SIZE));
        return pages * PAGE_SIZE;
}

static int access_of(struct random *random)
{
        static const int all[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
                                  PROT_READ | PROT_WRITE};
        return all[random_below(random, 4)];
}

static long try_pages(struct random *random, uint32_t *value)
{
        uintptr_t at = page(random);
        size_t size = span(random, at);
        unsigned odd = random_below(random, 16) ? 0 : random_below(random, 4096);
        (void)value;
        switch (random_below(random, 6)) {
        case 0: return munmap(at + odd, size);
        case 1: return mprotect(at + odd, size, access_of(random));
        case 2: return madvise(at + odd, size, MADV_DONTNEED);
        default: {
                long is = mmap(at + odd, size, access_of(random),
                               MAP_FIXED | MAP_ANONYMOUS |
                                       (random_below(random, 4) ? MAP_PRIVATE : MAP_SHARED));
                return is > 0 ? is - (long)REGION : is;
        }
        }
}

/* The kernel reads or writes a byte of a page: success, or -EFAULT. */
static long try_page(struct random *random, uint32_t *value)
{
        uintptr_t at = page(random) + random_below(random, PAGE_SIZE);
        uint8_t byte = (uint8_t)random_next(random);
        if (random_below(random, 2)) {
                long put = write(PIPE_ENDS + 1, &byte, 1), got = read(PIPE_ENDS, (void *)at, 1);
                if (put == 1 && got != 1)
                        read(PIPE_ENDS, buffer, 1);
                return got;
        }
        long result = write(PIPE_ENDS + 1, (void *)at, 1);
        if (result == 1 && read(PIPE_ENDS, &byte, 1) == 1)
                *value = byte;
        return result;
}

static void count_signal(int signal)
{
        handled = mix(handled, (uint32_t)signal);
}

static long try_action(struct random *random, uint32_t *value)
{
        int signal = signals[random_below(random, sizeof signals / sizeof *signals)];
        (void)value;
        switch (random_below(random, 16)) {
        case 0: return signal_set(signal, SIG_DFL);
        case 1:
        case 2:
        case 3: return signal_set(signal, SIG_IGN);
        case 4: return signal_set(random_below(random, 2) ? SIGKILL : 65, SIG_IGN);
        default: return signal_act(signal, count_signal, 0, random_below(random, 2) ? ~0ull : 0);
        }
}

static long try_mask(struct random *random, uint32_t *value)
{
        uint64_t set = 0, old = 0;
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
                if (random_below(random, 2))
                        set |= SIGNAL_BIT(signals[i]);
        long result = rt_sigprocmask((int)random_below(random, 4), &set, &old, sizeof set);
        *value = mix((uint32_t)old, handled);
        return result;
}

static long try_send(struct random *random, uint32_t *value)
{
        int signal = signals[random_below(random, sizeof signals / sizeof *signals)];
        uint64_t waiting = 0;
        long result = kill(getpid(), signal); /* the kernel may choose the thread that takes it */
        SYS(rt_sigpending, &waiting, sizeof waiting);
        *value = mix((uint32_t)waiting, handled);
        return result;
}

static long try_stack(struct random *random, uint32_t *value)
{
        static uint8_t room[8192];
        struct sigaltstack stack = {(uintptr_t)room, random_below(random, 3),
                                    random_below(random, 2) ? sizeof room : 100},
                           old = {0};
        long result = sigaltstack(random_below(random, 4) ? &stack : NULL, &old);
        *value = mix(old.flags, old.flags & SS_DISABLE ? 0 : (uint32_t)old.size);
        return result;
}

#define SIGNAL_STEPS 4 /* the last ones */
#define STEP(name)                                                                                 \
        {                                                                                          \
#name, try_##name                                                                  \
        }
static const struct {
        const char *name;
        long (*act)(struct random *random, uint32_t *value);
} steps[] = {
        STEP(open),  STEP(open), STEP(close), STEP(read),   STEP(write), STEP(seek), STEP(stat),
        STEP(fstat), STEP(name), STEP(name),  STEP(name),   STEP(dup),   STEP(pipe), STEP(pages),
        STEP(pages), STEP(page), STEP(page),  STEP(action), STEP(mask),  STEP(send), STEP(stack),
};

struct answer step(struct random *random, bool alone)
{
        unsigned which =
                random_below(random, sizeof steps / sizeof *steps - (alone ? 0 : SIGNAL_STEPS));
        struct answer answer = {told, 0, 0};
        told[0] = 0;
        tell("%s", steps[which].name);
        long result = steps[which].act(random, &answer.value);
        if (result < 0)
                answer.error = (unsigned)-result;
        else
                answer.value = mix(answer.value, (uint32_t)result);
        return answer;
}

/* Including its contents. */
static void remove(const char *path)
{
        char entries[1024];
        long fd = SYS(open, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), size;
        if (fd < 0) {
                unlink(path);
                return;
        }
        chdir(path);
        while ((size = getdents64((int)fd, entries, sizeof entries)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
                        if (strcmp(entry->name, ".") && strcmp(entry->name, ".."))
                                remove(entry->name);
                        at += entry->length;
                }
        close((int)fd);
        chdir("..");
        rmdir(path);
}

void steps_end(const char *directory)
{
        chdir("/");
        remove(directory);
}

void steps_begin(const char *directory, int kept)
{
        int ends[2];
        for (int fd = 3; fd < 64; fd++)
                if (fd != kept)
                        close(fd);
        memset(slots, SLOT_CLOSED, sizeof slots);
        munmap(REGION, PAGES * PAGE_SIZE);
        mkdir(directory, 0700);
        chdir(directory);
        SYS(umask, 022);
        pipe(ends);
        dup2(ends[0], PIPE_ENDS);
        dup2(ends[1], PIPE_ENDS + 1);
        close(ends[0]);
        close(ends[1]);
        SYS(fcntl, PIPE_ENDS, F_SETFL, O_NONBLOCK);
        handled = 0;
        signals_as_at_login();
        signal_set(SIGPIPE, SIG_IGN);
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
                signal_act(signals[i], count_signal, 0, 0);
}

uint32_t steps_inherited(void)
{
        uint32_t sum = 0;
        uint64_t mask = 0;
        rt_sigprocmask(SIG_BLOCK, NULL, &mask, sizeof mask);
        sum = mix(sum, (uint32_t)mask);
        for (long fd = 3; fd < 3 + SLOTS; fd++)
                sum = mix(sum, (uint32_t)SYS(fcntl, fd, F_GETFD));
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
                struct sigaction action;
                rt_sigaction(signals[i], NULL, &action, sizeof action.mask);
                sum = mix(sum, (uint32_t)action.handler);
        }
        return sum;
}

void steps_bury(void)
{
        if (system_call(NUMBER_toll_sum) == -ENOSYS)
                return;
        for (int quiet = 0; quiet < 3;) {
                const struct timespec moment = {0, 1000000};
                long killed = kill(-1, SIGKILL), reaped = 0;
                nanosleep(&moment, NULL);
                while (wait4(-1, NULL, WNOHANG, NULL) > 0)
                        reaped++;
                quiet = killed || reaped ? (killed == -ESRCH && !reaped ? quiet + 1 : 0)
                                         : quiet + 1;
        }
}
