/* framebuffer.h - the interface of /dev/fb0: Linux's structures (include/uapi/linux/fb.h).
 *
 * Unsupported fields are 0: modes, colour maps and timings cannot be set. */
#pragma once
#include <stdint.h>

/* ioctl() */
#define FBIOGET_VSCREENINFO 0x4600
#define FBIOGET_FSCREENINFO 0x4602

#define FB_TYPE_PACKED_PIXELS 0
#define FB_VISUAL_TRUECOLOR 2

struct fb_bitfield {
        uint32_t offset, length, msb_right;
};

struct fb_var_screeninfo {
        uint32_t width, height, virtual_width, virtual_height, x_offset, y_offset;
        uint32_t bits_per_pixel, grayscale;
        struct fb_bitfield red, green, blue, transparency;
        uint32_t rest[20];
};
_Static_assert(sizeof(struct fb_var_screeninfo) == 160, "fb_var_screeninfo");

#define FB_FIX_SCREENINFO(word)                                                                    \
        {                                                                                          \
                char name[16];                                                                     \
                word start; /* physical address; always 0 */                                       \
                uint32_t size, type, type_aux, visual;                                             \
                uint16_t x_step, y_step, y_wrap_step;                                              \
                uint32_t line_length; /* bytes */                                                  \
                word registers;                                                                    \
                uint32_t registers_size, accelerator;                                              \
                uint16_t capabilities, reserved[2];                                                \
        }
struct fb_fix_screeninfo FB_FIX_SCREENINFO(unsigned long);
struct fb_fix_screeninfo_narrow FB_FIX_SCREENINFO(uint32_t); /* for 32-bit programs */
_Static_assert(sizeof(struct fb_fix_screeninfo) == (sizeof(long) == 8 ? 80 : 68), "fb_fix");
_Static_assert(sizeof(struct fb_fix_screeninfo_narrow) == 68, "fb_fix_screeninfo, 32 bits");
