/* proc.h - /proc: facts about the machine and its processes, as text that is generated when it is
 * read, in Linux's format (proc(5)).
 *
 * A directory is a table of entries; the root and a process's fd have changing entries, too. Each
 * look-up makes nodes, which are freed with their last use. A process may end at any time: then its
 * nodes return -ESRCH. */
#pragma once
#include "node/node.h"
#include "fs/text.h"

struct file;
struct memory;
struct process;

/* `process`: the entry's process; NULL: an entry about the machine. */
struct proc_entry {
        const char *name; /* NULL = end of table */
        uint32_t mode;
        void (*show)(struct text *text, const struct process *process);
        int (*set)(const char *text, size_t size); /* receives the written text; NULL: -EIO or
                                                    * -EINVAL */
        int refuses;                               /* error for opening it to write */
        const struct file_kind *kind;              /* NULL: text in sequence, without pwrite() */
        const struct proc_entry *below;            /* entries of a directory */
        int (*follow)(const struct process *process, struct node **to); /* target of a link: held */
};

struct node *proc_root(uint32_t device); /* NULL = no room */

extern const struct proc_entry proc_machine[]; /* the root's: proc_machine.c */
extern const struct proc_entry proc_of[];      /* entries of each process: proc_process.c */
extern const struct proc_entry proc_sys[];     /* proc_sys.c */
extern const struct file_kind proc_plain_kind; /* its length is 0, not unknown */
extern const struct file_kind proc_memory_kind;

struct process *proc_next(uint32_t pid);
struct memory *proc_memory(const struct process *process); /* NULL: it has ended */
/* An open file of a process, and its first descriptor from `fd` on, -1 = none. */
struct file *proc_file(const struct process *process, unsigned fd);
int proc_next_file(const struct process *process, unsigned fd);

/* proc_machine.c: also used for each process */
void proc_mounts(struct text *text, const struct process *process);
/* proc_maps.c */
void proc_maps(struct text *text, const struct process *process);
