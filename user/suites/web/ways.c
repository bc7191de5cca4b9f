/* ways.c - the ways in which a server makes its calls. As system calls. As system calls that become
 * function calls in a trusted program (docs/trusted.md). As calls of the kernel's own functions by
 * name, which a trusted program may make. As calls of the functions below these, with saved
 * look-ups. The last two run with the address limit lifted (kernel/unix/process/limit.h). (A.
 * Rubini, "Kernel System Calls", Linux Magazine, 2000, announces such a server) */
#include "file/file.h"
#include "kernel.h"
#include "web.h"

extern web_call system_accept, system_poll, system_read, system_write, system_open, system_fstat,
        system_sendfile, system_close, system_getpid; /* calls.asm */
extern web_call call_accept, call_poll, call_read, call_write, call_open, call_fstat, call_sendfile,
        call_close, call_getpid;
bool calls_are_calls(const void *sysinfo);

const void *web_sysinfo;

static bool find_calls(void)
{
        return calls_are_calls(web_sysinfo);
}

static bool always(void)
{
        return true;
}

#define SIX long a, long b, long c, long d, long e, long f
KERNEL_FUNCTION_MAYBE(long, sys_accept4, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_poll, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_read, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_write, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_openat, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_fstat, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_fstat64, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_sendfile, SIX);
KERNEL_FUNCTION_MAYBE(long, sys_close, SIX);
KERNEL_FUNCTION_MAYBE(void, limit_set, uintptr_t limit);
KERNEL_FUNCTION_MAYBE(uintptr_t, limit_get, void);

static long function_accept(SIX)
{
        return kernel_sys_accept4(a, b, c, d, e, f);
}

static long function_poll(SIX)
{
        return kernel_sys_poll(a, b, c, d, e, f);
}

static long function_read(SIX)
{
        return kernel_sys_read(a, b, c, d, e, f);
}

static long function_write(SIX)
{
        return kernel_sys_write(a, b, c, d, e, f);
}

static long function_open(SIX)
{
        return kernel_sys_openat(a, b, c, d, e, f);
}

static long function_fstat(SIX)
{
        return (WIDE ? kernel_sys_fstat : kernel_sys_fstat64)(a, b, c, d, e, f);
}

static long function_sendfile(SIX)
{
        return kernel_sys_sendfile(a, b, c, d, e, f);
}

static long function_close(SIX)
{
        return kernel_sys_close(a, b, c, d, e, f);
}

static long function_empty(SIX)
{
        return (long)kernel_limit_get();
}

static bool lift_limit(void)
{
        if (!kernel_limit_set)
                return false;
        kernel_limit_set(UINTPTR_MAX);
        return true;
}

KERNEL_FUNCTION_MAYBE(struct file *, file_of, long fd);
KERNEL_FUNCTION_MAYBE(long, socket_receive, struct file *file, uintptr_t to, size_t size,
                      unsigned flags);
KERNEL_FUNCTION_MAYBE(long, socket_send, struct file *file, uintptr_t from, size_t size,
                      unsigned flags);
KERNEL_FUNCTION_MAYBE(const void *, file_look, const struct file *file, size_t *run);
KERNEL_FUNCTION_MAYBE(size_t, user_copy, void *to, const void *from, size_t count);

static struct file *files[2 * WEB_CONNECTIONS]; /* by descriptor */

static struct file *keep(long fd)
{
        if (fd < 0 || fd >= (long)(sizeof files / sizeof *files))
                return NULL;
        return files[fd] = kernel_file_of(fd);
}

static long file_accept(SIX)
{
        long fd = kernel_sys_accept4(a, b, c, d, e, f);
        keep(fd);
        return fd;
}

static long file_open(SIX)
{
        long fd = kernel_sys_openat(a, b, c, d, e, f);
        keep(fd);
        return fd;
}

/* Copies a file's bytes directly from memory, in words like the kernel's read(). */
static long read_lying(struct file *file, char *to, size_t size)
{
        size_t done = 0, run;
        for (const void *from; done < size && (from = kernel_file_look(file, &run)); done += run) {
                run = run < size - done ? run : size - done;
                kernel_user_copy(to + done, from, run);
                file->position += run;
        }
        return (long)done;
}

static long file_read(SIX)
{
        return files[a]->node ? read_lying(files[a], (char *)b, (size_t)c)
                              : kernel_socket_receive(files[a], (uintptr_t)b, (size_t)c, 0);
}

static long file_write(SIX)
{
        return kernel_socket_send(files[a], (uintptr_t)b, (size_t)c, 0);
}

static long file_sendfile(SIX)
{
        size_t done = 0, size = (size_t)d, run;
        struct file *file = files[b];
        const void *from;
        while (done < size && (from = kernel_file_look(file, &run))) {
                long sent = kernel_socket_send(files[a], (uintptr_t)from,
                                               run < size - done ? run : size - done, 0);
                if (sent <= 0)
                        return done ? (long)done : sent;
                file->position += (size_t)sent;
                done += (size_t)sent;
        }
        return (long)done;
}

const struct web_way web_ways[] = {
        {"system",
         always,
         {system_accept, system_poll, system_read, system_write, system_open, system_fstat,
          system_sendfile, system_close, system_getpid}},
        {"call",
         find_calls,
         {call_accept, call_poll, call_read, call_write, call_open, call_fstat, call_sendfile,
          call_close, call_getpid}},
        {"function",
         lift_limit,
         {function_accept, function_poll, function_read, function_write, function_open,
          function_fstat, function_sendfile, function_close, function_empty}},
        {"file",
         lift_limit,
         {file_accept, function_poll, file_read, file_write, file_open, function_fstat,
          file_sendfile, function_close, function_empty}}};

const struct web_way *web_way(const char *name)
{
        for (size_t i = 0; i < sizeof web_ways / sizeof *web_ways; i++)
                if (!strcmp(web_ways[i].name, name))
                        return &web_ways[i];
        return NULL;
}
