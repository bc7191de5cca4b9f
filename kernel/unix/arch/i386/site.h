/* site.h - i386's programs call through AT_SYSINFO: nothing is rewritten. */
#pragma once
#include "mem/memory.h"
#include "lib/elf.h"
#include "entry/ways.h"
#include "thread/user.h"

static inline bool sites_prepare(struct memory *memory, const struct elf *elf, struct node *node,
                                 const char *path, unsigned *text)
{
        *text = 0;
        return true;
}

static inline uintptr_t sites_frame(const struct node *node, uint64_t offset)
{
        return 0;
}

static inline unsigned sites_count(const struct node *node, uintptr_t start, uintptr_t end)
{
        return 0;
}

static inline bool site_left(struct frame *frame)
{
        return false;
}

/* Repeats a direct call: AT_SYSINFO points to `call [cpu_direct]` in the gate page. Below its
 * return address are the flags and PUSHAD's registers (entry/trusted/origin.inc), including the
 * number, because the program has not run since. False = it was another call, or the stack no
 * longer exists. */
static __attribute__((noinline, unused)) bool site_repeat_direct(struct frame *frame)
{
        struct {
                uint8_t call[2];
                uint32_t pointer;
        } __attribute__((packed)) code;
        struct {
                uint32_t number, flags, back;
        } below;
        if (user_get(&below, frame->sp - sizeof below) || below.back != frame->ip ||
            below.number >= CALLS || user_read_code(&code, frame->ip - sizeof code, sizeof code) ||
            code.call[0] != 0xff || code.call[1] != 0x15 || code.pointer != (uintptr_t)&cpu_direct)
                return false;
        frame->ip -= sizeof code;
        frame->ax = below.number;
        return true;
}
