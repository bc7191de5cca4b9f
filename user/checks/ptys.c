/* ptys.c - pseudo-terminals, with Linux's results: the same program passes there. Checks data in
 * both directions, reports of a closed side, ^C, sizes, poll and wrong use. `samples=N`: how often
 * a pair is opened and closed. */
#include "child.h"
#include "linux.h"
#include "signals.h"

struct pair {
        int master, slave;
};

static char text[8192];
static bool ours; /* the kernel is Tollgate */
static uint8_t stack[8192] __attribute__((aligned(16)));

/* Linux moves bytes between the sides, and their echo, in kernel threads: a read before they have
 * run gets only a part. */
static void let_pass(void)
{
        if (!ours)
                sleep_ms(20);
}

/* The next read must return the wanted text. */
static void reads(const char *name, int fd, const char *wanted)
{
        let_pass();
        long size = read(fd, text, sizeof text - 1);
        text[size < 0 ? 0 : size] = 0;
        check(size == (long)strlen(wanted) && !strcmp(text, wanted), name, "%ld bytes", size);
}

static void types(const struct pair *pair, const char *line)
{
        write(pair->master, line, strlen(line));
        let_pass();
}

static long open_slave(int master, int flags)
{
        char path[32];
        int number = -1;
        ioctl(master, TIOCGPTN, &number);
        snprintf(path, sizeof path, "/dev/pts/%d", number);
        return open(path, flags, 0);
}

/* Opens both sides, non-blocking; the slave belongs to no session. */
static struct pair open_pair(void)
{
        int no = 0;
        struct pair pair = {(int)open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK, 0), -1};
        ioctl(pair.master, TIOCSPTLCK, &no);
        pair.slave = (int)open_slave(pair.master, O_RDWR | O_NOCTTY | O_NONBLOCK);
        return pair;
}

static void close_pair(const struct pair *pair)
{
        close(pair->slave);
        close(pair->master);
}

static unsigned polled(int fd)
{
        struct pollfd one = {fd, 0x3ff, 0};
        SYS(poll, &one, 1, 0);
        return one.answer;
}

static void try_names(void)
{
        struct stat about;
        struct termios termios;
        int locked = 1, no = 0, number = -1;
        int master = (int)open("/dev/ptmx", O_RDWR | O_NOCTTY, 0);
        check(master >= 0, "ptmx", "%d", master);
        expect("TIOCGPTN", ioctl(master, TIOCGPTN, &number), 0);
        expect("locked", open_slave(master, O_RDWR | O_NOCTTY), -EIO);
        expect("TIOCGPTLCK", ioctl(master, TIOCGPTLCK, &locked), 0);
        expect("locked: so it says", locked, 1);
        expect("TIOCSPTLCK", ioctl(master, TIOCSPTLCK, &no), 0);
        int slave = (int)open_slave(master, O_RDWR | O_NOCTTY);
        check(slave >= 0, "slave", "%d", slave);
        fstat(slave, &about);
        check((about.mode & S_IFMT) == S_IFCHR, "slave", "a device");
        expect("TCGETS", ioctl(slave, TCGETS, &termios), 0);
        expect("TCGETS of the master", ioctl(master, TCGETS, &termios), 0);
        expect("TIOCGPTN of the slave", ioctl(slave, TIOCGPTN, &number), -ENOTTY);
        expect("TIOCGPTN to nowhere", ioctl(master, TIOCGPTN, (void *)8), -EFAULT);
        expect("TIOCSPTLCK from nowhere", ioctl(master, TIOCSPTLCK, (void *)8), -EFAULT);
        expect("TIOCSWINSZ from nowhere", ioctl(slave, TIOCSWINSZ, (void *)8), -EFAULT);
        expect("no such request", ioctl(master, 0x5499, NULL), -ENOTTY);
        expect("lseek", SYS(lseek, slave, 0, SEEK_SET), -ESPIPE);
        expect("pread64 of the master", SYS(pread64, master, text, 1, 0, 0), -ESPIPE);
        expect("read to nowhere", read(slave, (void *)8, 0), 0);
        expect("write from nowhere", write(slave, (void *)8, 4), -EFAULT);
        expect("write to the master from nowhere", write(master, (void *)8, 4), -EFAULT);
        close(slave);
        close(master);
        expect("no such slave", open("/dev/pts/999", O_RDWR, 0), -ENOENT);
        expect("no such name", open("/dev/pts/00", O_RDWR, 0), -ENOENT);
        expect("no name can be made", open("/dev/pts/x", O_CREAT | O_RDWR, 0600), -EACCES);
}

static void try_lines(void)
{
        struct pair pair = open_pair();
        expect("nothing to read", read(pair.slave, text, 10), -EAGAIN);
        expect("nothing written", read(pair.master, text, 10), -EAGAIN);
        expect("write", write(pair.slave, "one\ntwo", 7), 7);
        reads("what it wrote", pair.master, "one\r\ntwo");
        types(&pair, "hel");
        expect("half a line", read(pair.slave, text, 10), -EAGAIN);
        types(&pair, "p\177lo\n");
        reads("a line", pair.slave, "hello\n");
        reads("the echo", pair.master, "help\b \blo\r\n");
        types(&pair, "a\025end\004\004");
        reads("without its end", pair.slave, "end");
        reads("the end", pair.slave, "");
        read(pair.master, text, sizeof text);
        types(&pair, "line\r");
        expect("nothing wanted", read(pair.slave, text, 0), 0);
        expect("a part", read(pair.slave, text, 2), 2);
        reads("the rest", pair.slave, "ne\n");
        types(&pair, "abc\004def\r");
        expect("all before an end", read(pair.slave, text, 3), 3);
        reads("behind the end", pair.slave, "def\n");
        struct termios termios;
        ioctl(pair.slave, TCGETS, &termios);
        termios.local &= ~(uint32_t)(ISIG | ICANON | ECHO);
        termios.output = 0;
        expect("TCSETSF", ioctl(pair.slave, TCSETSF, &termios), 0);
        read(pair.master, text, sizeof text);
        types(&pair, "x\003");
        reads("bytes as they come", pair.slave, "x\003");
        write(pair.slave, "\n", 1);
        reads("as it is", pair.master, "\n");
        types(&pair, "before");
        termios.local |= ICANON;
        ioctl(pair.slave, TCSETS, &termios);
        reads("what came before lines", pair.slave, "before");
        termios.local &= ~(uint32_t)ICANON;
        ioctl(pair.slave, TCSETS, &termios);
        while (ours && write(pair.master, text, 16) > 0)
                ;
        long pid = fork();
        if (!pid) { /* the child forgets what was typed, and so makes room */
                for (int i = 0; i < 2; i++) {
                        sleep_ms(20);
                        ioctl(i ? pair.master : pair.slave, TCSETSF, &termios);
                }
                exit_group(0);
        }
        struct pollfd room = {pair.master, POLLOUT, 0};
        for (int i = 0; i < 2; i++) {
                int64_t began = monotonic_now();
                expect("poll: room", SYS(poll, &room, 1, 5000), 1);
                check(monotonic_now() - began < 1000000000, "poll: room", "soon");
                while (ours && write(pair.master, text, 16) > 0)
                        ;
        }
        wait4(pid, NULL, 0, NULL);
        close_pair(&pair);
}

static void try_waiting(void)
{
        struct pair pair = open_pair();
        uint64_t set = 0;
        expect("poll: slave", polled(pair.slave), POLLOUT | POLLWRNORM);
        expect("poll: master", polled(pair.master), POLLOUT | POLLWRNORM);
        types(&pair, "typed\n");
        expect("poll: a line", polled(pair.slave) & POLLIN, POLLIN);
        expect("poll: its echo", polled(pair.master) & POLLIN, POLLIN);
        uint64_t sets[16] = {1ull << pair.slave};
        struct timespec none = {0, 0};
        expect("select", SYS(select, pair.slave + 1, sets, NULL, NULL, &none), 1);
        set = sets[0];
        check(set == 1ull << pair.slave, "select", "%llx", (unsigned long long)set);
        long pid = fork();
        if (!pid) { /* the child types while the other waits */
                sleep_ms(20);
                types(&pair, "later\n");
                exit_group(0);
        }
        read(pair.slave, text, sizeof text);
        struct pollfd one = {pair.slave, POLLIN, 0};
        expect("poll: woken", SYS(poll, &one, 1, -1), 1);
        reads("what was typed", pair.slave, "later\n");
        wait4(pid, NULL, 0, NULL);
        long sent = 0, part;
        while ((part = write(pair.slave, "0123456789abcdef", 16)) > 0)
                sent += part;
        expect("full", part, -EAGAIN);
        if (ours) /* another kernel's threads may have made room */
                expect("poll: full", polled(pair.slave) & POLLOUT, 0);
        while ((part = read(pair.master, text, sizeof text)) > 0)
                sent -= part;
        check(sent <= 0, "full", "%ld bytes more than were written", -sent);
        close_pair(&pair);
}

static void try_closing(void)
{
        struct pair pair = open_pair();
        write(pair.slave, "last", 4);
        close(pair.slave);
        reads("the slave has gone: what is left", pair.master, "last");
        expect("the slave has gone", read(pair.master, text, 10), -EIO);
        expect("the slave has gone: poll", polled(pair.master) & (POLLIN | POLLHUP), POLLHUP);
        pair.slave = (int)open_slave(pair.master, O_RDWR | O_NOCTTY | O_NONBLOCK);
        expect("the slave is back", read(pair.master, text, 10), -EAGAIN);
        types(&pair, "never read\n");
        close(pair.master);
        expect("the master has gone: read", read(pair.slave, text, 10), 0);
        expect("the master has gone: write", write(pair.slave, "x", 1), -EIO);
        expect("the master has gone: ioctl", ioctl(pair.slave, TCGETS, text), -EIO);
        expect("the master has gone: poll", polled(pair.slave) & (POLLIN | POLLHUP | POLLERR),
               POLLIN | POLLHUP | POLLERR);
        close(pair.slave);
}

static struct pair shared;
static volatile long answer, started;

static void read_shared(void)
{
        started = 1;
        answer = read(shared.slave, text, 10);
        exit_group(0);
}

/* Reads, and waits for bytes that another kernel's threads bring later. */
static long read_some(int fd)
{
        long size = 0;
        for (unsigned i = 0; i < 100 && (size = read(fd, text, 10)) == -EAGAIN; i++)
                sleep_ms(20);
        return size;
}

/* A read sleeps; another process with the same descriptors closes both ends. */
static void try_closing_both(void)
{
        shared = open_pair();
        SYS(fcntl, shared.slave, F_SETFL, 0);
        answer = 1;
        long pid = thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, stack + sizeof stack,
                                NULL, read_shared);
        while (!started)
                sleep_ms(20);
        until_asleep(pid);
        close(shared.slave);
        close(shared.master);
        wait4(pid, NULL, 0, NULL);
        expect("both ends closed: what slept", answer, -EIO);
        expect("both ends closed", read(shared.slave, text, 1), -EBADF);
}

static void end_by(int signal)
{
        exit_group(signal);
}

static void lead(const struct pair *pair)
{
        SYS(setsid, 0);
        signal_set(SIGTSTP, (uintptr_t)end_by);
        long slave = open_slave(pair->master, O_RDWR); /* so it becomes its terminal */
        close(pair->slave);
        close(pair->master);
        write((int)slave, "ready", 5);
        for (;;)
                pause();
}

static volatile long resized;

static void on_size(int signal)
{
        resized = signal;
}

static void watch_size(const struct pair *pair)
{
        uint16_t size[4] = {0};
        SYS(setsid, 0);
        signal_set(SIGWINCH, (uintptr_t)on_size);
        long slave = open_slave(pair->master, O_RDWR), tty = open("/dev/tty", O_RDWR, 0);
        int group = 0;
        write((int)slave, "ready", 5);
        while (!resized)
                pause();
        ioctl((int)tty, TIOCGWINSZ, size);
        ioctl((int)tty, TIOCGPGRP, &group);
        exit_group(size[0] == 50 && size[1] == 132 && group == getpid() ? 7 : 8);
}

static long begin(struct pair *pair, void (*what)(const struct pair *pair))
{
        *pair = open_pair();
        long pid = fork();
        if (!pid)
                what(pair);
        while (read(pair->master, text, 5) != 5)
                sleep_ms(20);
        return pid;
}

static void try_sessions(void)
{
        struct pair pair;
        int status = 0;
        long pid = begin(&pair, lead);
        types(&pair, "abc");
        expect("echo", read_some(pair.master), 3);
        types(&pair, "\003");
        wait4(pid, &status, 0, NULL);
        expect("^C", CHILD_SIGNAL(status), SIGINT);
        close_pair(&pair);

        struct termios modes;
        pid = begin(&pair, lead);
        ioctl(pair.master, TCGETS, &modes);
        modes.rest[1 + 10] = 032; /* VSUSP */
        ioctl(pair.master, TCSETS, &modes);
        types(&pair, "\032");
        wait4(pid, &status, 0, NULL);
        expect("^Z", CHILD_STATUS(status), SIGTSTP);
        close_pair(&pair);

        pid = begin(&pair, lead);
        close(pair.slave);
        close(pair.master);
        wait4(pid, &status, 0, NULL);
        expect("the master closes", CHILD_SIGNAL(status), SIGHUP);

        pid = begin(&pair, watch_size);
        uint16_t size[4] = {50, 132, 0, 0}, is[4] = {0};
        int group = 0;
        expect("TIOCSWINSZ", ioctl(pair.master, TIOCSWINSZ, size), 0);
        wait4(pid, &status, 0, NULL);
        expect("SIGWINCH", CHILD_STATUS(status), 7);
        expect("TIOCGWINSZ", ioctl(pair.slave, TIOCGWINSZ, is), 0);
        check(is[0] == 50 && is[1] == 132, "TIOCGWINSZ", "%u rows, %u columns", is[0], is[1]);
        expect("TIOCGPGRP of another's", ioctl(pair.slave, TIOCGPGRP, &group), -ENOTTY);
        close_pair(&pair);
}

static void try_often(unsigned rounds)
{
        bool well = true;
        for (unsigned i = 0; i < rounds && well; i++) {
                struct pair pair = open_pair();
                well = pair.master >= 0 && pair.slave >= 0;
                if (i % 2)
                        close_pair(&pair);
                else
                        close(pair.master), close(pair.slave);
        }
        check(well, "opened often", "%u times", rounds);
}

/* Tollgate only: the number of pairs depends on the system. */
static void try_all(void)
{
        int masters[65], count = 0;
        while (count < 65 && (masters[count] = (int)open("/dev/ptmx", O_RDWR, 0)) >= 0)
                count++;
        expect("all pairs", count, 64);
        expect("one more", masters[64], -ENOSPC);
        while (count)
                close(masters[--count]);
}

int main(int argc, char **argv)
{
        struct toll_counts counts;
        ours = !toll_call(NUMBER_toll_row, TOLL_COUNTS, &counts);
        try_names();
        try_lines();
        try_waiting();
        try_closing();
        try_closing_both();
        try_sessions();
        try_often(option_number(argv, "samples", 100));
        if (ours)
                try_all();
        return check_status();
}
