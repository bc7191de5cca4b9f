/* lock.c - record locks (fcntl(2), "Advisory record locking"; flock(2)).
 *
 * All locks are in one table, hashed by file. An owner's locks on a file do not overlap, are sorted
 * and adjacent, so that F_GETLK reports the same lock as Linux. A lock ends when its owner closes
 * the file. */
#include "file/lock.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "node/node.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/task.h"
#include "process/missing.h"

#define LOCKS_MOST 4096   /* locks of all processes */
#define LOCKS_OF_ONE 1024 /* locks of one owner */
#define FILES_BY_HASH 64
#define LAST INT64_MAX     /* end of a lock that extends to any file's end */
#define DEADLOCK_STEPS 200 /* as many steps as threads */

#define LOCK_SH 1 /* flock() */
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

/* Identifies a file: a node by file system and number, as some nodes are new at each look-up. */
struct key {
        uintptr_t object;
        uint32_t number;
};

struct lock {
        struct lock *next;
        struct key key;
        struct lock_owner *owner;
        int64_t start, end; /* `end` is the last byte */
        int32_t pid;        /* -1: an open file's lock */
        int8_t type;
        bool whole; /* flock()'s, which does not conflict with the others */
};

/* A requested lock; on the kernel stack of the waiting thread. */
struct wanted {
        struct key key;
        struct lock_owner *owner;
        int64_t start, end;
        int32_t pid;
        int8_t type;
        bool whole;
        struct thread *thread;
        const struct lock_owner *blocker; /* NULL: check again */
        bool by_process;                  /* the blocker is one, not an open file */
        struct wanted *next;
};

static struct lock *table[FILES_BY_HASH];
static unsigned count;
static struct wanted *waiting;

static struct key key_of(const struct file *file)
{
        const struct node *node = file->node;
        return node ? (struct key){node->device, node->number}
                    : (struct key){(uintptr_t)file->data, 0};
}

static bool is_same(const struct key *one, const struct key *other)
{
        return one->object == other->object && one->number == other->number;
}

static struct lock **list_of(const struct key *key)
{
        return &table[(key->object / 64 + key->number) % FILES_BY_HASH];
}

static bool is_own(const struct lock *lock, const struct wanted *w)
{
        return is_same(&lock->key, &w->key) && lock->owner == w->owner && lock->whole == w->whole;
}

static bool overlaps(const struct lock *lock, const struct wanted *w)
{
        return lock->start <= w->end && w->start <= lock->end;
}

static struct lock *conflict_of(const struct wanted *w)
{
        const bool own = w->type == F_UNLCK; /* F_OFD_GETLK asks for the owner's locks */
        for (struct lock *lock = *list_of(&w->key); lock; lock = lock->next) {
                interrupt_window();
                if (is_same(&lock->key, &w->key) && (lock->owner == w->owner) == own &&
                    lock->whole == w->whole && overlaps(lock, w) &&
                    (own || lock->type == F_WRLCK || w->type == F_WRLCK))
                        return lock;
        }
        return NULL;
}

static void take_out(struct lock **link)
{
        struct lock *lock = *link;
        *link = lock->next;
        lock->owner->locks--;
        count--;
        heap_free(lock);
}

/* Inserts before the owner's first lock that begins later, or last. */
static void put_in(struct lock *lock, const struct wanted *w, int64_t start, int64_t end, int type)
{
        *lock = (struct lock){.key = w->key,
                              .owner = w->owner,
                              .start = start,
                              .end = end,
                              .pid = w->pid,
                              .type = (int8_t)type,
                              .whole = w->whole};
        struct lock **link = list_of(&w->key), **behind = NULL;
        for (; *link; link = &(*link)->next) {
                interrupt_window();
                if (!is_own(*link, w))
                        continue;
                if ((*link)->start >= start) {
                        behind = link;
                        break;
                }
                behind = &(*link)->next;
        }
        link = behind ? behind : link;
        lock->next = *link;
        *link = lock;
        w->owner->locks++;
        count++;
}

/* This owner's locks of that file have changed. */
static void wake_waiting(const struct key *key, const struct lock_owner *owner)
{
        for (struct wanted *w = waiting; w; w = w->next) {
                interrupt_window();
                if (w->blocker == owner && is_same(&w->key, key)) {
                        w->blocker = NULL;
                        wake(w->thread);
                }
        }
}

/* Changes the owner's locks there to the wanted type, or removes them (F_UNLCK). The new lock is
 * inserted before any is removed, so that the owner keeps its place. */
static long lock_settle(struct wanted *w)
{
        struct lock *spare[2] = {heap_allocate(sizeof *spare[0]), heap_allocate(sizeof *spare[0])};
        bool room = count + 2 <= LOCKS_MOST && w->owner->locks + 2 <= LOCKS_OF_ONE;
        int64_t start = w->start, end = w->end;
        if (!spare[0] || !spare[1] || (!room && w->type != F_UNLCK)) {
                heap_free(spare[0]);
                heap_free(spare[1]);
                return -ENOLCK;
        }
        struct lock *made = w->type == F_UNLCK ? NULL : spare[0];
        if (made) {
                put_in(made, w, start, end, w->type);
                spare[0] = NULL;
        }
        for (struct lock **link = list_of(&w->key), *lock; (lock = *link);) {
                interrupt_window();
                bool joins = lock->type == w->type &&
                             (w->end == LAST || lock->start <= w->end + 1) &&
                             (lock->end == LAST || w->start <= lock->end + 1);
                if (lock == made || !is_own(lock, w) || (!joins && !overlaps(lock, w))) {
                        link = &lock->next;
                } else if (joins) {
                        start = lock->start < start ? lock->start : start;
                        end = lock->end > end ? lock->end : end;
                        take_out(link);
                } else if (lock->start < w->start && lock->end > w->end) {
                        int64_t behind = lock->end;
                        lock->end = w->start - 1;
                        put_in(spare[1], w, w->end + 1, behind, lock->type);
                        spare[1] = NULL;
                        break;
                } else if (lock->start < w->start) {
                        lock->end = w->start - 1;
                        link = &lock->next;
                } else if (lock->end > w->end) {
                        lock->start = w->end + 1;
                        link = &lock->next;
                } else {
                        take_out(link);
                }
        }
        if (made) {
                made->start = start;
                made->end = end;
        }
        heap_free(spare[0]);
        heap_free(spare[1]);
        wake_waiting(&w->key, w->owner);
        return 0;
}

static struct files *files_of(const struct lock_owner *owner)
{
        return (struct files *)((uintptr_t)owner - offsetof(struct files, owner));
}

/* Whether the process with the conflicting lock waits, directly or through others, for a lock of
 * this one. Each step is short, as a process knows its first request that waits. As on Linux, what
 * its other threads wait for does not count. */
static bool would_deadlock(const struct wanted *mine, const struct lock *conflict)
{
        const struct lock_owner *blocker = conflict->pid >= 0 ? conflict->owner : NULL;
        for (unsigned i = 0; i < DEADLOCK_STEPS && blocker; i++) {
                if (blocker == mine->owner)
                        return true;
                const struct wanted *w = files_of(blocker)->waits;
                blocker = w && w->by_process ? w->blocker : NULL;
        }
        return false;
}

static void note_first(const struct wanted *mine)
{
        const struct wanted *w = waiting;
        if (mine->pid < 0)
                return;
        while (w && (w->owner != mine->owner || w->pid < 0))
                w = w->next;
        files_of(mine->owner)->waits = w;
}

/* Waits until the conflicting lock is released. False = a signal came first. */
static bool wait_for(struct wanted *w, const struct lock *conflict)
{
        struct wanted **link = &waiting;
        while (*link)
                link = &(*link)->next;
        *link = w;
        w->thread = cpu_current;
        w->blocker = conflict->owner;
        w->by_process = conflict->pid >= 0;
        note_first(w);
        bool woken = true;
        while (w->blocker && woken)
                woken = wait_woken();
        for (link = &waiting; *link != w;)
                link = &(*link)->next;
        *link = w->next;
        w->next = NULL;
        note_first(w);
        return woken;
}

/* Another thread may close the file during the wait: then the lock would have no owner. */
static long lock_set(struct file *file, long fd, struct wanted *w, bool waits)
{
        const struct lock *conflict;
        while (w->type != F_UNLCK && (conflict = conflict_of(w))) {
                if (!waits)
                        return -EAGAIN;
                if (w->pid >= 0 && would_deadlock(w, conflict))
                        return -EDEADLK;
                file_hold(file);
                bool woken = wait_for(w, conflict);
                bool open = file_of(fd) == file;
                file_release(file);
                if (!woken)
                        return call_interrupted(ERESTARTSYS);
                if (!open)
                        return -EBADF;
        }
        return lock_settle(w);
}

void locks_forget(struct lock_owner *owner, const struct file *file)
{
        struct key key = key_of(file);
        for (struct lock **link = list_of(&key); *link;) {
                interrupt_window();
                if ((*link)->owner == owner && is_same(&(*link)->key, &key))
                        take_out(link);
                else
                        link = &(*link)->next;
        }
        wake_waiting(&key, owner);
}

/* struct flock of 64-bit programs; then struct flock and struct flock64 of 32-bit ones */
struct flock_wide {
        int16_t type, whence;
        int32_t reserved;
        int64_t start, length;
        int32_t pid, reserved_28;
};
struct flock_narrow {
        int16_t type, whence;
        int32_t start, length, pid;
};
struct flock_64 {
        int16_t type, whence;
        int64_t start, length;
        int32_t pid;
} __attribute__((packed));
_Static_assert(sizeof(struct flock_wide) == 32 && sizeof(struct flock_narrow) == 16 &&
                       sizeof(struct flock_64) == 24,
               "flock");

enum form { WIDE, NARROW, NARROW_64 };

static int lock_get(struct flock_wide *lock, uintptr_t from, enum form form)
{
        struct flock_narrow narrow;
        struct flock_64 large;
        int error = form == WIDE     ? user_get(lock, from)
                    : form == NARROW ? user_get(&narrow, from)
                                     : user_get(&large, from);
        if (form == NARROW)
                *lock = (struct flock_wide){narrow.type,   narrow.whence, 0, narrow.start,
                                            narrow.length, narrow.pid,    0};
        if (form == NARROW_64)
                *lock = (struct flock_wide){large.type,   large.whence, 0, large.start,
                                            large.length, large.pid,    0};
        return error;
}

static int lock_put(const struct flock_wide *lock, uintptr_t to, enum form form)
{
        const struct flock_narrow narrow = {
                lock->type, lock->whence, (int32_t)lock->start,
                lock->length > INT32_MAX ? INT32_MAX : (int32_t)lock->length, lock->pid};
        const struct flock_64 large = {lock->type, lock->whence, lock->start, lock->length,
                                       lock->pid};
        if (form == NARROW && lock->start > INT32_MAX)
                return -EOVERFLOW;
        return form == WIDE     ? user_put(to, lock)
               : form == NARROW ? user_put(to, &narrow)
                                : user_put(to, &large);
}

/* The first and the last byte. */
static int range_of(const struct flock_wide *lock, const struct file *file, struct wanted *w)
{
        int64_t base = lock->whence == SEEK_CUR   ? (int64_t)file->position
                       : lock->whence != SEEK_END ? 0
                       : file->node               ? (int64_t)node_facts(file->node).size
                                                  : 0;
        if ((uint16_t)lock->whence > SEEK_END)
                return -EINVAL;
        if (__builtin_add_overflow(base, lock->start, &w->start))
                return -EOVERFLOW;
        if (w->start < 0)
                return -EINVAL;
        w->end = LAST;
        if (lock->length > 0 && __builtin_add_overflow(w->start, lock->length - 1, &w->end))
                return -EOVERFLOW;
        if (lock->length < 0) {
                w->end = w->start - 1;
                w->start += lock->length;
        }
        return w->start < 0 ? -EINVAL : 0;
}

/* F_GETLK: reports the conflicting lock, or none. */
static long lock_tell(struct flock_wide *lock, const struct wanted *w, uintptr_t to, enum form form)
{
        const struct lock *conflict = conflict_of(w);
        lock->type = F_UNLCK;
        if (conflict)
                *lock = (struct flock_wide){
                        .type = conflict->type,
                        .whence = SEEK_SET,
                        .start = conflict->start,
                        .length = conflict->end == LAST ? 0 : conflict->end - conflict->start + 1,
                        .pid = conflict->pid};
        return lock_put(lock, to, form);
}

static bool may_have(const struct file *file, int type)
{
        unsigned mode = file->flags & O_ACCMODE;
        return type == F_RDLCK ? mode != O_WRONLY : type != F_WRLCK || mode != O_RDONLY;
}

static const struct command {
        unsigned number, as; /* as: equivalent to F_GETLK, F_SETLK or F_SETLKW */
        bool large, narrow;  /* uses the 64-bit structure; only 32-bit programs have it */
        bool open_files;
} commands[] = {
        {F_GETLK, F_GETLK, false, false, false},     {F_SETLK, F_SETLK, false, false, false},
        {F_SETLKW, F_SETLKW, false, false, false},   {F_GETLK64, F_GETLK, true, true, false},
        {F_SETLK64, F_SETLK, true, true, false},     {F_SETLKW64, F_SETLKW, true, true, false},
        {F_OFD_GETLK, F_GETLK, true, false, true},   {F_OFD_SETLK, F_SETLK, true, false, true},
        {F_OFD_SETLKW, F_SETLKW, true, false, true},
};

static const struct command *command_of(unsigned number, bool large)
{
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
                const struct command *c = &commands[i];
                if (c->number == number)
                        return call_narrow() ? (large || !c->large ? c : NULL)
                               : c->narrow   ? NULL
                                             : c;
        }
        return NULL;
}

long lock_command(struct file *file, long fd, unsigned number, uintptr_t at, bool large)
{
        const struct command *c = command_of(number, large);
        enum form form = !call_narrow() ? WIDE : c && c->large ? NARROW_64 : NARROW;
        struct flock_wide lock;
        if (!c)
                return missing_request(MISSING_fcntl, number, -EINVAL);
        if (lock_get(&lock, at, form))
                return -EFAULT;
        struct wanted w = {.key = key_of(file),
                           .owner = c->open_files ? &file->owner : &task()->files->owner,
                           .pid = c->open_files ? -1 : (int32_t)cpu_current->pid,
                           .type = (int8_t)lock.type};
        if ((uint16_t)lock.type > (c->as == F_GETLK && !c->open_files ? F_WRLCK : F_UNLCK) ||
            (c->open_files && lock.pid))
                return -EINVAL;
        int error = range_of(&lock, file, &w);
        if (error)
                return error;
        if (c->as == F_GETLK)
                return lock_tell(&lock, &w, at, form);
        return may_have(file, w.type) ? lock_set(file, fd, &w, c->as == F_SETLKW) : -EBADF;
}

/* A lock that changes its type is released before the wait for the new one. */
long sys_flock(long fd, long how, AFTER_2)
{
        struct file *file = file_of(fd);
        unsigned type = (unsigned)how & ~(unsigned)LOCK_NB;
        if (!file)
                return -EBADF;
        if (type != LOCK_SH && type != LOCK_EX && type != LOCK_UN)
                return -EINVAL;
        struct wanted w = {.key = key_of(file),
                           .owner = &file->owner,
                           .pid = -1,
                           .type = F_UNLCK,
                           .end = LAST,
                           .whole = true};
        int wanted = type == LOCK_SH ? F_RDLCK : type == LOCK_EX ? F_WRLCK : F_UNLCK;
        const struct lock *own = *list_of(&w.key);
        while (own && !is_own(own, &w))
                own = own->next;
        if (own && own->type == wanted)
                return 0;
        if (own)
                lock_settle(&w);
        w.type = (int8_t)wanted;
        return lock_set(file, fd, &w, !(how & LOCK_NB));
}
