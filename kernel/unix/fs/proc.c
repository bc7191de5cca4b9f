/* proc.c - the tree of /proc: nodes, look-ups, links, and its files. */
#include "fs/proc.h"
#include "cpu/current.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/pipe.h"
#include "node/quota.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "process/process.h"
#include "thread/thread.h"

#define PLACE_FIRST 3      /* positions of a table's entries; `.` is 1, `..` is 2 */
#define PLACE_MORE 64      /* positions of processes and descriptors */
#define STATIC 0xf0000000u /* node numbers outside of processes */

struct proc {
        struct node node;
        const struct proc_entry *entry;
        uint32_t pid; /* 0: the machine */
        int fd;       /* descriptor of a link, else -1 */
};

static const struct node_kind directory_node, file_node, link_node;
static const struct proc_entry root_entry = {"", S_IFDIR | 0555, .below = proc_machine};
static const struct proc_entry process_entry = {"", S_IFDIR | 0555, .below = proc_of};
static const struct proc_entry fd_entry = {"", .mode = S_IFLNK | 0700};

static const struct proc *proc_file_of(const struct node *node)
{
        return (const struct proc *)node;
}

static struct node *proc_make(struct node *parent, const struct proc_entry *entry, const char *name,
                              uint32_t number)
{
        struct proc *proc = heap_allocate(sizeof *proc);
        char *copy = proc ? quota_name(name) : NULL;
        if (!copy) {
                heap_free(proc);
                return NULL;
        }
        uint32_t type = entry->mode & S_IFMT;
        *proc = (struct proc){
                .node = {.users = 1,
                         .mode = entry->mode,
                         .number = number,
                         .device = parent->device,
                         .kind = type == S_IFDIR   ? &directory_node
                                 : type == S_IFLNK ? &link_node
                                                   : &file_node,
                         .parent = node_hold(parent),
                         .name = copy},
                .entry = entry,
                .pid = proc_file_of(parent)->pid,
                .fd = -1,
        };
        return &proc->node;
}

struct node *proc_root(uint32_t device)
{
        struct proc *root = heap_allocate(sizeof *root);
        if (!root)
                return NULL;
        *root = (struct proc){.node = {.users = 1,
                                       .mode = root_entry.mode,
                                       .number = 1,
                                       .device = device,
                                       .kind = &directory_node},
                              .entry = &root_entry,
                              .fd = -1};
        return &root->node;
}

static bool is_root(const struct node *node)
{
        return proc_file_of(node)->entry == &root_entry;
}

/* Directory with a name for each open file of its process. */
static bool is_fds(const struct node *node)
{
        return proc_file_of(node)->pid && proc_file_of(node)->entry != &process_entry;
}

static uint32_t number_of(const struct node *directory, size_t index)
{
        uint32_t pid = proc_file_of(directory)->pid;
        return pid ? pid << 11 | (uint32_t)(FILES + 1 + index)
                   : STATIC | (directory->number * 16 + (uint32_t)index + 1);
}

/* A number without leading zeros that fits an int, or -1. */
static int64_t number_from(const char *name)
{
        int64_t number = 0;
        if (*name == '0' && name[1])
                return -1;
        for (const char *c = name; *c; c++) {
                if (*c < '0' || *c > '9' || c - name > 9)
                        return -1;
                number = number * 10 + *c - '0';
        }
        return *name && number <= INT32_MAX ? number : -1;
}

static struct node *find_process(struct node *root, const char *name)
{
        int64_t pid = number_from(name);
        if (pid <= 0 || !process_find((uint32_t)pid))
                return NULL;
        struct node *node = proc_make(root, &process_entry, name, (uint32_t)pid << 11);
        if (node)
                ((struct proc *)node)->pid = (uint32_t)pid;
        return node;
}

static struct node *find_fd(struct node *directory, const struct process *process, const char *name)
{
        int64_t fd = number_from(name);
        if (fd < 0 || fd >= FILES || !proc_file(process, (unsigned)fd))
                return NULL;
        struct node *node = proc_make(directory, &fd_entry, name,
                                      (proc_file_of(directory)->pid << 11) + 1 + (uint32_t)fd);
        if (node)
                ((struct proc *)node)->fd = (int)fd;
        return node;
}

/* The process of a node, or -ESRCH: it was reaped. NULL: the node is about the machine. */
static int process_of(const struct node *node, const struct process **process)
{
        *process = proc_file_of(node)->pid ? process_find(proc_file_of(node)->pid) : NULL;
        return proc_file_of(node)->pid && !*process ? -ESRCH : 0;
}

static int proc_find(struct node *directory, const char *name, struct node **found)
{
        const struct process *process;
        int error = process_of(directory, &process);
        if (error)
                return error;
        const struct proc_entry *below = proc_file_of(directory)->entry->below;
        for (size_t i = 0; below && below[i].name && !*found; i++)
                if (!strcmp(below[i].name, name))
                        *found = proc_make(directory, &below[i], name, number_of(directory, i));
        if (!*found && is_root(directory))
                *found = find_process(directory, name);
        if (!*found && is_fds(directory))
                *found = find_fd(directory, process, name);
        return *found ? 0 : -ENOENT;
}

/* Lists the entries after the table: processes, or descriptors. */
static int list_more(struct node *directory, const struct process *process, uint64_t place,
                     struct listed *next)
{
        uint32_t after = place < PLACE_MORE ? 0 : (uint32_t)(place - PLACE_MORE);
        if (is_root(directory)) {
                const struct process *found = proc_next(after);
                if (!found)
                        return -ENOENT;
                *next = (struct listed){PLACE_MORE + found->pid, found->pid << 11, S_IFDIR, {0}};
                snprintf(next->name, sizeof next->name, "%u", found->pid);
                return 0;
        }
        int fd = is_fds(directory) ? proc_next_file(process, after) : -1;
        if (fd < 0)
                return -ENOENT;
        *next = (struct listed){PLACE_MORE + (unsigned)fd + 1,
                                (proc_file_of(directory)->pid << 11) + 1 + (uint32_t)fd,
                                S_IFLNK,
                                {0}};
        snprintf(next->name, sizeof next->name, "%d", fd);
        return 0;
}

static int proc_list(struct node *directory, uint64_t place, struct listed *next)
{
        const struct process *process;
        if (process_of(directory, &process))
                return -ENOENT;
        const struct proc_entry *below = proc_file_of(directory)->entry->below;
        size_t index = place < PLACE_FIRST ? 0 : (size_t)(place - PLACE_FIRST) + 1, count = 0;
        while (below && below[count].name)
                count++;
        if (place >= PLACE_MORE || index >= count)
                return list_more(directory, process, place, next);
        *next = (struct listed){
                PLACE_FIRST + index, number_of(directory, index), below[index].mode, {0}};
        memcpy(next->name, below[index].name, strlen(below[index].name) + 1);
        return 0;
}

static const struct node_kind directory_node = {.file = &directory_kind,
                                                .refuses = -EPERM,
                                                .stat = node_stat_directory,
                                                .free = node_free,
                                                .find = proc_find,
                                                .list = proc_list,
                                                .uncreated = -ENOENT};

static int follow(struct node *link, struct node **to)
{
        const struct process *process;
        const struct proc *proc = proc_file_of(link);
        if (!proc->pid) { /* self */
                char name[12];
                snprintf(name, sizeof name, "%u", cpu_current ? cpu_current->pid : 0);
                *to = find_process(link->parent, name);
                return *to ? 0 : -ENOENT;
        }
        if (process_of(link, &process))
                return -ENOENT;
        if (proc->fd < 0)
                return proc->entry->follow(process, to);
        const struct file *file = proc_file(process, (unsigned)proc->fd);
        if (!file)
                return -ENOENT;
        if (!file->node) /* a pipe can be opened again, a socket cannot */
                return (*to = pipe_node(file)) ? 0 : -ENXIO;
        *to = node_hold(file->node);
        return 0;
}

/* The path of the link's target, and whether it has one. */
static int proc_target(struct node *link, char text[PATH_MAX])
{
        struct node *to = NULL;
        if (!proc_file_of(link)->pid) {
                snprintf(text, PATH_MAX, "%u", cpu_current ? cpu_current->pid : 0);
                return cpu_current ? 0 : -ENOENT;
        }
        const struct process *process = process_find(proc_file_of(link)->pid);
        const struct file *file = process && proc_file_of(link)->fd >= 0
                                          ? proc_file(process, (unsigned)proc_file_of(link)->fd)
                                          : NULL;
        if (file && !file->node) {
                snprintf(text, PATH_MAX, "%s:[%u]", file->kind->name, file->number);
                return 0;
        }
        int error = follow(link, &to);
        if (!error)
                error = node_path_told(to, text);
        node_release(to);
        return error;
}

/* The root's link is a text that a path continues from; the others lead directly to a node. */
static void stat_link(struct node *link, struct facts *facts)
{
        facts->size = proc_file_of(link)->fd < 0 ? 0 : 64;
}

static const struct node_kind link_node = {.refuses = -EPERM,
                                           .stat = stat_link,
                                           .free = node_free,
                                           .target = proc_target,
                                           .follow = follow};

/* Reads one page at most. */
static long proc_read(struct file *file, uintptr_t to, size_t size)
{
        if (!size)
                return 0;
        const struct process *process;
        int error = process_of(file->node, &process);
        if (error)
                return error;
        struct text text = {.to = heap_allocate(PAGE_SIZE),
                            .from = file->position,
                            .room = size < PAGE_SIZE ? size : PAGE_SIZE};
        if (!text.to)
                return -ENOMEM;
        proc_file_of(file->node)->entry->show(&text, process);
        long done = (long)text.size;
        if (user_write(to, text.to, text.size))
                done = -EFAULT;
        else
                file->position += text.size;
        heap_free(text.to);
        return done;
}

#define SETTING 65 /* the longest that has a meaning, as Linux's names of hosts are */

static long proc_write(struct file *file, uintptr_t from, size_t size)
{
        char text[SETTING];
        const struct proc_entry *entry = proc_file_of(file->node)->entry;
        size_t part = size < sizeof text ? size : sizeof text;
        if (!entry->set)
                return proc_file_of(file->node)->pid ? -EINVAL : -EIO;
        if (user_read(text, from, part))
                return -EFAULT;
        if (!file->position)
                entry->set(text, part);
        file->position += size;
        return (long)size;
}

const struct file_kind proc_plain_kind = {"proc", .read = proc_read, .write = proc_write,
                                          .seek = file_seek_node};
const struct file_kind proc_memory_kind = {"proc", .read = proc_read, .write = proc_write,
                                           .seek = file_seek_endless};

static int proc_open(struct file *file)
{
        bool writes = (file->flags & O_ACCMODE) != O_RDONLY;
        const struct file_kind *kind = proc_file_of(file->node)->entry->kind;
        if (kind)
                file_become(file, kind);
        return writes ? proc_file_of(file->node)->entry->refuses : 0;
}

/* Truncation has no effect. */
static int proc_cut(struct node *node, uint64_t size)
{
        return 0;
}

static const struct file_kind file_kind = {"proc", .read = proc_read, .write = proc_write,
                                           .seek = file_seek_endless, .in_sequence = true};
static const struct node_kind file_node = {.file = &file_kind,
                                           .open = proc_open,
                                           .refuses = -EPERM,
                                           .free = node_free,
                                           .cut = proc_cut};
