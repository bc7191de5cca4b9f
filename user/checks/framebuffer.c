/* framebuffer.c - /dev/fb0, with Linux's results; without pixels it must return an error. */
#include "framebuffer.h"
#include "linux.h"

#define NOWHERE_HERE ((void *)8)

static struct fb_var_screeninfo shape;
static struct fb_fix_screeninfo memory;
static int fd;

static bool fits(const struct fb_bitfield *colour)
{
        return colour->length && colour->offset + colour->length <= shape.bits_per_pixel;
}

/* Facts that hold for any framebuffer. */
static void shapes(void)
{
        unsigned bytes = (shape.bits_per_pixel + 7) / 8;
        check(shape.width * bytes <= memory.line_length &&
                      memory.size == memory.line_length * shape.height,
              "/dev/fb0", "%u x %u, %u bits, %u bytes a line", shape.width, shape.height,
              shape.bits_per_pixel, memory.line_length);
        check(fits(&shape.red) && fits(&shape.green) && fits(&shape.blue), "colours",
              "red %u, green %u, blue %u", shape.red.offset, shape.green.offset, shape.blue.offset);
        expect("another request", ioctl(fd, 0x4601, &shape), -ENOTTY);
        expect("to a bad address", ioctl(fd, FBIOGET_VSCREENINFO, NOWHERE_HERE), -EFAULT);
}

/* The last pixel, which is outside of all characters. */
static void ends(void)
{
        uint32_t was = 0, is = 0, made = 0x5a5a5a5a;
        long last = (long)memory.size - 2;
        expect("the end", SYS(lseek, fd, 0, SEEK_END), (long)memory.size);
        expect("a read at the end", read(fd, &is, 4), 0);
        expect("a write at the end", write(fd, &made, 4), -ENOSPC);
        expect("past it", SYS(lseek, fd, 1, SEEK_CUR), (long)memory.size + 1);
        expect("a write past it", write(fd, &made, 4), -EFBIG);
        expect("before the start", SYS(lseek, fd, -1, SEEK_SET), -EINVAL);
        SYS(lseek, fd, last, SEEK_SET);
        expect("what is there", read(fd, &was, 4), 2);
        SYS(lseek, fd, last, SEEK_SET);
        expect("as much as fits", write(fd, &made, 4), 2);
        SYS(lseek, fd, last, SEEK_SET);
        read(fd, &is, 4);
        check(is == (made & 0xffff), "what was written", "%x", is);
        SYS(lseek, fd, last, SEEK_SET);
        write(fd, &was, 2);
        SYS(lseek, fd, 0, SEEK_SET);
        expect("from a bad address", write(fd, NOWHERE_HERE, 4), -EFAULT);
        expect("to one", read(fd, NOWHERE_HERE, 4), -EFAULT);
}

/* Another process moves the open file's position far behind the end, in the turns of long reads. */
static void try_seek(void)
{
        size_t size = memory.size;
        void *to = (void *)mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        long all = 0, pid = fork();
        while (!pid)
                SYS(lseek, fd, 1 << 30, SEEK_SET);
        for (unsigned i = 0; i < 50; i++) {
                SYS(lseek, fd, 0, SEEK_SET);
                all += read(fd, to, size) > 0;
        }
        kill((int)pid, SIGKILL);
        wait4((int)pid, NULL, 0, NULL);
        check(all > 0, "a seek beside a read", "%ld reads of 50", all);
}

int main(void)
{
        fd = (int)open("/dev/fb0", O_RDWR, 0);
        if (fd == -ENODEV) {
                print("/dev/fb0: no such device here\n");
                return 0;
        }
        if (ioctl(fd, FBIOGET_VSCREENINFO, &shape) || ioctl(fd, FBIOGET_FSCREENINFO, &memory))
                expect("/dev/fb0", fd, 0);
        shapes();
        ends();
        try_seek();
        return check_status();
}
