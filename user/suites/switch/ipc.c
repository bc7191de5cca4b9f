/* ipc.c - the cost of a message to another process and its reply: 1 to 4,096 bytes through two
 * pipes, with and without thread-local storage on both sides, and a word by toll_hand(). */
#include "const.h"
#include "lib/string.h"
#include "linux.h"
#include "switch.h"
#include "tls.h"
#include "toll.h"

static unsigned asked, answered;

static void note(bool good)
{
        asked++;
        answered += good;
}

/* The other side: returns everything that it receives. */
static void echo_pipe(int in, int out, size_t size)
{
        static char message[PAGE_SIZE];
        while (read(in, message, size) == (long)size && write(out, message, size) == (long)size)
                ;
}

/* `tls`: the other side's, NULL = none. */
static void try_pipe(const char *row, size_t size, const void *tls)
{
        static char sent[PAGE_SIZE], back_again[PAGE_SIZE];
        static uintptr_t own;
        static bool tls_is_there;
        int there[2], back[2];
        if (!begins(row))
                return;
        if (tls && !tls_is_there) /* from here on this side has TLS, too */
                tls_is_there = tls_point(&own);
        pipe(there);
        pipe(back);
        long child = fork();
        if (!child) {
                close(there[1]);
                quiet(true);
                if (!tls || tls_point(tls))
                        echo_pipe(there[0], back[1], size);
                exit_group(0);
        }
        close(there[0]);
        quiet(true);
        MEASURE(
                {
                        write(there[1], sent, size);
                        read(back[0], back_again, size);
                },
                {
                        note(!memcmp(sent, back_again, size) && (!tls || tls_is_there));
                        sent[size - 1]++;
                });
        quiet(false);
        close(there[1]);
        close(back[0]);
        close(back[1]);
        wait4(child, NULL, 0, NULL);
        record(row);
}

static void echo_hand(long partner)
{
        quiet(true);
        long word = toll_hand(partner, TOLL_HAND_TAKE);
        while (word >= 0)
                word = toll_hand(partner, word + 1);
        exit_group(0);
}

static void echo_direct(const void *half, long partner)
{
        quiet(true);
        long word = toll_hand(partner, TOLL_HAND_TAKE);
        while (word >= 0)
                word = toll_hand_by(half, partner, word + 1);
        exit_group(0);
}

static void try_hand(void)
{
        if (!begins("ipc/hand"))
                return;
        long word, parent = getpid(), child = fork();
        if (!child)
                echo_hand(parent);
        quiet(true);
        MEASURE(word = toll_hand(child, (long)round), note(word == (long)round + 1));
        end(child);
        record("ipc/hand");
}

/* Before each call it meets another partner, untimed. */
static void try_first(void)
{
        if (!begins("ipc/hand-first"))
                return;
        long word, parent = getpid(), partner, other;
        if (!(partner = fork()) || !(other = fork()))
                echo_hand(parent);
        quiet(true);
        MEASURE(word = toll_hand(partner, (long)round), {
                note(word == (long)round + 1);
                note(toll_hand(other, (long)round) == (long)round + 1);
        });
        end(partner);
        end(other);
        record("ipc/hand-first");
}

static void try_direct(const void *half)
{
        if (!begins("ipc/direct"))
                return;
        long word, parent = getpid(), child = fork();
        if (!child)
                echo_direct(half, parent);
        quiet(true);
        MEASURE(word = toll_hand_by(half, child, (long)round), note(word == (long)round + 1));
        end(child);
        record("ipc/direct");
}

void measure_ipc(const void *direct)
{
        try_pipe("ipc/pipe", 1, NULL);
        try_pipe("ipc/pipe-2", 2, NULL);
        try_pipe("ipc/pipe-64", 64, NULL);
        try_pipe("ipc/pipe-4096", PAGE_SIZE, NULL);
        if (toll_hand(-1, 0) == -ENOSYS) {
                skip("ipc/hand", "only Tollgate has toll_hand()");
        } else {
                try_hand();
                try_first();
        }
        if (direct)
                try_direct(direct);
}

void measure_ipc_with_tls(void)
{
        static uintptr_t other;
        try_pipe("ipc/pipe-tls", 1, &other);
        try_pipe("ipc/pipe-2-tls", 2, &other);
        try_pipe("ipc/pipe-64-tls", 64, &other);
        try_pipe("ipc/pipe-4096-tls", PAGE_SIZE, &other);
        if (asked)
                check(answered == asked, "ipc/answered", "%u of %u messages came back", answered,
                      asked);
}
