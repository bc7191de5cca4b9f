/* disks.c - a bench's disk (tools/disk.sh) as programs see it: /dev/hda, and the ext2 file system
 * at /disk. On Linux `at=` names the folder from which the files were made, and checks of the disk
 * itself are left out. `samples=N`: how often everything is opened and closed. */
#include "child.h"
#include "linux.h"
#include "result.h"

#define DEVICE "/dev/hda"
#define SIZE 1048576 /* size of the disk */
#define LINES 38400  /* lines of 8 bytes, in `numbers` */
#define FAR 5000000000ull
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static const char *at = "/disk";
static char text[8192], again[8192];

static const char *path_of(const char *name)
{
        static char path[256];
        snprintf(path, sizeof path, "%s/%s", at, name);
        return path;
}

static long open_at(const char *name, int flags)
{
        return open(path_of(name), flags | O_LARGEFILE, 0600);
}

static long read_at(long fd, void *to, size_t size, uint64_t place)
{
        return SYS(pread64, fd, to, size, (long)place, (long)(place >> 32));
}

static void try_text(void)
{
        struct stat about;
        long fd = open_at("LICENSE", O_RDONLY), size = read((int)fd, text, sizeof text);
        expect("stat", stat(path_of("LICENSE"), &about), 0);
        check(about.mode == (S_IFREG | 0644) && about.size == size && about.links == 1, "stat",
              "a file of %lld bytes", (long long)about.size);
        check(!memcmp(text, "MIT License", 11), "read", "what is there");
        expect("at the end", read((int)fd, again, 10), 0);
        SYS(lseek, fd, 0, SEEK_SET);
        long done = 0, part;
        while ((part = read((int)fd, again + done, 7)) > 0)
                done += part;
        check(done == size && !memcmp(text, again, (size_t)size), "seven at a time", "the same");
        expect("lseek", SYS(lseek, fd, 4, SEEK_SET), 4);
        expect("from there", read((int)fd, again, 7), 7);
        check(!memcmp(again, "License", 7), "from there", "what is there");
        expect("lseek: from the end", SYS(lseek, fd, -3, SEEK_END), size - 3);
        expect("the last three", read((int)fd, again, 10), 3);
        expect("lseek: far", SYS(lseek, fd, 100000, SEEK_SET), 100000);
        expect("far behind the end", read((int)fd, again, 3), 0);
        expect("lseek: before the start", SYS(lseek, fd, -1, SEEK_SET), -EINVAL);
        SYS(lseek, fd, 0, SEEK_SET);
        expect("nothing", read((int)fd, again, 0), 0);
        expect("to nowhere", read((int)fd, (void *)8, 4), -EFAULT);
        struct pollfd one = {(int)fd, POLLIN, 0};
        expect("poll", SYS(poll, &one, 1, 0), 1);
        int ends[2];
        pipe(ends);
        expect("sendfile", SYS(sendfile, ends[1], fd, 0, 100000), size);
        expect("sendfile: sent", read(ends[0], again, sizeof again), size);
        check(!memcmp(text, again, (size_t)size), "sendfile", "the same text");
        close(ends[0]);
        close(ends[1]);
        close((int)fd);
        fd = open_at("empty", O_RDONLY);
        expect("an empty one", read((int)fd, again, 10), 0);
        close((int)fd);
}

/* Reads through all tables of blocks; a missing block is zeros. */
static void try_blocks(void)
{
        static const uint64_t places[] = {0, 20000, 400000, 80000000, FAR};
        long fd = open_at("numbers", O_RDONLY), wrong = 0;
        for (long line = 0, size; line < LINES; line += size / 8) {
                size = read((int)fd, text, sizeof text);
                for (long i = 0; i < size / 8; i++) {
                        snprintf(again, 9, "%07ld\n", line + i);
                        wrong += memcmp(again, text + 8 * i, 8) != 0;
                }
                if (size <= 0)
                        break;
        }
        expect("numbers: wrong lines", wrong, 0);
        expect("numbers: at the end", read((int)fd, text, 8), 0);
        close((int)fd);
        fd = open_at("holes", O_RDONLY);
        for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
                snprintf(again, 17, "%016llu", (unsigned long long)places[i]);
                expect("holes", read_at(fd, text, 16, places[i]), 16);
                check(!memcmp(text, again, 16), "holes", "what is at %s", again);
                expect("before it", read_at(fd, text, 3000, places[i] + 16) > 0, places[i] != FAR);
                check(places[i] == FAR || !text[0], "before it", "zeros");
        }
        struct stat about;
        expect("holes: stat", stat(path_of("holes"), &about), 0);
        check(about.size == FAR + 16, "holes: stat", "%lld bytes", (long long)about.size);
        int64_t end = 0;
        if (sizeof(long) == 4)
                expect("holes: _llseek", system_call(140, fd, 0, 0, &end, SEEK_END), 0);
        else
                end = SYS(lseek, fd, 0, SEEK_END);
        check(end == FAR + 16, "holes: seek", "%lld", (long long)end);
        close((int)fd);
        if (sizeof(long) == 4)
                expect("holes: not without O_LARGEFILE", open(path_of("holes"), O_RDONLY, 0),
                       -EOVERFLOW);
}

static void try_links(void)
{
        struct stat about;
        expect("readlink", readlink(path_of("link"), text, sizeof text), 7);
        check(!memcmp(text, "LICENSE", 7), "readlink", "a short one");
        long size = readlink(path_of("far"), text, sizeof text);
        check(size == 82 && !memcmp(text + 66, "names/../LICENSE", 16), "readlink", "a long one");
        expect("readlink: cut", readlink(path_of("far"), text, 5), 5);
        expect("lstat", lstat(path_of("far"), &about), 0);
        check((about.mode & S_IFMT) == S_IFLNK && about.size == 82, "lstat", "a link");
        long a = open_at("link", O_RDONLY), b = open_at("far", O_RDONLY);
        expect("through a short one", read((int)a, text, 11), 11);
        expect("through a long one", read((int)b, again, 11), 11);
        check(!memcmp(text, again, 11), "links", "to the same");
        close((int)a);
        close((int)b);
        expect("to nowhere", open_at("lost", O_RDONLY), -ENOENT);
        expect("itself", open_at("link", O_RDONLY | O_NOFOLLOW), -ELOOP);
        expect("to a directory", stat(path_of("to-names/../names/a-name-of-some-length-0"), &about),
               0);
        expect("readlink of a file", readlink(path_of("LICENSE"), text, 10), -EINVAL);
}

/* The number of names in a directory, read `room` bytes at a time. */
static long count_names(const char *name, size_t room)
{
        long fd = open_at(name, O_RDONLY | O_DIRECTORY), size, count = 0;
        while ((size = getdents64((int)fd, text, room)) > 0)
                for (long i = 0; i < size; count++)
                        i += ((struct dirent64 *)(text + i))->length;
        close((int)fd);
        return size < 0 ? size : count;
}

static void try_names(void)
{
        struct stat about;
        expect("names", count_names("names", sizeof text), 62);
        expect("names: a few at a time", count_names("names", 64), 62);
        expect("names: no room", count_names("names", 20), -EINVAL);
        expect("a name", stat(path_of("names/a-name-of-some-length-59"), &about), 0);
        expect("no name", stat(path_of("names/a-name-of-some-length-60"), &about), -ENOENT);
        expect("below a file", stat(path_of("LICENSE/a"), &about), -ENOTDIR);
        expect("a slash behind a file", stat(path_of("LICENSE/"), &about), -ENOTDIR);
        expect("up again", stat(path_of("names/../LICENSE"), &about), 0);
        expect("chdir", chdir(path_of("names")), 0);
        expect("getcwd", getcwd(text, sizeof text) > 0, 1);
        check(strlen(text) > 6 && !strcmp(text + strlen(text) - 6, "/names"), "getcwd", "%s", text);
        expect("from there", stat("../LICENSE", &about), 0);
        chdir("/");
        long fd = open_at("names", O_RDONLY);
        expect("read a directory", read((int)fd, text, 10), -EISDIR);
        expect("fsync", SYS(fsync, fd), 0);
        close((int)fd);
        expect("a directory to be written", open_at("names", O_RDWR), -EISDIR);
}

/* Writes must be refused, and have no effect. */
static void try_wrong_use(void)
{
        expect("open to write", open_at("LICENSE", O_WRONLY), -EROFS);
        expect("open to cut", open_at("LICENSE", O_RDONLY | O_TRUNC), -EROFS);
        expect("create", open_at("new", O_CREAT | O_RDWR), -EROFS);
        expect("create what is there", open_at("LICENSE", O_CREAT | O_EXCL), -EEXIST);
        long fd = open_at("LICENSE", O_CREAT | O_RDONLY);
        expect("create, but only to read what is there", fd >= 0, 1);
        expect("write", write((int)fd, "x", 1), -EBADF);
        expect("ftruncate", SYS(ftruncate, fd, 0), -EINVAL);
        expect("ioctl", ioctl((int)fd, TCGETS, text), -ENOTTY);
        expect("getdents64 of a file", getdents64((int)fd, text, 100), -ENOTDIR);
        expect("fchmod", SYS(fchmod, fd, 0777), -EROFS);
        close((int)fd);
        expect("truncate", SYS(truncate, path_of("LICENSE"), 0), -EROFS);
        expect("chmod", SYS(chmod, path_of("LICENSE"), 0777), -EROFS);
        expect("mkdir", mkdir(path_of("new"), 0700), -EROFS);
        expect("mkdir of what is there", mkdir(path_of("names"), 0700), -EEXIST);
        expect("symlink", symlink("a", path_of("new")), -EROFS);
        expect("unlink", unlink(path_of("LICENSE")), -EROFS);
        expect("unlink of what is not there", unlink(path_of("new")), -EROFS);
        expect("rmdir", rmdir(path_of("names")), -EROFS);
        char from[64];
        snprintf(from, sizeof from, "%s", path_of("LICENSE"));
        expect("rename", rename(from, path_of("new")), -EROFS);
        expect("rename out of it", rename(from, "/tmp/new"), -EXDEV);
        expect("access", SYS(access, from, R_OK), 0);
        expect("access to write", SYS(access, from, W_OK), -EROFS);
        expect("access to run", SYS(access, from, X_OK), -EACCES);
}

static void try_program(void)
{
        char *const arguments[] = {(char *)path_of("bin/true"), NULL}, *const none[] = {NULL};
        int status = -1;
        long pid = fork();
        if (!pid)
                exit_group((int)-execve(arguments[0], arguments, none));
        wait4(pid, &status, 0, NULL);
        expect("a program of it", status, 0);
        expect("no program", execve(path_of("LICENSE"), arguments, none), -EACCES);
}

static void try_device(void)
{
        struct stat about;
        long fd = open(DEVICE, O_RDONLY, 0);
        expect("the disk", fd >= 0, 1);
        expect("the disk: stat", SYS(stat, DEVICE, 0), -EFAULT);
        expect("the disk: lstat", lstat(DEVICE, &about), 0);
        check((about.mode & S_IFMT) == S_IFBLK && about.special == 0x300 && !about.size,
              "the disk: lstat", "a block device");
        expect("the disk: its end", SYS(lseek, fd, 0, SEEK_END), SIZE);
        expect("the disk: read there", read((int)fd, text, 10), 0);
        expect("the disk: behind it", SYS(lseek, fd, 1, SEEK_CUR), -EINVAL);
        expect("the disk: where it is", SYS(lseek, fd, 0, SEEK_CUR), SIZE);
        expect("the disk: before it", SYS(lseek, fd, -10, SEEK_END), SIZE - 10);
        expect("the disk: its last bytes", read((int)fd, text, 100), 10);
        expect("the disk: pread64 behind it", read_at(fd, text, 10, SIZE + 10), 0);
        expect("the disk: pread64", read_at(fd, text, 8000, 1000), 8000);
        check(text[80] == 0x53 && (uint8_t)text[81] == 0xef, "the disk", "ext2's magic");
        expect("the disk: the same", read_at(fd, again, 5000, 1000), 5000);
        check(!memcmp(text, again, 5000), "the disk: the same", "the same");
        expect("the disk: nothing", read((int)fd, text, 0), 0);
        expect("the disk: to nowhere", read_at(fd, (void *)8, 4, 0), -EFAULT);
        expect("the disk: write", write((int)fd, "x", 1), -EBADF);
        expect("the disk: fsync", SYS(fsync, fd), 0);
        uint64_t size = 0;
        int answer = 0;
        expect("the disk: BLKGETSIZE64", ioctl((int)fd, BLKGETSIZE64, &size), 0);
        check(size == SIZE, "the disk: BLKGETSIZE64", "%llu", (unsigned long long)size);
        expect("the disk: BLKROGET", ioctl((int)fd, BLKROGET, &answer), 0);
        expect("the disk: is read only", answer, 1);
        expect("the disk: BLKSSZGET", ioctl((int)fd, BLKSSZGET, &answer), 0);
        expect("the disk: its sectors", answer, 512);
        expect("the disk: ioctl", ioctl((int)fd, TCGETS, text), -ENOTTY);
        close((int)fd);
        expect("the disk: to be written", open(DEVICE, O_WRONLY, 0), -EROFS);
        expect("the disk: to be both", open(DEVICE, O_RDWR, 0), -EROFS);
        expect("another disk", open("/dev/hdd", O_RDONLY, 0), -ENXIO);
}

/* Several processes at once, each at its own offset: more blocks than the cache holds. */
static void try_together(void)
{
        for (int child = 0; child < 4; child++)
                if (!fork()) {
                        long fd = open_at("numbers", O_RDONLY), wrong = 0;
                        for (unsigned i = 0; i < 30; i++) {
                                unsigned line = (i * 7919 + (unsigned)child * 9600) % LINES;
                                char mine[9], read_one[9];
                                snprintf(mine, sizeof mine, "%07u\n", line);
                                wrong += read_at(fd, read_one, 8, 8 * line) != 8 ||
                                         memcmp(mine, read_one, 8);
                        }
                        exit_group(wrong != 0);
                }
        for (int child = 0, status; child < 4; child++) {
                wait4(-1, &status, 0, NULL);
                expect("four at a time", status, 0);
        }
}

/* Fills the cache: older blocks are evicted. */
static void fill_cache(void)
{
        long fd = open_at("numbers", O_RDONLY);
        while (read((int)fd, text, sizeof text) > 0)
                ;
        close((int)fd);
}

static void run_of_disk(void)
{
        char *const arguments[] = {(char *)path_of("bin/true"), NULL}, *const none[] = {NULL};
        execve(arguments[0], arguments, none);
        exit_group(1);
}

/* A thread waits for the disk in execve() while another's execve() succeeds: its program is
 * gone. */
static void try_two_programs(const char *self)
{
        static uint8_t stack[4096] __attribute__((aligned(16)));
        char *const arguments[] = {(char *)self, "ends=7", NULL}, *const none[] = {NULL};
        int status = -1;
        fill_cache();
        if (!fork()) {
                thread_start(THREAD, stack + sizeof stack, NULL, run_of_disk);
                system_call(NUMBER_sched_yield);
                exit_group((int)-execve(self, arguments, none));
        }
        wait4(-1, &status, 0, NULL);
        expect("two execve() at a time: the second's program ends", status, 7 << 8);
}

static volatile bool is_filled;

static void map_here(void)
{
        for (;;)
                if (!is_filled)
                        system_call(NUMBER_sched_yield);
                else
                        munmap((uintptr_t)mmap(0, PAGE_SIZE, PROT_READ,
                                               MAP_PRIVATE | MAP_ANONYMOUS),
                               PAGE_SIZE);
}

/* A thread changes the memory while another's change waits for the disk. */
static void try_two_changes(void)
{
        static uint8_t stack[4096] __attribute__((aligned(16)));
        int status = -1;
        if (!fork()) {
                int fd = (int)open_at("numbers", O_RDONLY);
                thread_start(THREAD, stack + sizeof stack, NULL, map_here);
                for (unsigned i = 0; i < 3; i++) {
                        is_filled = false;
                        fill_cache();
                        is_filled = true;
                        munmap((uintptr_t)mmap_file(LINES * 8, PROT_READ, MAP_PRIVATE, fd),
                               LINES * 8);
                }
                exit_group(3);
        }
        wait4(-1, &status, 0, NULL);
        expect("mapped by one thread, and memory by another", status, 3 << 8);
}

static void try_often(unsigned rounds)
{
        static const char *const names[] = {"LICENSE", "names", "far", "holes"};
        long fd = 0;
        for (unsigned i = 0; i < rounds && fd >= 0; i++) {
                fd = open_at(names[i % 4], O_RDONLY);
                close((int)fd);
        }
        check(fd >= 0, "opened often", "%u times", rounds);
}

/* Look-ups and reads free all kernel memory. */
static void try_memory(unsigned rounds)
{
        try_often(4);
        struct toll_counts before = counts_now();
        for (unsigned i = 0; i < rounds / 20; i++) {
                count_names("names", 256);
                readlink(path_of("far"), text, sizeof text);
                open_at("names/nothing", O_RDONLY);
        }
        try_often(rounds);
        struct toll_counts after = counts_now();
        check(before.frames == after.frames && before.objects == after.objects, "memory",
              "%ld frames and %ld objects more", (long)(before.frames - after.frames),
              (long)(after.objects - before.objects));
}

/* A mapped page equals a read: both halves, and a private copy until it is dropped. */
static void try_mapped(void)
{
        enum { SIZE_NUMBERS = LINES * 8 };
        long fd = open_at("numbers", O_RDONLY);
        char *all = (char *)mmap_file(SIZE_NUMBERS, PROT_READ | PROT_WRITE, MAP_PRIVATE, (int)fd);
        char *shared = (char *)mmap_file(SIZE_NUMBERS, PROT_READ, MAP_SHARED, (int)fd);
        expect("mapped to write through",
               mmap_file(PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd), -EACCES);
        bool same = true;
        for (long part, done = 0; (part = read((int)fd, text, sizeof text)) > 0; done += part)
                same &= !memcmp(all + done, text, (size_t)part) &&
                        !memcmp(shared + done, text, (size_t)part);
        check(same, "mapped", "what is read");
        all[PAGE_SIZE] = '#';
        check(shared[PAGE_SIZE] != '#', "mapped", "what is written is the writer's");
        expect("mapped: forgotten", madvise((uintptr_t)all, 2 * PAGE_SIZE, MADV_DONTNEED), 0);
        check(all[PAGE_SIZE] == shared[PAGE_SIZE] && all[0] == shared[0], "mapped",
              "again as it is");
        munmap((uintptr_t)all, SIZE_NUMBERS);
        munmap((uintptr_t)shared, SIZE_NUMBERS);
        close((int)fd);
}

int main(int argc, char **argv)
{
        struct toll_counts counts;
        bool ours = !toll_call(NUMBER_toll_row, TOLL_COUNTS, &counts);
        if (option(argv, "ends")) {
                sleep_ms(50); /* lets the other process run */
                return (int)option_number(argv, "ends", 0);
        }
        if (option(argv, "at"))
                at = option(argv, "at");
        if (ours && open(DEVICE, O_RDONLY, 0) == -ENXIO) {
                print_skip("disks", "disks", "no disk");
                return 0;
        }
        try_text();
        try_blocks();
        try_mapped();
        try_links();
        try_names();
        try_program();
        try_together();
        if (ours) {
                try_two_programs(argv[0]);
                try_two_changes();
                try_wrong_use();
                try_device();
        }
        unsigned rounds = (unsigned)option_number(argv, "samples", 200);
        if (ours)
                try_memory(rounds);
        else
                try_often(rounds);
        return check_status();
}
