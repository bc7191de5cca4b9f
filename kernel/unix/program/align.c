/* align.c - moves the text of all entries within a line of 64 bytes: align=, toll_align().
 *
 * Each half begins at a line (KERNEL in entry/asm.inc), and behind the last one is room for one
 * more (linker.ld). The build lists the words that hold where an entry is, or how far something is
 * from one (tools/places.py); in the tables that the boot has sorted, and in that of names, a
 * word's value tells. Nothing else keeps the address of an entry but what ways_init() makes, and
 * stacks. */
#include "program/align.h"
#include "calls.h"
#include "cpu/cpu.h"
#include "entry/ways.h"
#include "lib/string.h"
#include "thread/posture.h"
#include "trap/marks.h"

extern char entry_start[], entry_end[];
extern const uint32_t entry_places[] __attribute__((weak)),
        entry_places_end[] __attribute__((weak));
extern const uintptr_t symbols[] __attribute__((weak)), symbols_end[] __attribute__((weak));

static void move_words(const void *from, const void *to, uintptr_t start, uintptr_t size,
                       uintptr_t by)
{
        for (uintptr_t *word = (uintptr_t *)from; word < (const uintptr_t *)to; word++)
                if (*word - start <= size)
                        *word += by;
}

__attribute__((no_sanitize("alignment"))) unsigned align_set(unsigned long to)
{
        uintptr_t start = (uintptr_t)entry_start, size = (uintptr_t)entry_end - start;
        __asm__(""
                : "+r"(start), "+r"(size)); /* not read again: the code that says it is changed */
        uintptr_t from = start % ALIGN_LINE, by = to - from;
        uintptr_t flags = flags_read(), cr0 = cr0_read();
        interrupts_off();
        cr0_write(cr0 & ~(uintptr_t)CR0_WP);
        for (const uint32_t *place = entry_places; place < entry_places_end; place++) {
                uintptr_t at = start - from + *place / 2;
                uint32_t *held = (uint32_t *)(*place / 2 < size ? at + from : at);
                *held += (uint32_t)(*place % 2 ? -by : by);
        }
        move_words(fault_fixups, program_states_end, start, size, by);
        move_words(symbols, symbols_end, start, size, by);
        memmove((char *)start + by, (char *)start, size);
        cr0_write(cr0);
        cpuid(0, 0);
        flags_back(flags);
        ways_init();
        return (unsigned)from;
}

long sys_toll_align(long bytes, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)bytes >= ALIGN_LINE)
                return -EINVAL;
        if (thread_count() > 1)
                return -EBUSY;
        ((struct frame *)cpu_stack - 1)->ax = align_set((unsigned long)bytes);
        posture_changed(cpu_current);
        frame_leave();
}
