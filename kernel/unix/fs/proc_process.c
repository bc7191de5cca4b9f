/* proc_process.c - /proc/PID: facts about a process, as in proc(5). */
#include "cpu/window.h"
#include "machine/timer.h"
#include "errno.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/terminal.h"
#include "fs/proc.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "process/identity.h"
#include "process/process.h"
#include "process/usage.h"
#include "thread/thread.h"

#define KIB 1024u

struct process *proc_next(uint32_t pid)
{
        struct process *next = NULL;
        for (struct process *p = processes; p; p = p->next) {
                interrupt_window();
                if (p->pid > pid && (!next || p->pid < next->pid))
                        next = p;
        }
        return next;
}

/* A thread of it that has not ended, preferably its first; NULL: it is a zombie. */
static const struct thread *thread_of(const struct process *process)
{
        const struct thread *t = process->leader;
        if (t->state != THREAD_ENDED)
                return t;
        for (t = process->members; t && t->state == THREAD_ENDED; t = task_of(t)->next_member)
                interrupt_window();
        return t;
}

struct memory *proc_memory(const struct process *process)
{
        const struct thread *t = thread_of(process);
        return t ? t->memory : NULL;
}

struct file *proc_file(const struct process *process, unsigned fd)
{
        const struct thread *t = thread_of(process);
        return t && task_of(t)->files ? files_at(task_of(t)->files, fd) : NULL;
}

int proc_next_file(const struct process *process, unsigned fd)
{
        const struct thread *t = thread_of(process);
        for (; t && task_of(t)->files && fd < FILES; fd++) {
                interrupt_window();
                if (files_at(task_of(t)->files, fd))
                        return (int)fd;
        }
        return -1;
}

static void name_of(const struct process *process, char name[TASK_NAME])
{
        task_name(process->leader, name);
        for (char *c = name; *c; c++)
                if ((uint8_t)*c < ' ' || *c == 0177)
                        *c = '?';
}

struct size {
        uint64_t all, stack, code; /* bytes */
        size_t frames;             /* mapped ones */
};

static struct size size_of(const struct memory *memory)
{
        struct size size = {.frames = memory ? memory->resident : 0};
        for (const struct area *a = memory ? memory->areas : NULL; a; a = a->next) {
                interrupt_window();
                size.all += a->end - a->start;
                size.stack += a->flags & AREA_GROWS_DOWN ? a->end - a->start : 0;
                size.code += a->flags & AREA_EXECUTE ? a->end - a->start : 0;
        }
        return size;
}

static char state_of(const struct process *process)
{
        static const char letters[] = {[THREAD_READY] = 'R',
                                       [THREAD_SLEEPING] = 'S',
                                       [THREAD_STOPPED] = 'T',
                                       [THREAD_ENDED] = 'Z'};
        const struct thread *t = thread_of(process);
        return letters[t ? t->state : THREAD_ENDED];
}

static uint32_t parent_of(const struct process *process)
{
        return process->parent ? process->parent->pid : 0;
}

/* The signals that its threads ignore, and those with a handler. */
static void actions_of(const struct thread *t, uint64_t *ignored, uint64_t *caught)
{
        *ignored = *caught = 0;
        for (int i = 1; t && task_of(t)->actions && i <= SIGNALS; i++) {
                uintptr_t handler = task_of(t)->actions->of[i].handler;
                *ignored |= (uint64_t)(handler == SIG_IGN) << (i - 1);
                *caught |= (uint64_t)(handler > SIG_IGN) << (i - 1);
        }
}

static void proc_process_stat(struct text *text, const struct process *process)
{
        char name[TASK_NAME];
        const struct thread *t = thread_of(process);
        const struct memory *memory = proc_memory(process);
        const struct usage usage = usage_of(process);
        struct size size = size_of(memory);
        const int nice = settings_of(process)->nice;
        uint64_t ignored, caught, waits = t ? task_of(t)->signals.pending : 0;
        actions_of(t, &ignored, &caught);
        name_of(process, name);
        const struct terminal *terminal = terminal_of(process);
        text_print(text, "%u (%s) %c %u %u %u %u %d 0 %u %u 0 0 %u %u %u %u %d %d %u 0 ",
                   process->pid, name, state_of(process), parent_of(process), process->group,
                   process->session, terminal ? terminal->device : 0,
                   terminal ? (int)terminal->foreground : -1, usage.faults,
                   process->of_children.faults, usage.user, usage.system, process->of_children.user,
                   process->of_children.system, 20 + nice, nice, process->threads);
        text_print(text, "%llu %llu %lu %lu %lu %lu %lu 0 0 ", (unsigned long long)process->started,
                   (unsigned long long)size.all, (unsigned long)size.frames, ~0ul,
                   (unsigned long)(memory ? memory->program : 0),
                   (unsigned long)(memory ? memory->heap : 0),
                   (unsigned long)(memory ? memory->limit : 0));
        text_print(text, "%llu %llu %llu %llu 0 0 0 17 0 0 0 0 0 0 ", (unsigned long long)waits,
                   (unsigned long long)(t ? task_of(t)->signals.mask : 0),
                   (unsigned long long)ignored, (unsigned long long)caught);
        text_print(text, "%lu %lu %lu %lu %lu %lu %lu %d\n",
                   (unsigned long)(memory ? memory->program : 0),
                   (unsigned long)(memory ? memory->heap : 0),
                   (unsigned long)(memory ? memory->heap : 0),
                   (unsigned long)(memory ? memory->arguments : 0),
                   (unsigned long)(memory ? memory->environment : 0),
                   (unsigned long)(memory ? memory->environment : 0),
                   (unsigned long)(memory ? memory->strings_end : 0),
                   process->threads ? 0 : process->status);
}

static void status(struct text *text, const struct process *process)
{
        char name[TASK_NAME];
        const struct thread *t = thread_of(process);
        char state = state_of(process);
        uint64_t ignored, caught;
        actions_of(t, &ignored, &caught);
        name_of(process, name);
        text_print(text, "Name:\t%s\n", name);
        if (t)
                text_print(text, "Umask:\t0%u%u%u\n", task_of(t)->fs->umask >> 6 & 7,
                           task_of(t)->fs->umask >> 3 & 7, task_of(t)->fs->umask & 7);
        text_print(text, "State:\t%c (%s)\n", state,
                   state == 'R'   ? "running"
                   : state == 'S' ? "sleeping"
                   : state == 'T' ? "stopped"
                                  : "zombie");
        text_print(text, "Tgid:\t%u\nNgid:\t0\nPid:\t%u\nPPid:\t%u\nTracerPid:\t0\n", process->pid,
                   process->pid, parent_of(process));
        for (unsigned kind = 0; kind < 2; kind++) {
                const uint32_t *ids = settings_of(process)->ids[kind];
                text_print(text, "%s:\t%u\t%u\t%u\t%u\n", kind == ID_USER ? "Uid" : "Gid",
                           ids[REAL], ids[EFFECTIVE], ids[SAVED], ids[EFFECTIVE]);
        }
        text_print(text, "FDSize:\t%u\nGroups:\t0 \n", t ? FILES_NEAR : 0);
        if (t) {
                struct size size = size_of(t->memory);
                text_print(text, "VmSize:\t%8u kB\nVmHWM:\t%8u kB\nVmRSS:\t%8u kB\n",
                           (unsigned)(size.all / KIB),
                           (unsigned)(memory_peak(t->memory) * (PAGE_SIZE / KIB)),
                           (unsigned)(size.frames * (PAGE_SIZE / KIB)));
                text_print(text, "VmData:\t%8u kB\nVmStk:\t%8u kB\nVmExe:\t%8u kB\n",
                           (unsigned)((size.all - size.stack - size.code) / KIB),
                           (unsigned)(size.stack / KIB), (unsigned)(size.code / KIB));
        }
        text_print(text, "Threads:\t%u\n", process->threads ? process->threads : 1);
        text_print(text, "SigPnd:\t%016llx\nSigBlk:\t%016llx\n",
                   (unsigned long long)(t ? task_of(t)->signals.pending : 0),
                   (unsigned long long)(t ? task_of(t)->signals.mask : 0));
        text_print(text, "SigIgn:\t%016llx\nSigCgt:\t%016llx\n", (unsigned long long)ignored,
                   (unsigned long long)caught);
}

/* Shows them as placed at its start: the program may have overwritten them. */
static void strings(struct text *text, const struct process *process, bool environment)
{
        const struct memory *memory = proc_memory(process);
        uintptr_t at = !memory ? 0 : environment ? memory->environment : memory->arguments;
        uintptr_t end = !memory ? 0 : environment ? memory->strings_end : memory->environment;
        size_t skipped = text->from < end - at ? (size_t)text->from : end - at;
        at += skipped;
        text->length += skipped;
        while (at < end && text->size < text->room) {
                char piece[64];
                size_t left = end - at, part = left < sizeof piece ? left : sizeof piece;
                interrupt_window();
                if (!memory_read(memory, at, piece, part))
                        return;
                text_add(text, piece, part);
                at += part;
        }
}

static void cmdline(struct text *text, const struct process *process)
{
        strings(text, process, false);
}

static void environ(struct text *text, const struct process *process)
{
        strings(text, process, true);
}

/* Sizes in pages. Shared pages are not counted separately. */
static void statm(struct text *text, const struct process *process)
{
        struct size size = size_of(proc_memory(process));
        text_print(text, "%llu %lu 0 %llu 0 %llu 0\n", (unsigned long long)size.all / PAGE_SIZE,
                   (unsigned long)size.frames, (unsigned long long)size.code / PAGE_SIZE,
                   (unsigned long long)(size.all - size.code) / PAGE_SIZE);
}

static const char *limit(uint64_t value, char digits[24])
{
        snprintf(digits, 24, "%llu", (unsigned long long)value);
        return value == RLIM_INFINITY ? "unlimited" : digits;
}

static void limits(struct text *text, const struct process *process)
{
        static const char *const names[RLIMITS][2] = {
                {"cpu time", "seconds"},     {"file size", "bytes"},
                {"data size", "bytes"},      {"stack size", "bytes"},
                {"core file size", "bytes"}, {"resident set", "bytes"},
                {"processes", "processes"},  {"open files", "files"},
                {"locked memory", "bytes"},  {"address space", "bytes"},
                {"file locks", "locks"},     {"pending signals", "signals"},
                {"msgqueue size", "bytes"},  {"nice priority", ""},
                {"realtime priority", ""},   {"realtime timeout", "us"},
        };
        text_print(text, "%-26s%-21s%-21s%-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
        for (unsigned i = 0; i < RLIMITS; i++) {
                const struct resource r = resource_of(process, i);
                char now[24], most[24];
                text_print(text, "Max %-22s%-21s%-21s", names[i][0], limit(r.now, now),
                           limit(r.most, most));
                text_print(text, *names[i][1] ? "%-10s\n" : "%s\n", names[i][1]);
        }
}

static int follow_program(const struct process *process, struct node **to)
{
        if (!process->threads || !process->program)
                return -ENOENT;
        *to = node_hold(process->program);
        return 0;
}

static int follow_directory(const struct process *process, struct node **to)
{
        const struct thread *t = thread_of(process);
        if (!t || !task_of(t)->fs)
                return -ENOENT;
        *to = node_hold(task_of(t)->fs->directory ? task_of(t)->fs->directory : node_root);
        return 0;
}

const struct proc_entry proc_of[] = {
        {"stat", S_IFREG | 0444, .show = proc_process_stat},
        {"status", S_IFREG | 0444, .show = status},
        {"statm", S_IFREG | 0444, .show = statm},
        {"cmdline", S_IFREG | 0444, .show = cmdline, .kind = &proc_plain_kind},
        {"environ", S_IFREG | 0400, .show = environ, .kind = &proc_memory_kind},
        {"limits", S_IFREG | 0444, .show = limits},
        {"mounts", S_IFREG | 0444, .show = proc_mounts},
        {"maps", S_IFREG | 0444, .show = proc_maps},
        {"exe", S_IFLNK | 0777, .follow = follow_program},
        {"cwd", S_IFLNK | 0777, .follow = follow_directory},
        {"fd", .mode = S_IFDIR | 0500},
        {.name = NULL},
};
