/* ways.c - calls that free, move, protect, copy, fill, cut off, remove or ask for much. */
#include "large.h"

uint8_t thread_stack[4096] __attribute__((aligned(16)));
size_t bytes = SIZE;
unsigned mappings = 64;
const struct timespec span = {0, SLEEP};
bool counted;

uintptr_t touch(uintptr_t at, size_t size)
{
        for (size_t i = 0; i < size; i += PAGE_SIZE)
                *(volatile uint8_t *)(at + i) = 1;
        return at;
}

uintptr_t mapped(void)
{
        return touch((uintptr_t)mmap(0, bytes, PROT_READ | PROT_WRITE, PRIVATE), bytes);
}

static bool unmaps(void)
{
        return !munmap(mapped(), bytes);
}

static bool maps_over(void)
{
        uintptr_t at = mapped();
        return (uintptr_t)mmap(at, bytes, PROT_READ, PRIVATE | MAP_FIXED) == at;
}

static bool shrinks(void)
{
        long old = system_call(NUMBER_brk, 0);
        uintptr_t at = ((uintptr_t)old + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
        system_call(NUMBER_brk, at + bytes);
        touch(at, bytes);
        return system_call(NUMBER_brk, old) == old;
}

static bool forgets(void)
{
        return !system_call(NUMBER_madvise, mapped(), bytes, MADV_DONTNEED);
}

static bool locks(void)
{
        uintptr_t at = (uintptr_t)mmap(0, bytes, PROT_READ | PROT_WRITE, PRIVATE);
        return !system_call(NUMBER_mlock, at, bytes);
}

static bool allocates(void)
{
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        long error = WIDE ? system_call(NUMBER_fallocate, file, 0, 0, bytes / 4)
                          : system_call(NUMBER_fallocate, file, 0, 0, 0, bytes / 4, 0);
        return !unlink("/tmp/large") && !system_call(NUMBER_ftruncate, file, 0) && !error;
}

static bool protects(void)
{
        return !mprotect(mapped(), bytes, PROT_READ);
}

static bool moves(void)
{
        uintptr_t at = mapped();
        long to = mmap(0, bytes, PROT_READ, PRIVATE);
        return system_call(NUMBER_mremap, at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
               to;
}

/* Addresses without pages, many more than there is memory. */
static bool moves_nothing(void)
{
        size_t half = (size_t)1 << (WIDE ? 45 : 30);
        long at;
        while ((at = mmap(0, 2 * half, PROT_NONE, PRIVATE)) == -ENOMEM)
                half /= 2; /* a program in ring 0 has less */
        return system_call(NUMBER_mremap, at, half, half, MREMAP_MAYMOVE | MREMAP_FIXED,
                           at + (long)half) == at + (long)half;
}

static bool forks(void)
{
        int status = -1;
        mapped();
        long pid = fork();
        if (!pid)
                exit_group(0);
        return wait4(pid, &status, 0, NULL) == pid && !status;
}

static bool ends(void)
{
        return mapped();
}

static bool shares(void)
{
        long at = mmap(0, bytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS);
        return at > 0 || at < -4095;
}

/* Each page is mapped this many times. */
static bool cuts(void)
{
        size_t part = bytes / mappings & ~(size_t)(PAGE_SIZE - 1);
        int file = (int)open("/tmp/large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        system_call(NUMBER_ftruncate, file, part);
        for (unsigned i = 0; i < mappings; i++) {
                uintptr_t at = (uintptr_t)mmap_file(part, PROT_READ, MAP_SHARED, file);
                for (size_t page = 0; page < part; page += PAGE_SIZE)
                        (void)*(volatile uint8_t *)(at + page);
        }
        return !unlink("/tmp/large") && !system_call(NUMBER_ftruncate, file, 1);
}

int large_file(long *error)
{
        size_t size = bytes + bytes / 2;
        int file = (int)open("/tmp/removed", O_CREAT | O_RDWR | O_TRUNC, 0600);
        *error = WIDE ? system_call(NUMBER_fallocate, file, 0, 0, size)
                      : system_call(NUMBER_fallocate, file, 0, 0, 0, size, 0);
        return file;
}

static bool removes(void)
{
        long error; /* there may be less room */
        int file = large_file(&error);
        unlink("/tmp/removed"); /* another may have done that */
        return !close(file);
}

/* Its last user is a mapping, which ends with the program. */
bool removes_mapped(void)
{
        long error;
        mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, large_file(&error));
        unlink("/tmp/removed");
        return true;
}

/* Addresses behind a file's end: no touch may leave a page table. */
static bool touches_nothing(void)
{
        int ends[2], file = (int)open("/tmp/nothing", O_CREAT | O_RDWR | O_TRUNC, 0600);
        const size_t step = (size_t)2 << 20;
        size_t size = WIDE ? 8192 * step : 256 * step;
        long at;
        while ((at = mmap_file(size, PROT_READ, MAP_PRIVATE, file)) == -ENOMEM)
                size /= 2;
        pipe(ends);
        for (size_t i = 0; i < size; i += step)
                write(ends[1], (const char *)at + i, 1);
        return !unlink("/tmp/nothing") && !munmap((uintptr_t)at, size);
}

static void poll_for_ever(int fd)
{
        static struct pollfd asked[POLLED];
        for (size_t i = 0; i < POLLED; i++)
                asked[i] = (struct pollfd){(int)system_call(NUMBER_dup, fd), POLLIN, 0};
        for (;;)
                system_call(NUMBER_ppoll, asked, POLLED, NULL, NULL, 8);
}

/* Each byte wakes all who ask a thousand times for the same pipe. */
static bool polls(void)
{
        int ends[2];
        long pids[POLLERS];
        char byte = 0;
        pipe(ends);
        for (size_t i = 0; i < POLLERS; i++)
                if (!(pids[i] = fork()))
                        poll_for_ever(ends[0]);
        nanosleep(&(struct timespec){0, 900 * SLEEP}, NULL);
        for (size_t i = 0; i < POLLERS; i++) {
                write(ends[1], &byte, 1);
                nanosleep(&span, NULL);
                read(ends[0], &byte, 1);
        }
        for (size_t i = 0; i < POLLERS; i++)
                kill(pids[i], SIGKILL);
        for (size_t i = 0; i < POLLERS; i++)
                wait4(pids[i], NULL, 0, NULL);
        return true;
}

/* Each question is about watches that were woken, and have no event any more. */
static bool asks_epolls(void)
{
        static struct pollfd asked[POLLED];
        struct timespec now = {0, 0};
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 0};
        uint64_t one = 1;
        int epoll = (int)system_call(NUMBER_epoll_create1, 0);
        int counter = (int)system_call(NUMBER_eventfd2, 0, 0);
        for (int fd = 0; fd < 900 && (fd = (int)system_call(NUMBER_dup, counter)) > 0;)
                system_call(NUMBER_epoll_ctl, epoll, 1, fd, &event);
        write(counter, &one, sizeof one);
        read(counter, &one, sizeof one);
        for (size_t i = 0; i < POLLED; i++)
                asked[i] = (struct pollfd){epoll, POLLIN, 0};
        return !system_call(NUMBER_ppoll, asked, POLLED, &now, NULL, 8);
}

/* Each device reads and writes as much as possible: all of it, or another 128 KiB of records. */
static bool devices(void)
{
        size_t size = bytes / 1024;
        char *text = (char *)mmap(0, size, PROT_READ | PROT_WRITE, PRIVATE), names[1024];
        int folder = (int)open("/dev", O_RDONLY | O_DIRECTORY, 0);
        chdir("/dev");
        for (size_t i = 0; i < size; i++)
                text[i] = i % 80 ? 'a' + (char)(i % 26) : '\n';
        text[400] = '\0';
        for (int i = 0; i < 320; i++)
                print_skip("large", "again", text);
        for (long got; (got = getdents64(folder, names, sizeof names)) > 0;) {
                for (long at = 0; at < got;) {
                        const struct dirent64 *entry = (const void *)(names + at);
                        at += entry->length;
                        int fd = (int)open(entry->name, O_RDWR | O_NONBLOCK, 0);
                        if (!counted || strcmp(entry->name, "records")) {
                                read(fd, text, size);
                                write(fd, text, size);
                        }
                        close(fd);
                }
        }
        return true;
}

/* The most watches of one file, all with events: each epoll removes its own. */
static bool watches(void)
{
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 0};
        int counter = (int)system_call(NUMBER_eventfd2, 1, 0), epolls[5], made = 0;
        for (size_t e = 0; e < 5; e++)
                epolls[e] = (int)system_call(NUMBER_epoll_create1, 0);
        for (int fd = 0; fd < 900 && (fd = (int)system_call(NUMBER_dup, counter)) > 0;)
                for (size_t e = 0; e < 5; e++)
                        made += !system_call(NUMBER_epoll_ctl, epolls[e], 1, fd, &event);
        for (size_t e = 0; e < 5; e++)
                close(epolls[e]);
        return counted || made == 2048; /* another may have some */
}

/* Removed files whose last user is a mapping, of one page table each. */
static bool removes_many(void)
{
        long error;
        size_t all = bytes;
        for (bytes = (size_t)4 << 18; all > bytes; all -= 2 * bytes)
                close(large_file(&error)), removes_mapped();
        return true;
}

/* Each character of 128 that are typed wakes all that watch its echo. */
static bool types(void)
{
        static char text[128];
        struct {
                uint32_t events;
                uint64_t data;
        } __attribute__((packed)) event = {POLLIN, 0};
        int master = (int)open("/dev/ptmx", O_RDWR, 0);
        int epoll = (int)system_call(NUMBER_epoll_create1, 0);
        for (int fd = 0; fd < 900 && (fd = (int)system_call(NUMBER_dup, master)) > 0;)
                system_call(NUMBER_epoll_ctl, epoll, 1, fd, &event);
        memset(text, 'a', sizeof text);
        return write(master, text, sizeof text) == sizeof text;
}

static bool has_name(int socket, unsigned number)
{
        struct {
                uint16_t family;
                char path[7];
        } name = {.family = AF_UNIX};
        snprintf(name.path + 1, sizeof name.path - 1, "%05x", number);
        return !system_call(NUMBER_bind, socket, &name, number ? 8 : 2);
}

/* The kernel chooses a name where the next 900 are taken. */
static bool binds(void)
{
        for (unsigned i = 1; i <= 900; i++)
                has_name((int)system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM, 0), i);
        has_name((int)system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM, 0), 0);
        return true; /* another may have all descriptors */
}

/* A name of the directory of this number that is in the same chain as all the others. */
static unsigned alike(char name[16], uint32_t directory, unsigned from)
{
        for (uint32_t hash = 1; hash % 1024; from++) {
                snprintf(name, 16, "/tmp/%x", from);
                hash = 2166136261u ^ directory;
                for (const char *c = name + 5; *c; c++)
                        hash = (hash ^ (uint8_t)*c) * 16777619u;
        }
        return from;
}

static bool names_alike(void)
{
        struct stat there;
        char name[16], other[16];
        unsigned made = 0, next = 0;
        stat("/tmp", &there);
        for (; made < 6000; made++) {
                next = alike(name, (uint32_t)there.inode, next);
                if (close((int)open(name, O_CREAT | O_RDONLY, 0600)))
                        break;
        }
        const bool few = made <= 32;
        alike(other, (uint32_t)there.inode, next);
        for (unsigned i = 0; i < 10; i++)
                system_call(NUMBER_rename, i % 2 ? other : name, i % 2 ? name : other);
        for (next = 0; made--; unlink(name))
                next = alike(name, (uint32_t)there.inode, next);
        return few;
}

/* Each eight zeros are a write, which wakes. */
static bool sends_zeros(void)
{
        int file = (int)open("/tmp/zeros", O_CREAT | O_RDWR, 0600);
        system_call(NUMBER_ftruncate, file, 65536);
        return system_call(NUMBER_sendfile, (int)system_call(NUMBER_eventfd2, 0, 0), file, NULL,
                           65536) == 65536;
}

/* Maps a removed file in the last of so many removed folders. */
static uintptr_t map_below(unsigned folders)
{
        unsigned made = 0;
        for (chdir("/tmp"); made < folders && !mkdir("d", 0700); made++)
                chdir("d");
        int file = (int)open("f", O_CREAT | O_RDWR, 0600);
        write(file, "x", 1);
        uintptr_t at = (uintptr_t)mmap_file(PAGE_SIZE, PROT_READ, MAP_SHARED, file);
        for (unlink("f"), close(file); made--; rmdir("d"))
                chdir("..");
        return at;
}

static bool forgets_folders(void)
{
        uintptr_t at = map_below(7000); /* freed behind another chain */
        return map_below(200) == at - PAGE_SIZE && !munmap(at - PAGE_SIZE, 2 * PAGE_SIZE);
}

/* A child that stops on the way out of such a call goes on when it gets SIGCONT. */
static bool stops(void)
{
        int status = -1, ends[2];
        long done = 0;
        uintptr_t last = map_below(4000), at = mapped();
        pipe(ends);
        long pid = fork();
        if (!pid) {
                write(ends[1], "x", 1);
                exit_group(munmap(at, last + PAGE_SIZE - at) != 0);
        }
        munmap(last, PAGE_SIZE);
        read(ends[0], &status, 1);
        kill(pid, SIGSTOP);
        wait4(pid, &status, WUNTRACED, NULL);
        kill(pid, SIGCONT);
        for (unsigned i = 0; i < 3000 && !(done = wait4(pid, &status, WNOHANG, NULL)); i++)
                nanosleep(&(struct timespec){0, 20 * SLEEP}, NULL);
        kill(pid, SIGKILL);
        return done && !status && last == at + bytes;
}

/* Another program may have some of all that there are. */
static unsigned queue(int signal, unsigned count)
{
        int info[32] = {signal, 0, -1};
        unsigned queued = 0;
        while (count--)
                queued += !system_call(NUMBER_rt_sigqueueinfo, getpid(), signal, info);
        return queued;
}

static void end_too(void)
{
        nanosleep(&(struct timespec){0, 60 * SLEEP}, NULL);
        exit_group(0);
}

/* Of each number, to the thread that stays. */
static bool leaves_signals(void)
{
        int tid;
        signal_mask(SIG_SETMASK, ~0ull);
        queue(64, 960);
        for (int signal = 32; signal < 64; signal++)
                queue(signal, 1);
        thread_start(THREAD, thread_stack + sizeof thread_stack, &tid, end_too);
        return system_call(NUMBER_exit, 0);
}

static unsigned handled;

static void count_it(int signal)
{
        handled++;
}

/* A frame for each, on the way out of one call. */
static bool handles_all(void)
{
        signal_mask(SIG_SETMASK, ~0ull);
        for (int signal = 63; signal < 65; signal++)
                signal_act(signal, count_it, SA_NODEFER, 0);
        unsigned queued = queue(64, 500) + queue(63, 500);
        signal_mask(SIG_SETMASK, 0);
        return handled == queued;
}

const struct way ways[] = {{"munmap", unmaps, false},
                           {"munmap beside a thread", unmaps, true},
                           {"MAP_FIXED", maps_over, false},
                           {"brk", shrinks, false},
                           {"MADV_DONTNEED", forgets, false},
                           {"mprotect", protects, false},
                           {"mremap", moves, false},
                           {"fork", forks, false},
                           {"execve", executes, false},
                           {"the end", ends, false},
                           {"MAP_SHARED", shares, false},
                           {"ftruncate", cuts, false},
                           {"/dev", devices, false},
                           {"epoll", watches, false},
                           {"mlock", locks, false},
                           {"fallocate", allocates, false},
                           {"mremap beside a thread", moves, true},
                           {"mremap of nothing", moves_nothing, true},
                           {"fork beside a thread", forks, true},
                           {"unlink", removes, false},
                           {"poll", polls, false},
                           {"poll of an epoll", asks_epolls, false},
                           {"touches of nothing", touches_nothing, false},
                           {"unlink of a mapped file", removes_mapped, false},
                           {"unlink of mapped files", removes_many, false},
                           {"a terminal", types, false},
                           {"bind", binds, false},
                           {"names of one hash", names_alike, false},
                           {"execve that fails", executes_nothing, false},
                           {"execve beside locks", executes_beside_locks, false},
                           {"locks in a row", waits_for_locks, false},
                           {"sendfile to an eventfd", sends_zeros, false},
                           {"execve of mapped files", executes_mapped, false},
                           {"execve in a thread", executes_in_thread, false},
                           {"removed folders", forgets_folders, false},
                           {"a stop", stops, false},
                           {"signals left", leaves_signals, false},
                           {"signals handled", handles_all, false}};

const unsigned way_count = sizeof ways / sizeof *ways;
