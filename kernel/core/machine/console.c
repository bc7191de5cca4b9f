/* console.c - text to serial and screen, records to serial; and the exit. */
#include "machine/console.h"
#include "above.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "machine/serial.h"
#include "lib/printf.h"

#define PIECE 64     /* bytes between two interrupt windows */
#define SENTENCE 512 /* longest sentence of the kernel */

/* `@{` begins a record anywhere on the serial line, and only the kernel may write records. So all
 * text passes console_send(), and text of programs first passes begins_record() or
 * vsnprintf_foreign(). */
unsigned console_records;
static char last = '\n'; /* the last character sent */
static bool others_line; /* a program or a person began the line and has not ended it */

static void console_send(const char *text, size_t count, bool others)
{
        if (!count)
                return;
        for (size_t done = 0, part; done < count; done += part) {
                interrupt_window();
                part = count - done < PIECE ? count - done : PIECE;
                serial_write(text + done, part);
        }
        last = text[count - 1];
        others_line = others && last != '\n';
}

/* Text that is also kept and shown. */
static void console_show(const char *text, size_t count, bool others)
{
        for (size_t done = 0, part; done < count; done += part) {
                interrupt_window();
                part = count - done < PIECE ? count - done : PIECE;
                above.said(SAID_TEXT, text + done,
                           part); /* a stuck line must not keep the text from the screen */
                console_send(text + done, part, others);
        }
}

/* Whether it contains the two characters, the first perhaps sent before. */
static bool begins_record(char before, const char *text, size_t count)
{
        for (size_t i = 0; i < count; before = text[i++]) {
                if (!(i % PIECE))
                        interrupt_window();
                if (before == '@' && text[i] == '{')
                        return true;
        }
        return false;
}

bool console_record(const char *line, size_t count)
{
        if (begins_record('\n', line + 1, count - 1))
                return false;
        if (last != '\n')
                console_send("\n", 1, false);
        console_send(line, count, false);
        above.said(SAID_RECORD, line, count);
        console_records++;
        return true;
}

void console_again(const char *piece, size_t count)
{
        if (!count && last != '\n')
                console_send("\n", 1, false);
        console_send(piece, count, false);
}

void console_begin(void)
{
        console_records = 0;
        above.said(SAID_RUN_BEGINS, NULL, 0);
}

bool console_may_write(const char *text, size_t count)
{
        return !begins_record(last, text, count);
}

bool console_write(const char *text, size_t count)
{
        if (!console_may_write(text, count))
                return false;
        console_show(text, count, true);
        return true;
}

/* A program may have any name, but no sentence about it may look like a record. */
static void hide_records(char *text)
{
        char before = last;
        for (char *c = text; *c; before = *c++) {
                if (c[0] == '@' && c[1] == '{')
                        *c = '?';
                if (c[0] == '{' && (before == '@' || before == '\n'))
                        *c = '?';
        }
}

static void say_list(const char *format, va_list arguments)
{
        char text[SENTENCE];
        int length = vsnprintf_foreign(text, sizeof text, format, arguments);
        if (length >= (int)sizeof text)
                length = sizeof text - 1;
        if (others_line)
                console_show("\n", 1, false);
        hide_records(text);
        console_show(text, (size_t)length, false);
}

void say(const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        say_list(format, arguments);
        va_end(arguments);
}

void (*quit_power_off)(void);

static _Noreturn void console_stay(void)
{
        for (;;)
                halt();
}

/* QEMU's isa-debug-exit, Bochs' shutdown port: machines have them only if configured. */
_Noreturn void quit(unsigned char status)
{
        interrupts_off();
        serial_drain();
        out8(0xf4, status);
        for (const char *c = "Shutdown"; *c; c++)
                out8(0x8900, (uint8_t)*c);
        void (*off)(void) = quit_power_off;
        quit_power_off = NULL; /* it may call quit() again */
        if (off)
                off();
        console_stay();
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
