/* panic.h - the kernel's own fault. */
#ifndef TOLLGATE_CORE_TRAP_PANIC_H
#define TOLLGATE_CORE_TRAP_PANIC_H

struct frame;

/* Registers, and a backtrace by symbol, to serial and screen; and the end. */
_Noreturn void panic(const struct frame *frame, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
