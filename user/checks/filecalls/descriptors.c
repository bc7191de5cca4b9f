/* descriptors.c - descriptors and their copies, also of pipes. */
#include "filecalls.h"

void try_descriptors(void)
{
        fill("file", "0123456789");
        long fd = open_at("file", O_RDONLY | O_CLOEXEC), copy = SYS(dup, fd);
        expect("dup: the lowest free", copy, fd + 1);
        SYS(lseek, fd, 4, SEEK_SET);
        expect("dup: one position", SYS(lseek, copy, 0, SEEK_CUR), 4);
        expect("F_GETFD: O_CLOEXEC", SYS(fcntl, fd, F_GETFD), FD_CLOEXEC);
        expect("F_GETFD: of a copy", SYS(fcntl, copy, F_GETFD), 0);
        expect("F_SETFD", SYS(fcntl, copy, F_SETFD, FD_CLOEXEC), 0);
        expect("F_GETFD: as set", SYS(fcntl, copy, F_GETFD), FD_CLOEXEC);
        expect("F_DUPFD", SYS(fcntl, fd, F_DUPFD, 20), 20);
        expect("F_DUPFD: the next", SYS(fcntl, fd, F_DUPFD, 20), 21);
        expect("F_SETFL", SYS(fcntl, fd, F_SETFL, O_NONBLOCK | O_RDWR), 0);
        expect("F_GETFL: of a copy", SYS(fcntl, 20, F_GETFL) & ~O_LARGEFILE, O_NONBLOCK);
        expect("fcntl: no such command", SYS(fcntl, fd, 999), -EINVAL);
        expect("dup2", SYS(dup2, fd, 21), 21);
        expect("dup2: to itself", SYS(dup2, fd, fd), fd);
        expect("dup2: nothing", SYS(dup2, 63, 63), -EBADF);
        expect("dup3: to itself", SYS(dup3, fd, fd, 0), -EINVAL);
        expect("dup3: O_CLOEXEC", SYS(dup3, fd, 21, O_CLOEXEC), 21);
        expect("F_GETFD: of dup3", SYS(fcntl, 21, F_GETFD), FD_CLOEXEC);
        expect("dup: nothing", SYS(dup, 63), -EBADF);
        SYS(close, fd);
        expect("read: through a copy", SYS(read, 20, buffer, 3), 3);
        SYS(close, copy);
        SYS(close, 20);
        SYS(close, 21);
}

/* Opens as many descriptors as possible; afterwards as many can be opened again. */
void try_bounds(void)
{
        fill("full", "0123456789");
        long fd, first = SYS(dup, 1), count = 1;
        while (count < 100000 && (fd = SYS(dup, 1)) >= 0)
                count++;
        expect("dup: no more descriptors", fd, -EMFILE);
        expect("open: no more descriptors", open_at("/dev/null", O_RDONLY), -EMFILE);
        expect("open: not emptied", open_at("full", O_RDWR | O_TRUNC), -EMFILE);
        expect("open: nothing made", open_at("made", O_RDWR | O_CREAT), -EMFILE);
        expect("access: nothing", SYS(access, "made", 0), -ENOENT);
        for (long i = 0; i < count; i++)
                SYS(close, first + i);
        fd = open_at("full", O_RDONLY);
        expect("open: all free again", fd, first);
        expect("read: what was there", read((int)fd, buffer, 20), 10);
        unlink("full");
        SYS(close, fd);
}

void try_pipes(void)
{
        int ends[2];
        signal_set(SIGPIPE, SIG_IGN);
        expect("pipe2: no such flags", SYS(pipe2, ends, O_APPEND), -EINVAL);
        expect("pipe2", SYS(pipe2, ends, O_NONBLOCK | O_CLOEXEC), 0);
        expect("pipe2: O_CLOEXEC", SYS(fcntl, ends[1], F_GETFD), FD_CLOEXEC);
        expect("pipe: empty", SYS(read, ends[0], buffer, 1), -EAGAIN);
        expect("pipe: write", SYS(write, ends[1], "hello", 5), 5);
        expect("pipe: read a part", SYS(read, ends[0], buffer, 2), 2);
        expect("pipe: read the rest", SYS(read, ends[0], buffer, 20), 3);
        check(!memcmp(buffer, "llo", 3), "pipe", "in order");
        expect("pipe: write to the wrong end", SYS(write, ends[0], "x", 1), -EBADF);
        expect("pipe: read from the wrong end", SYS(read, ends[1], buffer, 1), -EBADF);
        expect("pipe: lseek", SYS(lseek, ends[0], 0, SEEK_SET), -ESPIPE);
        expect("pipe: ioctl", SYS(ioctl, ends[0], TCGETS, buffer), -ENOTTY);
        long most = 0, part;
        while ((part = SYS(write, ends[1], buffer, 1000)) > 0)
                most += part;
        expect("pipe: full", part, -EAGAIN);
        expect("pipe: less than what was read", SYS(read, ends[0], buffer, 500), 500);
        expect("pipe: whole or not at all", SYS(write, ends[1], buffer, 4096), -EAGAIN);
        for (most -= 500; most > 0; most -= part)
                part = SYS(read, ends[0], buffer, sizeof buffer);
        expect("pipe: emptied", most, 0);
        SYS(write, ends[1], "last", 4);
        SYS(close, ends[1]);
        expect("pipe: what is left", SYS(read, ends[0], buffer, 20), 4);
        expect("pipe: its end", SYS(read, ends[0], buffer, 20), 0);
        SYS(close, ends[0]);
        expect("pipe", SYS(pipe, ends), 0);
        SYS(close, ends[0]);
        expect("pipe: nobody reads", SYS(write, ends[1], "x", 1), -EPIPE);
        SYS(close, ends[1]);
}
