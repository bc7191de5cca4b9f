/* identity.c - a process's numbers (pid, group, session), and the names of system and machine. */
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"
#include "process/identity.h"
#include "process/process.h"
#include "version.h"

#define PORTS 65536

long sys_gettid(AFTER_0)
{
        return (long)cpu_current->tid;
}

long sys_getppid(AFTER_0)
{
        const struct process *parent = task()->process->parent;
        return parent ? (long)parent->pid : 0; /* 0: the kernel */
}

long sys_getpgrp(AFTER_0)
{
        return (long)task()->process->group;
}

struct process *process_named(long pid)
{
        const struct thread *thread = pid ? thread_find((uint32_t)pid) : cpu_current;
        return thread ? task_of(thread)->process : NULL;
}

long sys_getpgid(long pid, AFTER_1)
{
        const struct process *p = process_named(pid);
        return p ? (long)p->group : -ESRCH;
}

long sys_getsid(long pid, AFTER_1)
{
        const struct process *p = process_named(pid);
        return p ? (long)p->session : -ESRCH;
}

long sys_setpgid(long pid, long group, AFTER_2)
{
        const struct process *me = task()->process;
        struct process *p = process_named(pid);
        if ((int)group < 0)
                return -EINVAL;
        if (!p || (p != me && p->parent != me))
                return -ESRCH;
        uint32_t wanted = (int)group ? (uint32_t)group : p->pid;
        if (p->session != me->session || p->session == p->pid ||
            (wanted != p->pid && !process_in_session(wanted, p->session)))
                return -EPERM;
        p->group = wanted;
        return 0;
}

long sys_setsid(AFTER_0)
{
        struct process *p = task()->process;
        for (const struct process *q = processes; q; q = q->next)
                if (q->group == p->pid)
                        return -EPERM;
        p->group = p->session = p->pid;
        p->without_terminal = false;
        return (long)p->pid;
}

/* The only group is root's, as in /proc. */
static long groups(long room, uintptr_t to, size_t size)
{
        static const uint32_t root;
        if ((int)room < 0)
                return -EINVAL;
        return room && user_write(to, &root, size) ? -EFAULT : 1;
}

long sys_getgroups(long room, long to, AFTER_2)
{
        return groups(room, (uintptr_t)to, call_narrow() ? sizeof(uint16_t) : sizeof(uint32_t));
}

long sys_getgroups32(long room, long to, AFTER_2)
{
        return groups(room, (uintptr_t)to, sizeof(uint32_t));
}

/* There is one processor: number 0, bit 0 of a mask. */
long sys_sched_getaffinity(long pid, long size, long to, AFTER_3)
{
        static const uint64_t only = 1;
        size_t room = (unsigned)size < sizeof only ? (unsigned)size : sizeof only;
        if ((unsigned)size & (program_word() - 1) || !room)
                return -EINVAL;
        if (!process_named(pid))
                return -ESRCH;
        return user_write((uintptr_t)to, &only, room) ? -EFAULT : (long)room;
}

long sys_sched_setaffinity(long pid, long size, long from, AFTER_3)
{
        uint8_t first = 0;
        if ((unsigned)size && user_get(&first, (uintptr_t)from))
                return -EFAULT;
        if (!process_named(pid))
                return -ESRCH;
        return first & 1 ? 0 : -EINVAL;
}

/* Programs get no ports: none has CAP_SYS_RAWIO. A request that grants no port succeeds, as on
 * Linux. */
long sys_iopl(long level, AFTER_1)
{
        return (unsigned)level > 3 ? -EINVAL : (unsigned)level ? -EPERM : 0;
}

long sys_ioperm(long from, long count, long on, AFTER_3)
{
        unsigned long first = (unsigned long)from, ports = (unsigned long)count;
        if (!ports || first >= PORTS || ports > PORTS - first)
                return -EINVAL;
        return (int)on ? -EPERM : 0;
}

char host_name[HOST_NAME + 1] = "tollgate";

void host_name_set(const char *name, size_t length)
{
        if (length > HOST_NAME)
                length = HOST_NAME;
        memcpy(host_name, name, length);
        host_name[length] = 0;
}

long sys_sethostname(long from, long length, AFTER_2)
{
        char name[HOST_NAME];
        unsigned size = (unsigned)length;
        if (size > HOST_NAME)
                return -EINVAL;
        if (user_read(name, (uintptr_t)from, size))
                return -EFAULT;
        host_name_set(name, size);
        return 0;
}

/* struct new_utsname: six strings of 65 bytes */
long sys_uname(long to, AFTER_1)
{
        static const char *const texts[] = {
                SYSTEM, host_name, VERSION, "", ARCH_MACHINE, "",
        };
        char out[6][65] = {{0}};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
                memcpy(out[i], texts[i], strlen(texts[i]));
        return user_put((uintptr_t)to, &out);
}
