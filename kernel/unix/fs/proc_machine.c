/* proc_machine.c - the files of /proc about the machine. */
#include "clock/clock.h"
#include "cpu/features.h"
#include "fs/flags.h"
#include "const.h"
#include "machine/pic.h"
#include "machine/timer.h"
#include "file/mounts.h"
#include "node/quota.h"
#include "fs/proc.h"
#include "lib/printf.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "process/identity.h"
#include "process/load_average.h"
#include "thread/thread.h"
#include "trap/dispatch.h"
#include "version.h"

#define KIB_OF_FRAMES(count) ((unsigned long)(count) * (PAGE_SIZE / 1024))

/* Shows lines like Linux with an 8259A. */
static void interrupts(struct text *text, const struct process *process)
{
        text_print(text, "           CPU0       \n");
        for (unsigned line = 0; line < PIC_LINES; line++)
                if (pic_name(line))
                        text_print(text, "%3u: %10u    XT-PIC      %s\n", line, pic_counts[line],
                                   pic_name(line));
        text_print(text, "NMI: %10u   Non-maskable interrupts\n", trap_nmis);
}

static void cpuinfo(struct text *text, const struct process *process)
{
        const struct cpu_identity *cpu = &cpu_identity;
        uint64_t hertz = clock_hertz();
        text_print(text, "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n",
                   cpu->vendor, cpu->family, cpu->model);
        text_print(text, "model name\t: %s\nstepping\t: %u\n",
                   cpu->brand[0] ? cpu->brand : "unknown", cpu->stepping);
        if (hertz) {
                uint32_t rest = divide64(&hertz, 1000000);
                text_print(text, "cpu MHz\t\t: %u.%03u\n", (unsigned)hertz, rest / 1000);
        }
        text_print(text, "fpu\t\t: yes\nfpu_exception\t: yes\nwp\t\t: yes\nflags\t\t:");
        cpu_flags_print(text);
        text_print(text, "\n\n");
}

static void line(struct text *text, const char *name, unsigned long kib)
{
        text_print(text, "%-16s%8lu kB\n", name, kib);
}

/* Files are in memory only in the tree, so they count as Cached and Shmem, like files in Linux's
 * tmpfs. */
static void meminfo(struct text *text, const struct process *process)
{
        unsigned long free = KIB_OF_FRAMES(frame_count()), files = quota_held / 1024;
        line(text, "MemTotal:", KIB_OF_FRAMES(frame_total));
        line(text, "MemFree:", free);
        line(text, "MemAvailable:", free);
        line(text, "Buffers:", 0);
        line(text, "Cached:", files);
        line(text, "SwapCached:", 0);
        line(text, "SwapTotal:", 0);
        line(text, "SwapFree:", 0);
        line(text, "Dirty:", 0);
        line(text, "Writeback:", 0);
        line(text, "Shmem:", files);
        line(text, "Slab:", KIB_OF_FRAMES(heap_frames));
        line(text, "KernelStack:", (unsigned long)thread_count() * (STACK_SIZE / 1024));
}

static void version(struct text *text, const struct process *process)
{
        text_print(text, "%s version %s (%s, nasm %s)\n", SYSTEM, VERSION, COMPILER, NASM_VERSION);
}

static void uptime(struct text *text, const struct process *process)
{
        uint64_t now = clock_now();
        text_print(text, "%u.%02u %u.%02u\n", moment_seconds(now), moment_parts(now, 100),
                   schedule_idle_ticks / TIMER_HZ, schedule_idle_ticks % TIMER_HZ);
}

/* Ticks are not counted per ring: programs' ticks all count as user time. */
static void proc_machine_stat(struct text *text, const struct process *process)
{
        unsigned interrupts = 0, running = thread_ready_count();
        for (unsigned i = 0; i < PIC_LINES; i++)
                interrupts += pic_counts[i];
        for (unsigned i = 0; i < 2; i++)
                text_print(text, "cpu%s %u 0 0 %u 0 0 0 0 0 0\n", i ? "0" : " ",
                           schedule_busy_ticks, schedule_idle_ticks);
        text_print(text, "intr %u", interrupts);
        for (unsigned i = 0; i < PIC_LINES; i++)
                text_print(text, " %u", pic_counts[i]);
        text_print(text, "\nbtime %u\nprocesses %u\nprocs_running %u\nprocs_blocked 0\n",
                   moment_seconds(clock_boot()), thread_last, running);
}

static void loadavg(struct text *text, const struct process *process)
{
        for (unsigned i = 0; i < LOAD_AVERAGES; i++) {
                uint32_t load = load_averages[i] + LOAD_ONE / 200;
                text_print(text, "%u.%02u ", load / LOAD_ONE, load % LOAD_ONE * 100 / LOAD_ONE);
        }
        text_print(text, "%u/%u %u\n", thread_ready_count(), thread_count(), thread_last);
}

/* Writes the format of proc(5): device, mount point, type, options. */
void proc_mounts(struct text *text, const struct process *process)
{
        char *path = heap_allocate(PATH_MAX);
        const struct mount *m;
        for (unsigned i = 0; path && (m = mounts_at(i)); i++)
                if (!node_path(m->root, path))
                        text_print(text, "%s %s %s %s,relatime 0 0\n", m->source, path, m->type,
                                   m->read_only ? "ro" : "rw");
        heap_free(path);
}

const struct proc_entry proc_machine[] = {
        {"interrupts", S_IFREG | 0444, .show = interrupts},
        {"cpuinfo", S_IFREG | 0444, .show = cpuinfo},
        {"meminfo", S_IFREG | 0444, .show = meminfo},
        {"version", S_IFREG | 0444, .show = version},
        {"uptime", S_IFREG | 0444, .show = uptime},
        {"stat", S_IFREG | 0444, .show = proc_machine_stat},
        {"loadavg", S_IFREG | 0444, .show = loadavg},
        {"mounts", S_IFREG | 0444, .show = proc_mounts},
        {"self", .mode = S_IFLNK | 0777},
        {"sys", S_IFDIR | 0555, .below = proc_sys},
        {.name = NULL},
};
