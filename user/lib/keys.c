/* keys.c - reads single keys, from the keyboard or the serial line. */
#include "keys.h"
#include "linux.h"

#define SOON 50 /* milliseconds until the last byte of a key must arrive */

static struct termios usual;

bool keys_open(void)
{
        struct termios wanted;
        if (ioctl(0, TCGETS, &usual))
                return false;
        wanted = usual;
        wanted.local &= ~(uint32_t)(ICANON | ECHO | ISIG);
        return !ioctl(0, TCSETS, &wanted);
}

void keys_close(void)
{
        ioctl(0, TCSETS, &usual);
}

static int byte_wait(int milliseconds)
{
        struct {
                int descriptor;
                int16_t events, happened;
        } poll = {0, POLLIN, 0};
        uint8_t byte;
        long ready = system_call(NUMBER_poll, &poll, 1, milliseconds);
        return ready > 0 && read(0, &byte, 1) == 1 ? byte : -1;
}

static const struct {
        char first, second; /* after ESC [ ; second: 0 = none */
        enum key key;
} known[] = {{'A', 0, KEY_UP},        {'B', 0, KEY_DOWN},        {'D', 0, KEY_PAGE_UP},
             {'C', 0, KEY_PAGE_DOWN}, {'H', 0, KEY_HOME},        {'F', 0, KEY_END},
             {'5', '~', KEY_PAGE_UP}, {'6', '~', KEY_PAGE_DOWN}, {'1', '~', KEY_HOME},
             {'4', '~', KEY_END}};

int key_wait(int milliseconds)
{
        int byte = byte_wait(milliseconds);
        if (byte != '\033')
                return byte < 0 ? KEY_NONE : byte;
        if (byte_wait(SOON) != '[')
                return KEY_OTHER;
        int first = byte_wait(SOON);
        int second = first >= '0' && first <= '9' ? byte_wait(SOON) : 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                if (known[i].first == first && known[i].second == second)
                        return (int)known[i].key;
        return KEY_OTHER;
}
