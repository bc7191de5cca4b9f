/* uapi.h - constants of Linux's interface, shared by kernel and programs (Linux's include/uapi and
 * arch/x86/include/uapi).
 *
 * Errors are in errno.h, system call numbers in sys.def. */
#pragma once
#include <stdint.h>

#define NAME_MAX 255  /* bytes */
#define PATH_MAX 4096 /* with its terminating 0 */

/* open() */
#define O_RDONLY 0
#define O_WRONLY 01
#define O_RDWR 02
#define O_ACCMODE 03
#define O_CREAT 0100
#define O_EXCL 0200
#define O_NOCTTY 0400
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_LARGEFILE 0100000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW 0400000
#define O_CLOEXEC 02000000
#define O_PATH 010000000
#define O_TMPFILE 020000000 /* with O_DIRECTORY: a file without a name */
#define O_KNOWN 037777777   /* Linux has no higher flags */
#define O_UNTOLD 0474       /* open() takes these, F_GETFL does not tell them */

/* openat() and the like */
#define AT_FDCWD -100
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR 0x200
#define AT_EACCESS 0x200
#define AT_SYMLINK_FOLLOW 0x400
#define AT_EMPTY_PATH 0x1000
#define AT_NO_AUTOMOUNT 0x800 /* nothing is mounted by a look */
#define AT_STATX_SYNC_TYPE 0x6000

/* utimensat() */
#define UTIME_NOW 0x3fffffff
#define UTIME_OMIT 0x3ffffffe

/* lseek() */
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define SEEK_HOLE 4

/* fcntl() */
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_GETLK64 12 /* for 32-bit programs */
#define F_SETLK64 13
#define F_SETLKW64 14
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_DUPFD_CLOEXEC 1030
#define FALLOC_FL_KEEP_SIZE 1u
#define POSIX_FADV_NOREUSE 5 /* the highest one */
#define RENAME_NOREPLACE 1
#define CLOSE_RANGE_UNSHARE 2u
#define CLOSE_RANGE_CLOEXEC 4u
#define FD_CLOEXEC 1

/* poll() */
#define POLLIN 0x1
#define POLLPRI 0x2
#define POLLOUT 0x4
#define POLLERR 0x8
#define POLLHUP 0x10
#define POLLNVAL 0x20
#define POLLRDNORM 0x40
#define POLLRDBAND 0x80
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#define POLLRDHUP 0x2000

/* epoll_ctl(), epoll_wait(), eventfd2() */
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
#define EPOLLONESHOT 0x40000000u
#define EPOLLET 0x80000000u
#define EFD_SEMAPHORE 1

/* access() */
#define X_OK 1
#define W_OK 2
#define R_OK 4

/* st_mode */
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFLNK 0120000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define S_IALLUGO 07777
#define S_IXUGO 0111
#define S_ISUID 04000
#define S_ISGID 02000
#define S_IXGRP 010

/* ioctl() on every file */
#define FIONREAD 0x541b
#define FIONBIO 0x5421
#define FIONCLEX 0x5450
#define FIOCLEX 0x5451
#define FIOASYNC 0x5452

/* ioctl() on disks; a size is a program's word, in the request's number, too */
#define BLKROGET 0x125e
#define BLKGETSIZE 0x1260
#define BLKSSZGET 0x1268
#define BLKGETSIZE64 0x80081272
#define BLKGETSIZE64_32 0x80041272

#define AF_UNIX 1
#define SOCK_STREAM 1
#define SOCK_PACKET 10 /* the highest one */
#define SOCK_TYPES 0xf /* O_NONBLOCK and O_CLOEXEC may be added */
#define SOCKET_PATH_MAX 108

#define MSG_OOB 1
#define MSG_PEEK 2
#define MSG_DONTWAIT 0x40
#define MSG_WAITALL 0x100
#define MSG_NOSIGNAL 0x4000
#define MSG_CMSG_CLOEXEC 0x40000000

#define SOL_SOCKET 1
#define SO_REUSEADDR 2
#define SO_TYPE 3
#define SO_ERROR 4
#define SO_SNDBUF 7
#define SO_RCVBUF 8
#define SO_KEEPALIVE 9
#define SO_PASSCRED 16
#define SO_PEERCRED 17
#define SO_ACCEPTCONN 30
#define SO_PROTOCOL 38
#define SO_DOMAIN 39

/* ioctl() */
#define TCGETS 0x5401
#define TCSETS 0x5402
#define TCSETSW 0x5403
#define TCSETSF 0x5404
#define TIOCSCTTY 0x540e
#define TIOCGPGRP 0x540f
#define TIOCSPGRP 0x5410
#define TIOCGWINSZ 0x5413
#define TIOCSWINSZ 0x5414
#define TIOCNOTTY 0x5422
#define TIOCGSID 0x5429
#define TIOCGPTN 0x80045430
#define TIOCSPTLCK 0x40045431
#define TIOCGPTLCK 0x80045439

/* struct termios */
#define ICRNL 0400
#define OPOST 01
#define ONLCR 04
#define ISIG 01
#define ICANON 02
#define ECHO 010
#define NOFLSH 0200
#define ECHOCTL 01000

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 0x1
#define MAP_PRIVATE 0x2
#define MAP_SHARED_VALIDATE 0x3
#define MAP_LEGACY 0xfc07f9f3 /* flags that are allowed without MAP_SHARED_VALIDATE */
#define MAP_TYPE 0xf
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_32BIT 0x40 /* amd64 */
#define MAP_GROWSDOWN 0x100
#define MAP_FIXED_NOREPLACE 0x100000
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2
#define MCL_CURRENT 1u
#define MCL_FUTURE 2u
#define MCL_ONFAULT 4u
#define MADV_NORMAL 0
#define MADV_RANDOM 1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MADV_FREE 8
#define MADV_HUGEPAGE 14
#define MADV_NOHUGEPAGE 15
#define MADV_COLD 20
#define MADV_PAGEOUT 21

/* clone() */
#define CLONE_VM 0x100
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_SIGHAND 0x800
#define CLONE_PTRACE 0x2000
#define CLONE_VFORK 0x4000
#define CLONE_PARENT 0x8000
#define CLONE_THREAD 0x10000
#define CLONE_SYSVSEM 0x40000
#define CLONE_SETTLS 0x80000
#define CLONE_PARENT_SETTID 0x100000
#define CLONE_CHILD_CLEARTID 0x200000
#define CLONE_DETACHED 0x400000
#define CLONE_UNTRACED 0x800000
#define CLONE_CHILD_SETTID 0x1000000
#define CLONE_IO 0x80000000ul

/* wait4() */
#define WNOHANG 1
#define WUNTRACED 2
#define WSTOPPED 2
#define WEXITED 4
#define WCONTINUED 8
#define WNOWAIT 0x01000000
#define WNOTHREAD 0x20000000
#define WALL 0x40000000
#define WCLONE 0x80000000u

/* futex() */
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_REQUEUE 3
#define FUTEX_CMP_REQUEUE 4
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAKE_BITSET 10
#define FUTEX_PRIVATE_FLAG 128
#define FUTEX_WAITERS 0x80000000
#define FUTEX_OWNER_DIED 0x40000000
#define FUTEX_TID_MASK 0x3fffffff
#define FUTEX_CLOCK_REALTIME 256

/* reboot() */
#define REBOOT_MAGIC1 0xfee1dead
#define REBOOT_MAGIC2 672274793u
#define REBOOT_MAGIC2A 85072278u
#define REBOOT_MAGIC2B 369367448u
#define REBOOT_MAGIC2C 537993216u
#define REBOOT_RESTART 0x01234567
#define REBOOT_POWER_OFF 0x4321fedc

/* arch_prctl(), amd64 */
#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

/* clock_gettime() */
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7

enum {
        SIGHUP = 1,
        SIGINT,
        SIGQUIT,
        SIGILL,
        SIGTRAP,
        SIGABRT,
        SIGBUS,
        SIGFPE,
        SIGKILL,
        SIGUSR1,
        SIGSEGV,
        SIGUSR2,
        SIGPIPE,
        SIGALRM,
        SIGTERM,
        SIGCHLD = 17,
        SIGCONT,
        SIGSTOP,
        SIGTSTP,
        SIGTTIN,
        SIGTTOU,
        SIGURG,
        SIGXCPU = 24,
        SIGXFSZ,
        SIGVTALRM,
        SIGPROF,
        SIGWINCH,
        SIGSYS = 31,
        SIGNALS = 64
};
#define SIGNAL_BIT(signal) ((uint64_t)1 << ((signal)-1))
#define SIGNALS_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

/* rt_sigprocmask() */
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

#define SIG_DFL 0
#define SIG_IGN 1

/* sa_flags */
#define SA_NOCLDSTOP 0x1
#define SA_NOCLDWAIT 0x2
#define SA_SIGINFO 0x4
#define SA_EXPOSE_TAGBITS 0x800
#define SA_RESTORER 0x04000000
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000

/* ss_flags */
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define SS_AUTODISARM 0x80000000
#define MINSIGSTKSZ 2048

/* si_code (asm-generic/siginfo.h) */
#define SI_USER 0
#define SI_KERNEL 0x80
#define SI_TKILL -6
#define ILL_ILLOPN 2
#define FPE_INTDIV 1
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define TRAP_TRACE 2
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_STOPPED 5
#define CLD_CONTINUED 6

#define PRIO_PROCESS 0
#define PRIO_PGRP 1
#define PRIO_USER 2
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_DEADLINE 6

#define PR_SET_PDEATHSIG 1
#define PR_GET_PDEATHSIG 2
#define PR_GET_DUMPABLE 3
#define PR_SET_DUMPABLE 4
#define PR_SET_NAME 15
#define PR_GET_NAME 16
#define PR_SET_CHILD_SUBREAPER 36
#define PR_GET_CHILD_SUBREAPER 37
