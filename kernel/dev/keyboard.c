/* keyboard.c - a PS/2 keyboard behind an 8042 that translates to scan-code set 1 (IBM PS/2
 * Technical Reference, "Keyboard and Auxiliary Device Controller"). */
#include "dev/keyboard.h"
#include "cpu/cpu.h"
#include "dev/input.h"

#define DATA 0x60
#define STATUS 0x64 /* when read; when written: commands */
#define OUTPUT_FULL 1
#define INPUT_FULL 2
#define READ_CONFIGURATION 0x20
#define WRITE_CONFIGURATION 0x60
#define WRITE_OUTPUT_BUFFER 0xd2
#define ECHO 0xee      /* command to the keyboard, which echoes it */
#define INTERRUPT 0x01 /* configuration bits */
#define DISABLED 0x10
#define TRANSLATE 0x40
#define PATIENCE 10000 /* polls: a missing controller must not stop the machine */

#define RELEASED 0x80
#define PREFIX 0xe0 /* prefix of keys that the first keyboards did not have */

/* Characters by scan code, without and with shift; 0 = no character. */
static const char unshifted[] =
        "\0\0331234567890-=\177\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char shifted[] =
        "\0\033!@#$%^&*()_+\177\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";
_Static_assert(sizeof unshifted == sizeof shifted && sizeof unshifted == 0x3a + 1, "layout");

/* Sequences for keys without a character (ECMA-48), by scan code: the keypad's and, with PREFIX,
 * the separate cursor keys'. */
static const struct {
        uint8_t code;
        char sends[5];
} cursor_keys[] = {
        {0x47, "\033[H"}, {0x48, "\033[A"}, {0x49, "\033[5~"}, {0x4b, "\033[D"},  {0x4d, "\033[C"},
        {0x4f, "\033[F"}, {0x50, "\033[B"}, {0x51, "\033[6~"}, {0x53, "\033[3~"},
};

static bool prefixed, shift_left, shift_right, control;

static const struct {
        uint8_t code;
        bool *held;
} modifiers[] = {{0x2a, &shift_left}, {0x36, &shift_right}, {0x1d, &control}};

static bool keyboard_wait(uint8_t bit, bool set)
{
        for (int i = 0; i < PATIENCE; i++)
                if (!(in8(STATUS) & bit) == !set)
                        return true;
        return false;
}

static void flush(void)
{
        for (int i = 0; i < PATIENCE && in8(STATUS) & OUTPUT_FULL; i++)
                in8(DATA);
}

bool keyboard_answers;

/* Prints a message: a USB keyboard works only if the firmware emulates this one. */
static void keyboard_ask(void)
{
        out8(DATA, ECHO);
        keyboard_answers = keyboard_wait(OUTPUT_FULL, true) && in8(DATA) == ECHO;
        flush();
}

void keyboard_init(void)
{
        if (in8(STATUS) == 0xff)
                return; /* nobody answers */
        flush();
        out8(STATUS, READ_CONFIGURATION);
        if (!keyboard_wait(OUTPUT_FULL, true))
                return;
        uint8_t configuration = in8(DATA);
        out8(STATUS, WRITE_CONFIGURATION);
        if (keyboard_wait(INPUT_FULL, false))
                out8(DATA, (configuration & ~DISABLED) | INTERRUPT | TRANSLATE);
        keyboard_wait(INPUT_FULL, false);
        flush();
        keyboard_ask();
}

static void press(uint8_t code)
{
        char c = code < sizeof unshifted ? (shift_left || shift_right ? shifted : unshifted)[code]
                                         : 0;
        if (c && control && c >= '@' && c < 0177)
                c &= 037;
        if (c)
                input_put((uint8_t)c);
        for (size_t i = 0; i < sizeof cursor_keys / sizeof *cursor_keys; i++)
                for (const char *at = cursor_keys[i].sends; code == cursor_keys[i].code && *at;)
                        input_put((uint8_t)*at++);
}

void keyboard_interrupt(void)
{
        uint8_t code = in8(DATA), key = code & (uint8_t)~RELEASED;
        bool extended = prefixed;
        prefixed = code == PREFIX;
        if (prefixed)
                return;
        for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
                if (modifiers[i].code == key && (!extended || modifiers[i].held == &control))
                        *modifiers[i].held = !(code & RELEASED);
        if (!(code & RELEASED) && (!extended || key == 0x1c || key == 0x35 || key >= 0x47))
                press(key); /* with PREFIX: Enter, / and the cursor keys */
}

bool keyboard_type(uint8_t code)
{
        if (in8(STATUS) == 0xff || !keyboard_wait(INPUT_FULL, false))
                return false;
        out8(STATUS, WRITE_OUTPUT_BUFFER);
        if (!keyboard_wait(INPUT_FULL, false))
                return false;
        out8(DATA, code);
        if (!keyboard_wait(OUTPUT_FULL, true))
                return false;
        uintptr_t flags = flags_read();
        interrupts_on();
        bool taken = keyboard_wait(OUTPUT_FULL, false);
        if (!(flags & RFLAGS_IF))
                interrupts_off();
        return taken;
}
