/* exec.c - runs a file as a program: its segments in a memory of their own, the initial stack and
 * registers. The old program is unchanged until nothing can fail any more. */
#include "program/exec.h"
#include "cpu/cpu.h"
#include "cpu/protect.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "file/file.h"
#include "file/fs.h"
#include "file/path.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "thread/user.h"
#include "calls.h"
#include "lib/elf.h"
#include "program/export.h"
#include "process/futex.h"
#include "process/identity.h"
#include "process/limit.h"
#include "program/load.h"
#include "thread/posture.h"
#include "process/end.h"
#include "process/process.h"
#include "program/script.h"
#include "program/stack.h"
#include "site.h"
#include "start.h"
#include "node/mapped.h"
#include "half.h"
#include "program/leave.h"
#include "process/signal.h"
#include "process/usage.h"

#define TRUSTED_DIRECTORY "trusted" /* name in /: programs below it run at CPL 0 (KML) */

/* The new image that execve() prepares while the old program still exists. */
struct image {
        char *path;
        struct node *program; /* held */
        struct memory *memory;
        enum origin origin;
        bool trusted;
        uintptr_t entry, sp;
};

static int refuse_program(const char *path, const char *why, int error, bool aloud)
{
        if (aloud)
                say("%s: not started: %s\n", path, why);
        return -error;
}

/* The location of its file decides, not the symbolic links that led there. */
static bool is_trusted(const struct path *path)
{
        const struct node *in = *path->name ? path->directory : path->node->parent;
        for (; in != node_root && in->parent != node_root; in = in->parent)
                interrupt_window();
        return !path->node->gone && in != node_root && !strcmp(in->name, TRUSTED_DIRECTORY);
}

/* The program to run, held, and whether it is trusted; or NULL and -errno (with a message). */
static struct node *find_program(const char *path, bool *trusted, int *error, bool aloud)
{
        struct path way;
        *error = path_to(&way, path, cpu_current ? task()->fs->directory : NULL);
        if (*error == -ENXIO)
                *error = -EACCES; /* a socket, by /proc/PID/fd, where open() returns ENXIO */
        struct node *found = *error ? NULL : node_hold(way.node);
        *trusted = found && node_is(found, S_IFREG) && is_trusted(&way);
        path_release(&way);
        if (*error)
                refuse_program(path,
                               *error == -ENOENT         ? "there is no such file"
                               : *error == -ENAMETOOLONG ? "its path is too long"
                                                         : "no path leads to it",
                               0, aloud);
        else if (!node_is(found, S_IFREG))
                *error = refuse_program(path, "it is no regular file", EACCES, aloud);
        else if (!(found->mode & S_IXUGO))
                *error = refuse_program(path, "its mode forbids to execute it", EACCES, aloud);
        else if (found->writers || found->cutting)
                *error = refuse_program(path, "it is open for writing", ETXTBSY, aloud);
        if (!*error)
                return found;
        node_release(found);
        return NULL;
}

static bool read_program(const void *node, uint64_t offset, void *to, size_t size)
{
        work_goes_on(); /* there may be many headers */
        return node_read((struct node *)node, offset, to, size);
}

static int prepare_from(struct node *node, struct image *image, const struct exec_strings *strings,
                        uintptr_t probe_frame, bool aloud)
{
        struct elf elf;
        const char *path = image->path;
        const char *wrong = elf_read(&elf, read_program, node, node_facts(node).size);
        if (!wrong)
                wrong = start_mode(elf.bits, image->trusted, &image->origin);
        if (!wrong && elf.anywhere)
                wrong = elf_move(&elf, load_base(start_limit(image->origin)));
        if (!wrong && !load_enters_code(&elf))
                wrong = "its entry lies outside the program's code";
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC, true);
        image->entry = (uintptr_t)elf.entry;
        image->memory = memory_create(image->origin);
        if (!image->memory)
                return refuse_program(path, "out of memory", ENOMEM, aloud);
        memory_execute(image->memory, node);
        if (node->writers || node->cutting) /* since the look-up */
                return refuse_program(path, "it is open for writing", ETXTBSY, aloud);
        unsigned text = 0;
        if (image->trusted && !sites_prepare(image->memory, &elf, node, path, &text))
                return refuse_program(path, "out of memory", ENOMEM, aloud);
        wrong = load_segments(image->memory, &elf, node, text);
        if (!wrong)
                wrong = export_link(image->memory, &elf, node, image->trusted);
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC, true);
        int error = stack_build(image->memory, &elf, path, strings, &image->sp);
        if (error == -ENOMEM || !start_probe_page(image->memory, probe_frame))
                return refuse_program(path, "out of memory", ENOMEM, aloud);
        return error;
}

/* Replaces a script by its interpreter, with the script's words as first arguments. 0 or -errno. */
static int interpreter_of(struct node **node, struct image *image, struct script **script,
                          bool aloud)
{
        const char *path = image->path;
        int error = 0;
        while (!error) {
                work_goes_on(); /* it may lie in many folders */
                char start[SCRIPT_LINE];
                uint64_t size = node_facts(*node).size;
                size_t part = size < sizeof start ? (size_t)size : sizeof start;
                if (!node_read(*node, 0, start, part))
                        return -EIO;
                if (!script_is(start, part))
                        return 0;
                if (!*script && !(*script = heap_allocate(sizeof **script)))
                        return refuse_program(path, "out of memory", ENOMEM, aloud);
                error = script_add(*script, *(*script)->words ? *(*script)->words : path, start,
                                   part);
                if (error)
                        return refuse_program(path,
                                              error == -ELOOP
                                                      ? "its interpreter is a script, and so on"
                                                      : "its first line names no interpreter",
                                              -error, aloud);
                node_release(*node);
                *node = find_program((*script)->words[0], &image->trusted, &error, aloud);
        }
        return error;
}

static int exec_prepare(struct image *image, const struct exec_strings *strings,
                        uintptr_t probe_frame, bool aloud)
{
        int error;
        struct exec_strings all = *strings;
        struct script *script = NULL;
        struct node *node = find_program(image->path, &image->trusted, &error, aloud);
        if (node)
                error = interpreter_of(&node, image, &script, aloud);
        all.script = script;
        if (!error)
                error = prepare_from(node, image, &all, probe_frame, aloud);
        heap_free(script);
        image->program = node;
        return error;
}

/* execve() ends a program's other threads, and waits for that; the caller then becomes the first
 * (execve(2), "Effect on process attributes"). False = it must end itself. */
static bool end_other_threads(void)
{
        struct thread *self = cpu_current;
        struct process *process = task()->process;
        if (process->executes)
                return false;
        process->executes = self;
        while (process->threads > 1 && !(cpu_work & WORK_EXIT)) {
                for (struct thread *t = process->members; t; t = task_of(t)->next_member)
                        if (t != self && t->state != THREAD_ENDED) {
                                signal_take_from(t);
                                t->work |= WORK_EXIT;
                                wake(t);
                        }
                wait_through(&process->children, UINT64_MAX);
        }
        process->executes = NULL;
        return !(cpu_work & WORK_EXIT);
}

static void become_first(struct thread *thread)
{
        struct process *process = task_of(thread)->process;
        process->leader->tid = thread->tid;
        thread->tid = thread->pid;
        process->leader = thread;
        thread_forget(); /* the first has ended */
}

/* From here on nothing can fail, and no other thread of the process runs. */
static void commit(struct thread *thread, const struct image *image, struct frame *frame)
{
        struct memory *old = thread->memory;
        bool lifted = old && limit_lifted(thread);
        heap_free((void *)task_of(thread)->process->path);
        node_release(task_of(thread)->process->program);
        task_of(thread)->process->path = image->path;
        task_of(thread)->process->program = image->program;
        usage_leave(thread);
        thread->memory = image->memory;
        thread->origin = image->origin;
        thread->trusted = image->trusted;
        if (!lifted)
                thread->limit = thread->memory->limit;
        limit_watch(thread);
        thread->quiet = thread->registered = thread->chooses = false;
        memset(thread->armed, 0, sizeof thread->armed);
        task_of(thread)->clear_tid = 0;
        task_of(thread)->name[0] = 0;
        ids_exec(task_of(thread)->process);
        task_of(thread)->signals.stack_size = 0;
        fpu_image(thread->fpu);
        start_frame(thread, frame, image->entry, image->sp);
        if (thread == cpu_current) {
                cpu_work &= (uint8_t)~WORK_SINGLE_STEP; /* it was pending for the old program */
                space_load(thread->memory->space);
                fpu_load(thread->fpu);
                segments_change(&thread->segments);
        }
        posture_changed(thread);
        memory_release(old);
        thread_give_back(thread);
}

int exec_load(struct thread *thread, const char *path, const struct exec_strings *strings,
              struct frame *frame, bool aloud)
{
        size_t size = strlen(path) + 1;
        struct image image = {.path = heap_allocate(size)};
        if (!image.path)
                return refuse_program(path, "out of memory", ENOMEM, aloud);
        memcpy(image.path, path, size);
        int error = exec_prepare(&image, strings, posture_probe_frame(thread), aloud);
        if (!error && thread == cpu_current && !end_other_threads())
                error = -EINTR;
        if (!error && task_of(thread)->robust)
                futex_owner_ends(thread);
        if (!error)
                futex_clear_tid(thread);
        if (error) {
                memory_release(image.memory);
                node_release(image.program);
                heap_free(image.path);
                return error;
        }
        if (thread == cpu_current)
                become_first(thread);
        commit(thread, &image, frame);
        return 0;
}

/* Handlers and open files belong to the old program. Now that its other threads have ended, only
 * another process may share their tables, and keeps them. */
static int become_image(const char *path, const struct exec_strings *strings)
{
        struct thread *thread = cpu_current;
        int error = exec_load(thread, path, strings, thread_frame(thread), false);
        if (error)
                return error;
        thread->measures = false;
        struct signal_actions *actions = OWN(task()->actions, signal_actions_copy);
        struct files *files = OWN(task()->files, files_copy);
        if (!actions || !files) {
                process_end_by(SIGKILL); /* there is no old program any more */
                signal_actions_release(actions);
                files_release(files);
                return -ENOMEM;
        }
        signal_actions_release(task()->actions);
        files_release(task()->files);
        task()->actions = actions;
        task()->files = files;
        signal_actions_reset(actions);
        files_exec(files);
        return 0;
}

long sys_execve(long text, long arguments, long environment, AFTER_3)
{
        const struct exec_strings strings = {NULL, (uintptr_t)arguments, (uintptr_t)environment,
                                             program_word(), user_read};
        char *path = heap_take(PATH_MAX);
        if (!path)
                return -ENOMEM;
        int error = path_read(path, (uintptr_t)text);
        if (!error)
                error = become_image(path, &strings);
        heap_free(path);
        if (error)
                return error;
        frame_leave();
}
