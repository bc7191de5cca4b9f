/* proc_sys.c - /proc/sys/kernel: the kernel's names, and the largest pid. */
#include "errno.h"
#include "fs/proc.h"
#include "process/identity.h"
#include "thread/thread.h"
#include "version.h"

static void type(struct text *text, const struct process *process)
{
        text_print(text, "%s\n", SYSTEM);
}

static void proc_sys_release(struct text *text, const struct process *process)
{
        text_print(text, "%s\n", VERSION);
}

static void name(struct text *text, const struct process *process)
{
        text_print(text, "%s\n", host_name);
}

/* The name ends at the first newline. */
static int set_name(const char *from, size_t size)
{
        size_t length = 0;
        while (length < size && from[length] && from[length] != '\n')
                length++;
        host_name_set(from, length);
        return 0;
}

static void most(struct text *text, const struct process *process)
{
        text_print(text, "%u\n", PID_MAX);
}

static const struct proc_entry kernel[] = {
        {"ostype", S_IFREG | 0444, .show = type, .refuses = -EACCES, .kind = &proc_plain_kind},
        {"osrelease", S_IFREG | 0444, .show = proc_sys_release, .refuses = -EACCES,
         .kind = &proc_plain_kind},
        {"hostname", S_IFREG | 0644, .show = name, .set = set_name, .kind = &proc_plain_kind},
        {"pid_max", S_IFREG | 0444, .show = most, .refuses = -EACCES, .kind = &proc_plain_kind},
        {.name = NULL},
};

const struct proc_entry proc_sys[] = {
        {"kernel", S_IFDIR | 0555, .below = kernel},
        {.name = NULL},
};
