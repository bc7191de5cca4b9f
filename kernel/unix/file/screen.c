/* screen.c - /dev/tty1: the screen alone, for programs that draw on it (see dev/screen.h). */
#include "dev/screen.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "thread/user.h"

#define PIECE 16 /* each byte may clear or scroll a screen */

int screen_open(struct file *file)
{
        return screen_rows() ? 0 : -ENXIO;
}

static long screen_file_write(struct file *file, uintptr_t from, size_t size)
{
        size_t done = 0, part;
        for (bool goes_on = true; done < size && goes_on; done += part) {
                char text[PIECE];
                part = size - done < PIECE ? size - done : PIECE;
                if (user_read(text, from + done, part))
                        break;
                screen_draw(text, part);
                goes_on = work_goes_on();
        }
        screen_show();
        return done || !size ? (long)done : -EFAULT;
}

static long screen_ioctl(struct file *file, unsigned long request, uintptr_t argument)
{
        const uint16_t size[4] = {(uint16_t)screen_rows(), (uint16_t)screen_columns(), 0, 0};
        return request == TIOCGWINSZ ? user_put(argument, &size) : -ENOTTY;
}

const struct file_kind screen_kind = {"screen", .write = screen_file_write, .ioctl = screen_ioctl};
