/*
 * take.c - takes a file of the host's over the second serial line, from `make run ADD=`.
 *
 * It asks and the host answers, a line each (tools/tollgate/machines/take.py):
 *
 *      take N NAME             file N SIZE SUM   or  no N SENTENCE
 *      part N OFFSET COUNT     part N COUNT SUM and that many bytes
 *
 * N tells an answer from what is left of an earlier one. Sums are CRC-32, in hexadecimal. A part
 * that is not whole is asked for again, half as long. The file has its name when all of it is here
 * and its sum is right, and not before.
 */
#include "console.h"
#include "lib/crc32.h"

#define LINE "/dev/ttyS1"
#define PART 8192
#define LEAST 256
#define TRIES 20    /* parts in a row that may be wrong; a quarter of them with bytes missing */
#define SOON 3000   /* looks */
#define PAUSE 50000 /* rounds of a loop */
#define PATIENCE 3  /* seconds without a byte */

static int line;
static volatile bool stopped;

static void stop(int signal)
{
        (void)signal;
        stopped = true;
}

static int64_t now(void) /* in milliseconds */
{
        struct timespec time = {0};
        clock_gettime(1, &time);
        return (int64_t)time.seconds * 1000 + time.nanoseconds / 1000000;
}

static char come[256]; /* and not taken yet */
static size_t come_at, come_size;

/* An emulated clock leaps over idle time, and the host's does not. */
static void wait_long(void)
{
        const struct timespec tick = {0, 10000000};
        for (volatile int i = 0; i < PAUSE; i++)
                ;
        nanosleep(&tick, NULL);
}

static long wait_for_some(void)
{
        int64_t end = now() + PATIENCE * 1000;
        for (unsigned looks = 0; !stopped; looks++) {
                long got = read(line, come, sizeof come);
                if (got != -EAGAIN) {
                        come_at = 0;
                        come_size = got > 0 ? (size_t)got : 0;
                        return got;
                }
                if (now() > end)
                        return -ETIMEDOUT;
                if (looks > SOON)
                        wait_long();
        }
        return -EINTR;
}

static long get(void *to, size_t size)
{
        for (size_t done = 0, part; done < size; done += part) {
                long error = come_at < come_size ? 0 : wait_for_some();
                if (error < 0)
                        return error;
                part = size - done < come_size - come_at ? size - done : come_size - come_at;
                memcpy((char *)to + done, come + come_at, part);
                come_at += part;
        }
        return 0;
}

/* A line, without its end; what does not fit is left out. */
static long get_line(char *to, size_t size)
{
        for (size_t length = 0;;) {
                char next;
                long error = get(&next, 1);
                if (error < 0)
                        return error;
                if (next == '\n') {
                        to[length] = 0;
                        return 0;
                }
                if (length < size - 1)
                        to[length++] = next;
        }
}

/* The number behind the next space, and what follows. -1 = there is none. */
static int64_t number_take(char **at, unsigned base)
{
        int64_t value = 0;
        char *digit = *at;
        if (*digit++ != ' ')
                return -1;
        for (; *digit && *digit != ' '; digit++) {
                int d = *digit >= '0' && *digit <= '9'   ? *digit - '0'
                        : *digit >= 'a' && *digit <= 'f' ? *digit - 'a' + 10
                                                         : 99;
                if (d >= (int)base || value >> 40)
                        return -1;
                value = value * base + d;
        }
        *at = digit;
        return value;
}

/* Asks, and returns the answer in text[]: "no ..." or what follows N. */
static long ask(const char *word, const char *what, char *text, size_t size, char **answer)
{
        static unsigned asked;
        char start[40], refused[40];
        int64_t end = now() + PATIENCE * 1000;
        unsigned number = (unsigned)getpid() * 100000 + asked++;
        snprintf(text, size, "%s %u %s\n", word, number, what);
        snprintf(start, sizeof start, "%s %u", strcmp(word, "take") ? word : "file", number);
        snprintf(refused, sizeof refused, "no %u ", number);
        for (long error = put_text(line, text); error >= 0 && now() < end;) {
                error = get_line(text, size);
                *answer = text + strlen(start);
                if (error < 0)
                        return error;
                if (!strncmp(text, start, strlen(start)))
                        return 0;
                *answer = text + strlen(refused);
                if (!strncmp(text, refused, strlen(refused)))
                        return -ENOENT;
        }
        return -ETIMEDOUT;
}

/* A number and a sum, and no more. */
static long read_answer(char *at, int64_t *number, uint32_t *sum)
{
        *number = number_take(&at, 10);
        int64_t check = number_take(&at, 16);
        *sum = (uint32_t)check;
        return *number < 0 || check < 0 || *at ? -EIO : 0;
}

static long get_part(char *to, int64_t offset, size_t count)
{
        char what[60], text[200], *answer;
        int64_t number;
        uint32_t sum;
        snprintf(what, sizeof what, "%lld %u", (long long)offset, (unsigned)count);
        long error = ask("part", what, text, sizeof text, &answer);
        if (error >= 0)
                error = read_answer(answer, &number, &sum);
        if (error >= 0)
                error = number == (int64_t)count ? get(to, count) : -EIO;
        return error < 0 ? error : crc32(to, count) == sum ? 0 : -EIO;
}

/* All parts into an open file. */
static long get_parts(int file, int64_t size)
{
        static char part[PART];
        size_t most = PART;
        unsigned tries = TRIES;
        for (int64_t at = 0; at < size;) {
                size_t count = size - at < (int64_t)most ? (size_t)(size - at) : most;
                long error = get_part(part, at, count);
                if (tries && (error == -EIO || error == -ETIMEDOUT)) {
                        tries = error == -EIO ? tries - 1 : tries / 4;
                        most = most / 2 < LEAST ? LEAST : most / 2;
                        continue;
                }
                if (error >= 0)
                        error = put(file, part, count);
                if (error < 0)
                        return error;
                at += (int64_t)count;
                tries = TRIES;
        }
        return 0;
}

/* Whether the file's bytes now have that sum. */
static bool sum_is(int file, int64_t size, uint32_t sum)
{
        long at = size ? mmap_file((size_t)size, PROT_READ, MAP_PRIVATE, file) : 0;
        if (at < 0 && at > -4096)
                return false;
        bool right = crc32((void *)at, (size_t)size) == sum;
        if (size)
                munmap((uintptr_t)at, (size_t)size);
        return right;
}

static void say_taken(const char *name, int64_t size, uint32_t sum, int64_t span)
{
        uint64_t rate = (uint64_t)size * 1000 / 1024;
        divide64(&rate, span > 0 ? (uint32_t)span : 1);
        put_format(1, "%s: %lld bytes, sum %08x, %lld ms, %llu KiB/s\n", name, (long long)size,
                   (unsigned)sum, (long long)span, (unsigned long long)rate);
}

static int failed(const char *name, long error)
{
        if (error == -EINTR)
                put_format(2, "take: %s: stopped; nothing of it is kept\n", name);
        else if (error == -ETIMEDOUT)
                put_format(2, "take: %s: no answer for %d seconds; nothing of it is kept\n", name,
                           PATIENCE);
        else if (error == -EIO)
                put_format(2,
                           "take: %s: what came was wrong, time and again; nothing of it is kept\n",
                           name);
        else
                return complain("take", name, error);
        return 1;
}

/* The file `to`, by way of one beside it. */
static int take(const char *name, const char *to, int64_t size, uint32_t sum)
{
        static char beside[PATH_MAX];
        int64_t start = now();
        if (snprintf(beside, sizeof beside, "%s.part", to) >= (int)sizeof beside)
                return complain("take", to, -ENAMETOOLONG);
        long file = open(beside, O_RDWR | O_CREAT | O_TRUNC, 0755);
        if (file < 0)
                return complain("take", to, file);
        long error = get_parts((int)file, size);
        if (error >= 0 && !sum_is((int)file, size, sum))
                error = -EIO;
        close((int)file);
        if (error >= 0)
                error = rename(beside, to);
        if (error < 0) {
                unlink(beside);
                return failed(name, error);
        }
        say_taken(name, size, sum, now() - start);
        return 0;
}

int main(int argc, char **argv)
{
        static char place[PATH_MAX], text[1000];
        char *answer;
        int64_t size;
        uint32_t sum;
        if (argc < 2 || argc > 3 || strlen(argv[1]) > 200)
                return usage("take NAME [FILE|DIRECTORY]");
        const char *to = path_into(place, argc > 2 ? argv[2] : "/bin", argv[1]);
        long opened = open(LINE, O_RDWR | O_NONBLOCK, 0);
        if (!to)
                return complain("take", argv[1], -ENAMETOOLONG);
        if (opened < 0) {
                put_text(2, "take: there is no second serial line; `make run ADD=FILE|FOLDER` on "
                            "the host has one, and gives what it names\n");
                return 1;
        }
        line = (int)opened;
        signal_set(SIGINT, (uintptr_t)stop);
        long error = ask("take", argv[1], text, sizeof text, &answer);
        if (error == -ENOENT) {
                put_format(2, "take: %s\n", answer);
                return 1;
        }
        if (error >= 0)
                error = read_answer(answer, &size, &sum);
        return error < 0 ? failed(argv[1], error) : take(argv[1], to, size, sum);
}
