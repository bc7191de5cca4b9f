/* panic.h - the end of the kernel after a bug in it. */
#pragma once
struct frame;

/* Prints registers and a symbolic backtrace to serial and screen, and stops. */
_Noreturn void panic(const struct frame *frame, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
