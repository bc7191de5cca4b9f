/* switched.c - toll_part(): the parts at a switch to another thread (entry/part.def). */
#include "calls.h"
#include "cpu/alternatives.h"
#include "cpu/features.h"
#include "entry/ways.h"
#include "lib/printf.h"
#include "thread/schedule.h"
#include "thread/user.h"
#include "toll.h"

extern uint8_t stacks_part[];
extern const uint8_t stacks_parts[][PART_ROOM]; /* none, then the parts below */

static const struct {
        const char *id;
        uint32_t needs;
} parts[] = {
#define SWITCHED(id, needs) {id, needs},
#include "rows.def"
};

void switch_part(size_t part)
{
        text_write(stacks_part, stacks_parts[part], PART_ROOM);
}

long sys_toll_part(long index, long to, AFTER_2)
{
        struct toll_row row = {.suite = "switch"};
        if (!cpu_current->measures)
                return -EPERM;
        switch_part(0);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                if (!row_set_asked(parts[i].id) || index-- != 0)
                        continue;
                const char *missing = features_first(parts[i].needs, false);
                snprintf(row.id, sizeof row.id, "%s", parts[i].id);
                snprintf(row.missing, sizeof row.missing, "%s", missing ? missing : "");
                if (!missing)
                        switch_part(i + 1);
                return user_put((uintptr_t)to, &row);
        }
        return -ENOENT;
}
