/* console.c - text to serial and screen, records to serial; and the way out. */
#include "dev/console.h"
#include "cpu/cpu.h"
#include "dev/screen.h"
#include "dev/serial.h"
#include "lib/printf.h"

static unsigned records;

void console_write(const char *text, size_t count)
{
        serial_write(text, count);
        if (count > 1 && text[0] == '@' && text[1] == '{')
                records++;
        else
                screen_write(text, count);
}

unsigned console_records(void)
{
        return records;
}

void console_text(const char *text, size_t count)
{
        serial_write(text, count);
        screen_write(text, count);
}

/* A program may bear any name, but no sentence about it may be taken for a record. */
static void hide_records(char *text)
{
        for (char *c = text; *c; c++)
                if (c[0] == '@' && c[1] == '{')
                        *c = '?';
}

static void say_list(const char *format, va_list arguments)
{
        char text[512];
        int length = vsnprintf(text, sizeof text, format, arguments);
        hide_records(text);
        console_write(text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

void say(const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        say_list(format, arguments);
        va_end(arguments);
}

/* QEMU's isa-debug-exit, Bochs' shutdown port, ACPI power-off of QEMU's two machines; then a
 * machine that none of them stops. */
_Noreturn void quit(unsigned char status)
{
        interrupts_off();
        serial_drain();
        out8(0xf4, status);
        for (const char *c = "Shutdown"; *c; c++)
                out8(0x8900, (uint8_t)*c);
        out16(0x604, 0x2000);
        out16(0xb004, 0x2000);
        for (;;)
                halt();
}

/* The chipset's reset register (Intel 82371AB, "RC - Reset Control Register"), where there is none
 * the keyboard controller's pulse on the processor's reset line. */
_Noreturn void reset(void)
{
        interrupts_off();
        serial_drain();
        out8(0xcf9, 0x02); /* a hard reset ... */
        out8(0xcf9, 0x06); /* ... now */
        out8(0x64, 0xfe);
        for (;;)
                halt();
}

_Noreturn void refuse(const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        say("tollgate: ");
        say_list(format, arguments);
        say("\n");
        va_end(arguments);
        quit(QUIT_PANIC);
}
