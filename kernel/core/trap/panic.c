/* panic.c - ends the kernel after a bug in it: the cause, registers, a backtrace. */
#include "trap/panic.h"
#include "above.h"
#include <stdarg.h>
#include "cpu/cpu.h"
#include "cpu/symbol.h"
#include "machine/console.h"
#include "lib/printf.h"
#include "mem/space.h"

/* Whether a frame-pointer chain may be followed here: a mapped kernel address. */
static bool is_stack(uintptr_t address)
{
        return address >= KERNEL_BASE && !(address & (WORD - 1)) &&
               space_entry(cr3_read() & PTE_ADDRESS, address) &&
               space_entry(cr3_read() & PTE_ADDRESS, address + WORD);
}

static void backtrace(const struct frame *frame)
{
        uintptr_t bp = frame->bp, sp = frame_stack(frame);
        say("  %p %s\n", (void *)frame->ip, symbol_at(frame->ip));
        if (*symbol_at(frame->ip) == '?' && is_stack(sp)) /* a call to a bad address */
                say("  %p %s\n", *(void **)sp, symbol_at(*(uintptr_t *)sp));
        for (int depth = 0; depth < 16 && is_stack(bp); depth++) {
                const uintptr_t *link = (const uintptr_t *)bp;
                if (!link[1])
                        break;
                say("  %p %s\n", (void *)link[1], symbol_at(link[1]));
                if (link[0] <= bp)
                        break;
                bp = link[0];
        }
}

_Noreturn void panic(const struct frame *frame, const char *format, ...)
{
        char text[160];
        va_list arguments;
        interrupts_off();
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        above.said(SAID_LAST_WORDS, NULL, 0);
        say("\npanic: %s\n", text);
        if (frame) {
                registers_say(frame);
                backtrace(frame);
        }
        quit(QUIT_PANIC);
}
