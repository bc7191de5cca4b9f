/* isolation.c - two page tables for one program (entry/part/cr3.inc; Linux: PTI).
 *
 * The program's table has its own pages and a few of the kernel's: those that an entry touches
 * before it loads the full table. These are the text of the entries, SHOWN data (GDT, TSS, IDT, a
 * few words), the page of each stack that a frame is pushed to, and the page of stamps. Its root is
 * the page after the full one's, so one bit of CR3 chooses.
 *
 * The part itself loads both. Every other entry goes through a stub (isolation.asm) and leaves the
 * program on the full table until its next call by the part. Only the roots are separate. A page
 * mapped where the program had no page table before reaches the second root at the next selection.
 * Until then a fault there switches to the full table, which has it.
 *
 * With PCID (entry/part/cr3_pcid.inc) the full table has number 0, any program's ISOLATION_NUMBER.
 * What is flushed from the first is flushed from the second at the next way out: after INVLPG, a
 * slow exit, and a switch to another thread, which each fork makes. */
#include "isolation.h"
#include "cpu/alternatives.h"
#include "cpu/current.h"
#include "entry/entry.h"
#include "entry/ways.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "thread/thread.h"

#define ROOT_ENTRIES 512
#define PAIRED 0x800      /* set in the root's last entry: a second root follows in memory */
#define TRIED 64          /* frames to try until two are adjacent */
#define IST_ALWAYS IST_MC /* the last IST stack in use for programs at CPL 3 */

extern const char entry_start[], shown_text_end[], shown_data[], shown_data_end[];
extern const char isolation_stubs[], isolation_syscall[], isolation_syscall_compat[];
extern const uintptr_t flushes[], flushes_end[]; /* each page_forget() */
uint64_t isolation_stale;                        /* bit 0: the program's table is to be flushed */
uintptr_t isolation_found SHOWN;
uintptr_t isolation_root SHOWN;                 /* the program's */
uintptr_t isolation_ways[ISOLATION_WAYS] SHOWN; /* the target of each stub */

static pte_t *last_entry(uintptr_t root)
{
        return (pte_t *)DIRECT(root) + ROOT_ENTRIES - 1;
}

static bool is_paired(uintptr_t root)
{
        return *last_entry(root) & PAIRED;
}

/* Two adjacent frames, the first with an even number; 0 = none found. */
static uintptr_t take_two(void)
{
        uintptr_t taken[TRIED], two = 0;
        size_t n = 0;
        while (!two && n < TRIED && (taken[n] = frame_take())) {
                for (size_t i = 0; i < n; i++)
                        if ((taken[i] ^ taken[n]) == PAGE_SIZE)
                                two = taken[n] & ~(uintptr_t)PAGE_SIZE;
                n++;
        }
        while (n--)
                if (!two || (taken[n] & ~(uintptr_t)PAGE_SIZE) != two)
                        frame_free(taken[n]);
        return two;
}

/* Gives the current thread's memory a root with room for another behind it. */
static bool make_pair(struct memory *memory)
{
        uintptr_t old = memory->space, root = take_two();
        if (!root)
                return false;
        page_copy(DIRECT(root), DIRECT(old));
        page_clear(DIRECT(root + PAGE_SIZE));
        *last_entry(root) |= PAIRED;
        memory->space = root;
        space_load(root);
        frame_free(old);
        return true;
}

static void copy_program(uintptr_t root)
{
        memcpy(DIRECT(root + PAGE_SIZE), DIRECT(root), ROOT_ENTRIES / 2 * sizeof(pte_t));
}

static CAN_FAIL bool isolation_show(uintptr_t root, uintptr_t address)
{
        pte_t entry = *space_entry(root, address);
        return space_map(root + PAGE_SIZE, address, entry & PTE_ADDRESS, entry & ~PTE_ADDRESS);
}

static CAN_FAIL bool show_all(uintptr_t root, const char *from, const char *to)
{
        bool good = true;
        for (; from < to; from += PAGE_SIZE)
                good &= isolation_show(root, (uintptr_t)from);
        return good;
}

/* Maps the page of stamps, and the pages that programs see as well. */
static CAN_FAIL bool show_windows(uintptr_t root)
{
        bool good = true;
        for (uintptr_t at = VDSO_PAGE; at <= PROBE_ALIAS; at += PAGE_SIZE) {
                const pte_t *entry = space_entry(root, at);
                if (entry && (*entry & PTE_USER || at == PROBE_ALIAS))
                        good &= isolation_show(root, at);
        }
        return good;
}

static CAN_FAIL bool show_needed(uintptr_t root, uintptr_t stack)
{
        bool good = isolation_show(root, stack - PAGE_SIZE) && show_windows(root) &&
                    show_all(root, entry_start, shown_text_end) &&
                    show_all(root, shown_data, shown_data_end);
        for (unsigned i = 0; i < IST_ALWAYS; i++)
                good &= isolation_show(root, tss_main.ist[i] - PAGE_SIZE);
        return good;
}

static void destroy_both(uintptr_t root, uintptr_t start);
static void prune_both(struct memory *memory, uintptr_t address);
static struct text_jump
        destroys = {(uint8_t *)space_destroy, JUMP_NEAR, (uintptr_t)destroy_both, {0}, false},
        prunes = {(uint8_t *)space_prune, JUMP_NEAR, (uintptr_t)prune_both, {0}, false};

/* Replaces space_destroy(). */
static void destroy_both(uintptr_t root, uintptr_t start)
{
        if (is_paired(root)) {
                space_drop(root + PAGE_SIZE, KERNEL_BASE, 0, 0);
                frame_free(root + PAGE_SIZE);
        }
        text_exchange(&destroys);
        space_destroy(root, start);
        text_exchange(&destroys);
}

/* Replaces space_prune(). */
static void prune_both(struct memory *memory, uintptr_t address)
{
        text_exchange(&prunes);
        space_prune(memory, address);
        text_exchange(&prunes);
        if (is_paired(memory->space))
                copy_program(memory->space);
}

/* Called instead of INVLPG, which flushes the loaded number alone. Keeps all registers. */
static __attribute__((naked)) void forget_both(void)
{
        __asm__("invlpg (%rbx); movb $1, isolation_stale; ret");
}

/* The numbers stay in use, as the jumps do. Before that INVLPG is alone, and PCIDE is clear. */
void isolation_number(void)
{
        if (cr4_read() & CR4_PCIDE)
                return;
        for (const uintptr_t *at = flushes; at < flushes_end; at++)
                text_exchange(&(struct text_jump){
                        (uint8_t *)*at, CALL_NEAR, (uintptr_t)forget_both, {0}, false});
        cr4_write(cr4_read() | CR4_PCIDE);
}

static bool isolation_prepare(const struct thread *thread)
{
        struct memory *memory = thread->memory;
        if (!destroys.written) {
                text_exchange(&destroys);
                text_exchange(&prunes);
        }
        return (is_paired(memory->space) || make_pair(memory)) &&
               show_needed(memory->space, thread->stack_top);
}

static bool isolates(const struct selection *armed, uintptr_t entry)
{
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                if (armed[m].row && armed[m].row->isolate &&
                    (uintptr_t)armed[m].row->entry[armed[m].flavour == FLAVOUR_probed] == entry)
                        return true;
        return false;
}

/* Makes `*entry` point to the stub, and the stub to the old target. */
static void divert(const struct selection *armed, unsigned way, uintptr_t *entry, const void *stub)
{
        if (!*entry || isolates(armed, *entry))
                return;
        isolation_ways[way] = *entry;
        *entry = (uintptr_t)stub;
}

static const void *stub_of(unsigned way)
{
        return isolation_stubs + way * ISOLATION_STUB;
}

static void divert_gate(const struct selection *armed, unsigned way, struct gate *gate)
{
        uintptr_t entry = (gate->low & 0xffff) | (gate->low >> 32 & 0xffff0000) | gate->high << 32;
        divert(armed, way, &entry, stub_of(way));
        gate->low =
                (gate->low & 0x0000ffffffff0000) | (entry & 0xffff) | (entry >> 16 & 0xffff) << 48;
        gate->high = entry >> 32;
}

bool ways_isolate(struct ways *ways, const struct selection *armed)
{
        const struct thread *thread =
                (const void *)((const char *)armed - offsetof(struct thread, armed));
        if (!ways)
                return isolation_prepare(thread);
        if (!show_needed(thread->memory->space, thread->stack_top))
                __builtin_trap(); /* its tables existed when the part was selected */
        copy_program(thread->memory->space);
        isolation_stale = 1;
        isolation_root = thread->memory->space + PAGE_SIZE;
        for (unsigned vector = 0; vector < VECTORS; vector++)
                divert_gate(armed, vector, &ways->gates.idt[vector]);
        divert_gate(armed, ISOLATION_CALLGATE, &ways->gates.callgate);
        divert(armed, ISOLATION_SYSENTER, &ways->sysenter_ip, stub_of(ISOLATION_SYSENTER));
        divert(armed, ISOLATION_LSTAR, &ways->gates.lstar, isolation_syscall);
        divert(armed, ISOLATION_CSTAR, &ways->gates.cstar, isolation_syscall_compat);
        return true;
}
