/* late.c - a slow disk (tools/disk.sh's, on a slow host). Look-ups sleep, several in one place and
 * one in several places, while others change earlier parts of the path, and signals arrive. Two
 * readers of one block must get the same data. */
#include "child.h"
#include "linux.h"
#include "signals.h"

#define LINES 38400

/* Reads a line of `numbers` that is not cached. 0, 1 = wrong line, or -errno. */
static long read_line(unsigned line)
{
        char mine[9], its[9] = "";
        long fd = open("/disk/numbers", O_RDONLY, 0);
        long size = fd < 0 ? fd : SYS(pread64, fd, its, 8, 8 * line % (8 * LINES), 0);
        snprintf(mine, sizeof mine, "%07u\n", line % LINES);
        close((int)fd);
        return size < 0 ? size : size != 8 || memcmp(mine, its, 8);
}

/* Fills the cache with these lines, so that it contains no other blocks. */
static void forget(void)
{
        long wrong = 0;
        for (unsigned line = 0; line < LINES; line += 512)
                wrong += read_line(line);
        expect("other lines", wrong, 0);
}

static unsigned endings; /* children that ended as expected */

static void reap(unsigned children, int wanted)
{
        int status;
        while (children--) {
                wait4(-1, &status, 0, NULL);
                endings += status == wanted;
        }
}

/* Readers of the same place and of others: each waits for its own. */
static void try_at_once(void)
{
        for (unsigned child = 0; child < 6; child++)
                if (!fork())
                        exit_group((int)read_line(child / 2 * 9000));
        endings = 0;
        reap(6, 0);
        expect("six at once", endings, 6);
}

/* A path leads through /tmp to the disk, and its part in /tmp is removed meanwhile. */
static void try_changes(void)
{
        forget();
        mkdir("/tmp/late", 0755);
        symlink("/disk/names", "/tmp/late/there");
        struct stat about;
        for (unsigned child = 0; child < 3; child++)
                if (!fork()) {
                        long error =
                                stat("/tmp/late/there/../names/a-name-of-some-length-59", &about);
                        exit_group(error && error != -ENOENT);
                }
        SYS(sched_yield, 0);
        expect("rename meanwhile", rename("/tmp/late/there", "/tmp/late/gone"), 0);
        expect("unlink meanwhile", unlink("/tmp/late/gone"), 0);
        expect("rmdir meanwhile", rmdir("/tmp/late"), 0);
        endings = 0;
        reap(3, 0);
        expect("the way is gone, or was not", endings, 3);
}

/* Calls that change the tree sleep in between, too: a name that was removed meanwhile must not be
 * changed. */
static void try_renames(void)
{
        long fd = open("/tmp/a", O_CREAT | O_RDWR, 0600);
        close((int)fd);
        forget();
        symlink("/disk/names/../../tmp", "/tmp/round");
        for (unsigned child = 0; child < 3; child++)
                if (!fork()) {
                        long error = rename("/tmp/a", "/tmp/round/b");
                        exit_group(error == 0 ? 3 : error != -ENOENT);
                }
        endings = 0;
        for (int child = 0, status, renamed = 0; child < 3; child++) {
                wait4(-1, &status, 0, NULL);
                renamed += CHILD_STATUS(status) == 3;
                endings += CHILD_STATUS(status) == 3 || !status;
                if (child == 2)
                        expect("one of three has moved it", renamed, 1);
        }
        expect("the others found nothing", endings, 3);
        expect("it is there", unlink("/tmp/b"), 0);
        unlink("/tmp/round");
}

static void handler(int signal)
{
}

/* No signal shortens a disk read; a killing one takes effect after it. */
static void try_signals(void)
{
        signal_set(SIGUSR1, (uintptr_t)handler);
        long pid = fork();
        if (!pid) {
                long error = 0;
                for (unsigned i = 0; i < 6 && !error; i++)
                        error = read_line(5000 + i * 6000);
                exit_group((int)error);
        }
        for (unsigned i = 0; i < 20; i++) {
                sleep_ms(5);
                kill(pid, SIGUSR1);
        }
        int status;
        wait4(pid, &status, 0, NULL);
        expect("signals", status, 0);
        pid = fork();
        if (!pid)
                for (unsigned i = 0;; i += 3001)
                        read_line(i);
        sleep_ms(30);
        kill(pid, SIGKILL);
        wait4(pid, &status, 0, NULL);
        expect("killed", CHILD_SIGNAL(status), SIGKILL);
}

int main(void)
{
        try_at_once();
        try_changes();
        try_renames();
        try_signals();
        expect("still there", read_line(17), 0);
        return check_status();
}
