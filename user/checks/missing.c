/* missing.c - makes calls that do not exist, by each of its mechanisms: two of Linux's, and two
 * unassigned numbers. Then missing requests, and with `flood` more than can be named. */
#include "linux.h"
#include "toll.h"

#define SWAPON (WIDE ? 167 : 87)
#define INIT_MODULE (WIDE ? 175 : 128)
#define NOBODYS 489
#define TOO_LARGE 100000

#define TCFLSH 0x540b
#define FIGETBSZ 2
#define SIOCATMARK 0x8905
#define SO_LINGER 13
#define F_SETOWN 8
#define AF_INET 2
#define O_DIRECT 040000
#define RENAME_EXCHANGE 2
#define SEEK_DATA 3
#define MADV_DONTFORK 10
#define NO_REQUEST 0xdead0000

static void refused(const char *name, long is, long error)
{
        check(is == error, name, "%ld", is);
}

/* TCGETS on anything but a terminal is refused by Linux, too: it is not reported as missing. */
static void ask_requests(void)
{
        int ends[2], linger[2] = {0, 0};
        long fd = system_call(NUMBER_open, ".", O_RDONLY);
        long self = system_call(NUMBER_open, "/proc/self/exe", O_RDONLY);
        for (int i = 0; i < 2; i++)
                refused("TCFLSH", system_call(NUMBER_ioctl, 1, TCFLSH, 0), -ENOTTY);
        refused("TCGETS", system_call(NUMBER_ioctl, fd, TCGETS, 0), -ENOTTY);
        refused("FIGETBSZ", system_call(NUMBER_ioctl, fd, FIGETBSZ, 0), -ENOTTY);
        refused("no request", system_call(NUMBER_ioctl, fd, NO_REQUEST, 0), -ENOTTY);
        refused("F_SETOWN", system_call(NUMBER_fcntl, fd, F_SETOWN, 1), -EINVAL);
        if (WIDE) /* F_GETLK64, which only 32-bit programs have */
                refused("F_GETLK64", system_call(NUMBER_fcntl, fd, 12, 0), -EINVAL);
        refused("AF_INET", system_call(NUMBER_socket, AF_INET, SOCK_STREAM, 0), -EAFNOSUPPORT);
        system_call(NUMBER_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        refused("SIOCATMARK", system_call(NUMBER_ioctl, ends[0], SIOCATMARK, 0), -ENOTTY);
        refused("SO_LINGER",
                system_call(NUMBER_setsockopt, ends[0], SOL_SOCKET, SO_LINGER, linger, 8),
                -ENOPROTOOPT);
        refused("SCHED_FIFO", system_call(NUMBER_sched_setscheduler, 0, SCHED_FIFO, &(int){1}),
                -EPERM);
        refused("PR_SET_NO_NEW_PRIVS", system_call(NUMBER_prctl, 38, 1, 0, 0, 0), -EINVAL);
        refused("PR_SCHED_CORE", system_call(NUMBER_prctl, 62, 0, 0, 0, 0), -EINVAL);
        refused("O_TMPFILE", system_call(NUMBER_open, ".", O_RDWR | O_DIRECTORY | O_TMPFILE, 0),
                -EISDIR);
        refused("O_PATH", system_call(NUMBER_open, "/proc/self", O_PATH | O_NOFOLLOW, 0), -ELOOP);
        refused("O_DIRECT", system_call(NUMBER_pipe2, ends, O_DIRECT), -EINVAL);
        refused("RENAME_EXCHANGE",
                system_call(NUMBER_renameat2, AT_FDCWD, ".", AT_FDCWD, ".", RENAME_EXCHANGE),
                -EINVAL);
        refused("SEEK_DATA", system_call(NUMBER_lseek, self, 0, SEEK_DATA), -EINVAL);
        refused("MADV_DONTFORK", system_call(NUMBER_madvise, 0, 0, MADV_DONTFORK), -EINVAL);
        refused("FALLOC_FL_PUNCH_HOLE", system_call(NUMBER_fallocate, fd, 3, 0, 1, 1, 0),
                -EOPNOTSUPP);
        refused("CLOCK_TAI", system_call(NUMBER_clock_gettime, 11, linger), -EINVAL);
        refused("MREMAP_DONTUNMAP", system_call(NUMBER_mremap, 0, 0, 0, 4, 0), -EINVAL);
        long socket = system_call(NUMBER_socket, AF_UNIX, SOCK_STREAM, 0);
        refused("MSG_OOB", system_call(NUMBER_sendto, socket, "x", 1, MSG_OOB, 0, 0), -EOPNOTSUPP);
        long epoll = system_call(NUMBER_epoll_create1, 0), other[3] = {0};
        other[0] = system_call(NUMBER_epoll_create1, 0);
        refused("EPOLL_CTL_ADD",
                system_call(NUMBER_epoll_ctl, epoll, EPOLL_CTL_ADD, other[0], other), -EINVAL);
}

int main(int argc, char **argv)
{
        struct toll_row row;
        if (strstr(argv[0], "flood")) {
                for (long i = 0; i < 1000; i++)
                        system_call(NUMBER_ioctl, 1, NO_REQUEST + i, 0);
                return check_status();
        }
        for (int i = 0; i < 2; i++)
                refused("swapon", system_call(SWAPON, "x", 0), -ENOSYS);
        refused("a number without a name", system_call(NOBODYS), -ENOSYS);
        refused("no number", system_call(TOO_LARGE), -ENOSYS);
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!strcmp(row.id, "trusted/call/standard"))
                        refused("init_module, called",
                                gate_call((const void *)(uintptr_t)row.clean, INIT_MODULE),
                                -ENOSYS);
        ask_requests();
        return check_status();
}
