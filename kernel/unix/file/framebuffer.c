/* framebuffer.c - /dev/fb0, the screen's pixels in its own memory order, if it has any.
 *
 * The console writes there, too, and does not know about programs. A program first blanks the
 * console's screen (/dev/tty1), then draws. */
#include "framebuffer.h"
#include "cpu/window.h"
#include "dev/screen.h"
#include "errno.h"
#include "file/file.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"

#define PIECE 256

int framebuffer_open(struct file *file)
{
        return screen_pixels()->at ? 0 : -ENODEV;
}

/* The number of `size` bytes that are in the framebuffer from the file's position on. */
static size_t inside(const struct file *file, size_t size)
{
        size_t all = screen_pixels()->size;
        if (file->position >= all)
                return 0;
        return size < all - file->position ? size : all - (size_t)file->position;
}

static long framebuffer_read(struct file *file, uintptr_t to, size_t size)
{
        uint64_t at = file->position; /* a thread that is killed may move it meanwhile */
        size_t count = inside(file, size);
        for (size_t done = 0, part; done < count; done += part) {
                uint8_t bytes[PIECE];
                part = count - done < PIECE ? count - done : PIECE;
                memcpy(bytes, screen_pixels()->at + at, part);
                if (user_write(to + done, bytes, part))
                        return done ? (long)done : -EFAULT;
                file->position = at += part;
                if (!file_goes_on(file))
                        return (long)(done + part);
        }
        return (long)count;
}

/* Fails as on Linux: -ENOSPC at the end, and -EFBIG beyond it. */
static long framebuffer_write(struct file *file, uintptr_t from, size_t size)
{
        uint64_t at = file->position;
        size_t count = inside(file, size);
        if (size && !count)
                return at > screen_pixels()->size ? -EFBIG : -ENOSPC;
        for (size_t done = 0, part; done < count; done += part) {
                uint8_t bytes[PIECE];
                part = count - done < PIECE ? count - done : PIECE;
                if (user_read(bytes, from + done, part))
                        return done ? (long)done : -EFAULT;
                memcpy(screen_pixels()->at + at, bytes, part);
                file->position = at += part;
                if (!file_goes_on(file))
                        return (long)(done + part);
        }
        return (long)count;
}

static int64_t framebuffer_seek(struct file *file, int64_t offset, int whence)
{
        return file_seek(file, offset, whence, screen_pixels()->size);
}

static struct fb_bitfield bits_of(const struct screen_colour *colour)
{
        return (struct fb_bitfield){colour->offset, colour->length, 0};
}

static long variable_info(uintptr_t to)
{
        const struct screen_pixels *pixels = screen_pixels();
        const struct fb_var_screeninfo info = {.width = pixels->width,
                                               .height = pixels->height,
                                               .virtual_width = pixels->width,
                                               .virtual_height = pixels->height,
                                               .bits_per_pixel = pixels->bits,
                                               .red = bits_of(&pixels->colours[0]),
                                               .green = bits_of(&pixels->colours[1]),
                                               .blue = bits_of(&pixels->colours[2])};
        return user_put(to, &info);
}

static long fixed_info(uintptr_t to)
{
        const struct screen_pixels *pixels = screen_pixels();
#define INFO                                                                                       \
        {                                                                                          \
                .name = "tollgate", .size = (uint32_t)pixels->size, .type = FB_TYPE_PACKED_PIXELS, \
                .visual = FB_VISUAL_TRUECOLOR, .line_length = pixels->pitch                        \
        }
        const struct fb_fix_screeninfo info = INFO;
        const struct fb_fix_screeninfo_narrow narrow = INFO;
        return call_narrow() ? user_put(to, &narrow) : user_put(to, &info);
}

static long framebuffer_ioctl(struct file *file, unsigned long request, uintptr_t argument)
{
        switch (request) {
        case FBIOGET_VSCREENINFO: return variable_info(argument);
        case FBIOGET_FSCREENINFO: return fixed_info(argument);
        default: return -ENOTTY;
        }
}

const struct file_kind framebuffer_kind = {"fb", .read = framebuffer_read,
                                           .write = framebuffer_write, .ioctl = framebuffer_ioctl,
                                           .seek = framebuffer_seek};
