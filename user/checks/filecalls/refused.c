/* refused.c - each call with each invalid pointer. */
#include "filecalls.h"

#define AT(pointer) ((long)(uintptr_t)(pointer))

void try_pointers(void)
{
        static const long bad[] = {8, -4096 + 8};
        long fd;
        int ends[2];
        fill("file", "0123456789");
        fd = open_at("file", O_RDWR);
        SYS(pipe, AT(ends));
        for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
                const struct {
                        const char *name;
                        long number, a, b, c, d;
                } calls[] = {{"read", NUMBER_read, fd, bad[i], 4, 0},
                             {"write", NUMBER_write, fd, bad[i], 4, 0},
                             {"readv", NUMBER_readv, fd, bad[i], 1, 0},
                             {"writev", NUMBER_writev, fd, bad[i], 1, 0},
                             {"open", NUMBER_open, bad[i], O_RDONLY, 0, 0},
                             {"openat", NUMBER_openat, AT_FDCWD, bad[i], O_RDONLY, 0},
                             {"creat", NUMBER_creat, bad[i], 0600, 0, 0},
                             {"unlink", NUMBER_unlink, bad[i], 0, 0, 0},
                             {"rmdir", NUMBER_rmdir, bad[i], 0, 0, 0},
                             {"unlinkat", NUMBER_unlinkat, AT_FDCWD, bad[i], 0, 0},
                             {"mkdir", NUMBER_mkdir, bad[i], 0700, 0, 0},
                             {"mkdirat", NUMBER_mkdirat, AT_FDCWD, bad[i], 0700, 0},
                             {"rename, old", NUMBER_rename, bad[i], AT("x"), 0, 0},
                             {"rename, new", NUMBER_rename, AT("file"), bad[i], 0, 0},
                             {"symlink, target", NUMBER_symlink, bad[i], AT("x"), 0, 0},
                             {"symlink", NUMBER_symlink, AT("x"), bad[i], 0, 0},
                             {"readlink", NUMBER_readlink, bad[i], AT(buffer), 9, 0},
                             {"chdir", NUMBER_chdir, bad[i], 0, 0, 0},
                             {"getcwd", NUMBER_getcwd, bad[i], 4000, 0, 0},
                             {"access", NUMBER_access, bad[i], 0, 0, 0},
                             {"chmod", NUMBER_chmod, bad[i], 0600, 0, 0},
                             {"stat", NUMBER_stat, bad[i], AT(buffer), 0, 0},
                             {"stat, to", NUMBER_stat, AT("file"), bad[i], 0, 0},
                             {"lstat, to", NUMBER_lstat, AT("file"), bad[i], 0, 0},
                             {"fstat", NUMBER_fstat, fd, bad[i], 0, 0},
                             {"fstatat, to", NUMBER_fstatat, AT_FDCWD, AT("file"), bad[i], 0},
                             {"pipe", NUMBER_pipe, bad[i], 0, 0, 0},
                             {"pipe2", NUMBER_pipe2, bad[i], O_NONBLOCK, 0, 0},
                             {"write to a pipe", NUMBER_write, ends[1], bad[i], 4, 0}};
                for (unsigned c = 0; c < sizeof calls / sizeof *calls; c++)
                        expect(calls[c].name,
                               system_call(calls[c].number, calls[c].a, calls[c].b, calls[c].c,
                                           calls[c].d),
                               -EFAULT);
        }
        SYS(close, ends[0]);
        SYS(close, ends[1]);
        SYS(close, fd);
        expect("pipe: no descriptor was taken", SYS(dup, 1), fd);
        SYS(close, fd);
        SYS(unlink, AT("file"));
}
