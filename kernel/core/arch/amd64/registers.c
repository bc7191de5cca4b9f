/* registers.c - print a frame's registers in words, amd64. */
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/symbol.h"
#include "machine/console.h"
#include "machine/pic.h"
#include "above.h"
#include "toll.h"
#include "thread/call.h"
#include "trap/dispatch.h"
#include "trap/from_user.h"
#include "trap/panic.h"

uintptr_t frame_stack(const struct frame *f)
{
        return f->sp;
}

/* Nothing to do: long mode ignores DS and ES. */
bool segments_fixed_up(unsigned vector, struct frame *frame)
{
        return false;
}

void registers_give(const struct frame *f, struct toll_frame *to)
{
        *to = (struct toll_frame){
                .r = {f->ax, f->bx, f->cx, f->dx, f->si, f->di, f->bp, 0, f->r8, f->r9, f->r10,
                      f->r11, f->r12, f->r13, f->r14, f->r15},
                .ip = f->ip,
                .cs = f->cs,
                .flags = f->flags,
                .sp = f->sp,
                .ss = f->ss,
        };
}

void registers_say(const struct frame *f)
{
        say("  rax %p rbx %p rcx %p rdx %p\n", (void *)f->ax, (void *)f->bx, (void *)f->cx,
            (void *)f->dx);
        say("  rsi %p rdi %p rbp %p rsp %p\n", (void *)f->si, (void *)f->di, (void *)f->bp,
            (void *)f->sp);
        say("  r8  %p r9  %p r10 %p r11 %p\n", (void *)f->r8, (void *)f->r9, (void *)f->r10,
            (void *)f->r11);
        say("  r12 %p r13 %p r14 %p r15 %p\n", (void *)f->r12, (void *)f->r13, (void *)f->r14,
            (void *)f->r15);
        say("  rip %p cs %lx rflags %lx ss %lx number %lx\n", (void *)f->ip, f->cs, f->flags, f->ss,
            f->number);
        say("  cr0 %p cr2 %p cr3 %p cr4 %p\n", (void *)cr0_read(), (void *)cr2_read(),
            (void *)cr3_read(), (void *)cr4_read());
}

/* Bytes that a gate may push below the stack pointer, with its alignment. */
#define GATE_PUSHES (15 + 6 * WORD)

/* Only #DF has an IST stack: finds the #PF or #SS whose frame could not be pushed. */
unsigned trap_starved(struct frame *frame)
{
        if (cpu_protection != PROTECTION_half || !from_user(frame))
                return 0;
        bool page = frame->sp - cr2_read() <= GATE_PUSHES;
        frame->number = page ? PF_WRITE : 0;
        trap_starvations++;
        return page ? VECTOR_PF : VECTOR_SS;
}

/* An exception or interrupt in the kernel whose stack pointer is in no kernel stack (vectors.asm,
 * trap_move). It returns if the frame has become a program's. */
void trap_bad_stack(uintptr_t vector, struct frame *frame)
{
        if (above.explains((unsigned)vector, frame, true))
                return;
        if (is_wild_jump(frame->sp)) {
                if (vector >= VECTOR_IRQ0)
                        pic_interrupt((unsigned)vector);
                entry_jumped_wild();
        }
        panic(frame, "%s in the kernel on a bad stack, cr2 %p", exceptions[vector].name,
              (void *)cr2_read());
}

/* On Linux eax alone counts. The entries compare all of rax, which saves them an instruction, so a
 * number beyond the table reaches this function. */
void call_beyond(struct frame *frame)
{
        uint32_t number = (uint32_t)frame->ax;
        frame->ax = (uintptr_t)-ENOSYS;
        if (number >= CALLS)
                return;
        frame->number = number;
        frame->ax =
                (uintptr_t)clean_calls[number]((long)frame->di, (long)frame->si, (long)frame->dx,
                                               (long)frame->r10, (long)frame->r8, (long)frame->r9);
}
