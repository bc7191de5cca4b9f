/* ids.c - the user and group ids of a process: real, effective and saved. They are stored and
 * reported; only an effective root may choose them freely (setresuid(2)). Nothing else uses them.
 */
#include "process/identity.h"
#include "thread/user.h"
#include "calls.h"
#include "process/process.h"

#define KEEP UINT32_MAX
#define ANY (1 << REAL | 1 << EFFECTIVE | 1 << SAVED)

uint32_t id_of(unsigned kind, unsigned which)
{
        return cpu_current ? settings_of(task()->process)->ids[kind][which] : 0;
}

/* Whether `id` is allowed: one of its ids in `among`, a bit each. */
static bool may_be(unsigned kind, uint32_t id, unsigned among)
{
        bool found = id == KEEP || !id_of(ID_USER, EFFECTIVE);
        for (unsigned i = 0; i < IDS; i++)
                found |= among >> i & 1 && id_of(kind, i) == id;
        return found;
}

static long set_all(unsigned kind, uint32_t real, uint32_t effective, uint32_t saved)
{
        const uint32_t to[IDS] = {real, effective, saved};
        struct settings *settings = resource_settings(task()->process);
        if (!settings)
                return -ENOMEM;
        for (unsigned i = 0; i < IDS; i++)
                if (!may_be(kind, to[i], ANY))
                        return -EPERM;
        if (effective != KEEP && effective != settings->ids[kind][EFFECTIVE]) {
                settings->undumpable = true; /* prctl(2) */
                task()->death_signal = 0;
        }
        for (unsigned i = 0; i < IDS; i++)
                if (to[i] != KEEP)
                        settings->ids[kind][i] = to[i];
        return 0;
}

static long set_one(unsigned kind, uint32_t id)
{
        uint32_t others = id_of(ID_USER, EFFECTIVE) ? KEEP : id;
        if (id == KEEP)
                return -EINVAL;
        return may_be(kind, id, 1 << REAL | 1 << SAVED) ? set_all(kind, others, id, others)
                                                        : -EPERM;
}

static long set_both(unsigned kind, uint32_t real, uint32_t effective)
{
        bool saves = real != KEEP || (effective != KEEP && effective != id_of(kind, REAL));
        uint32_t now = effective != KEEP ? effective : id_of(kind, EFFECTIVE);
        return may_be(kind, real, 1 << REAL | 1 << EFFECTIVE)
                       ? set_all(kind, real, effective, saves ? now : KEEP)
                       : -EPERM;
}

void ids_exec(struct process *process)
{
        struct settings *settings = process->settings;
        for (unsigned kind = 0; settings && kind < 2; kind++) {
                settings->ids[kind][SAVED] = settings->ids[kind][EFFECTIVE];
                settings->undumpable = false;
        }
}

#define TOLD(name, kind, which)                                                                    \
        long sys_##name(AFTER_0)                                                                   \
        {                                                                                          \
                return (long)id_of(kind, which);                                                   \
        }
#define IDENTITY(id, kind)                                                                         \
        TOLD(get##id, kind, REAL)                                                                  \
        TOLD(gete##id, kind, EFFECTIVE)                                                            \
        TOLD(get##id##32, kind, REAL)                                                              \
        TOLD(gete##id##32, kind, EFFECTIVE)                                                        \
        long sys_set##id(long wanted, AFTER_1)                                                     \
        {                                                                                          \
                return set_one(kind, (uint32_t)wanted);                                            \
        }                                                                                          \
        long sys_setre##id(long real, long effective, AFTER_2)                                     \
        {                                                                                          \
                return set_both(kind, (uint32_t)real, (uint32_t)effective);                        \
        }                                                                                          \
        long sys_setres##id(long real, long effective, long saved, AFTER_3)                        \
        {                                                                                          \
                return set_all(kind, (uint32_t)real, (uint32_t)effective, (uint32_t)saved);        \
        }                                                                                          \
        long sys_getres##id(long real_at, long effective_at, long saved_at, AFTER_3)               \
        {                                                                                          \
                const uint32_t *ids = settings_of(task()->process)->ids[kind];                     \
                int error = user_put((uintptr_t)real_at, &ids[REAL]);                              \
                error = error ? error : user_put((uintptr_t)effective_at, &ids[EFFECTIVE]);        \
                return error ? error : user_put((uintptr_t)saved_at, &ids[SAVED]);                 \
        }
IDENTITY(uid, ID_USER)
IDENTITY(gid, ID_GROUP)
