/*
 * codes.c - the records of this run as QR codes on the screen, for a machine without a serial line.
 *
 *      codes [seconds=N] [FILE]
 *
 * One after the other, each for N seconds (12) or until a key is pressed; seconds=0 shows each
 * once, without waiting. FILE has records as the serial line has them; without one it is
 * /dev/records.
 */
#include "code.h"
#include "console.h"
#include "lib/crc32.h"
#include "pack.h"
#include "screen.h"

#define RECORDS "/dev/records"
#define TERMINAL "/dev/tty"
#define BLOCK 4096

static struct pack pack;
static unsigned records;
static const char *wrong;

/* --- what is read ------------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A line `@{...} *crc`; what else there is was written for people. */
static void take_line(const char *line, size_t length)
{
        uint32_t said = 0;
        if (length < 12 || line[0] != '@' || line[1] != '{')
                return;
        size_t json = length - 11; /* without @ and ` *crc` */
        bool good = line[json + 1] == ' ' && line[json + 2] == '*';
        for (size_t i = length - 8; i < length; i++) {
                int digit = hex_digit(line[i]);
                good &= digit >= 0;
                said = said << 4 | (uint32_t)(digit & 15);
        }
        if (!good || crc32(line + 1, json) != said)
                wrong = "a record is damaged";
        else if (!pack_record(&pack, line + 1, json))
                wrong = "the records are more than codes hold: run fewer suites at a time";
        else
                records++;
}

static long take_all(int descriptor)
{
        static char line[PACK_LINE + 16], block[BLOCK];
        size_t length = 0;
        long got;
        while ((got = read(descriptor, block, sizeof block)) > 0)
                for (long i = 0; i < got; i++)
                        if (block[i] == '\n') {
                                take_line(line, length);
                                length = 0;
                        } else if (length < sizeof line) {
                                line[length++] = block[i];
                        }
        return got;
}

/* --- keys --------------------------------------------------------------------------------------
 */

enum key {
        NEXT,
        BACK,
        QUIT
};

static int terminal = -1;
static struct termios before;
static volatile bool stopped;

static void stop(int signal)
{
        (void)signal;
        stopped = true;
}

static void keys_open(void)
{
        terminal = (int)open(TERMINAL, O_RDONLY, 0);
        if (terminal < 0 || ioctl(terminal, TCGETS, &before))
                return;
        struct termios raw = before;
        raw.local &= ~(uint32_t)(ICANON | ECHO);
        ioctl(terminal, TCSETS, &raw);
        signal_set(SIGINT, (uintptr_t)stop);
}

static void keys_close(void)
{
        if (terminal >= 0)
                ioctl(terminal, TCSETS, &before);
}

/* What is pressed within that time; nothing is NEXT, too. */
static enum key key_wait(unsigned seconds)
{
        struct {
                int32_t fd;
                uint16_t events, answer;
        } one = {terminal, POLLIN, 0};
        char typed[8] = {0};
        long ready = system_call(NUMBER_poll, &one, terminal >= 0, (long)seconds * 1000);
        if (ready > 0 && read(terminal, typed, sizeof typed) <= 0)
                return QUIT;
        bool page_up = !strncmp(typed, "\033[5", 3), escape = typed[0] == '\033' && !typed[1];
        if (stopped || escape || typed[0] == 'q')
                return QUIT;
        return page_up || typed[0] == 'b' || typed[0] == '\177' ? BACK : NEXT;
}

/* --- what is shown -----------------------------------------------------------------------------
 */

static unsigned milliseconds(void)
{
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (unsigned)now.seconds * 1000 + (unsigned)now.nanoseconds / 1000000;
}

/* Status of the program. */
static int show(const struct codes *codes, unsigned seconds)
{
        unsigned spent = 0;
        for (unsigned i = 0;;) {
                unsigned start = milliseconds();
                if (!code_make(codes, i) || !screen_draw()) {
                        wrong = "a code could not be drawn";
                        return 1;
                }
                spent += milliseconds() - start;
                print("\ncode %u of %u: take a photo of each. Space: the next, b: back, q: end",
                      i + 1, codes->count);
                bool last = !seconds && i + 1 == codes->count;
                enum key key = seconds ? key_wait(seconds) : last ? QUIT : NEXT;
                if (last)
                        print("\ncodes: drawn in %u ms", spent);
                if (key == QUIT)
                        return 0;
                i = (i + (key == NEXT ? 1 : codes->count - 1)) % codes->count;
        }
}

static int fail(const char *why)
{
        put_format(2, "codes: %s\n", why);
        return 1;
}

static int show_all(unsigned seconds)
{
        struct codes codes;
        struct screen screen;
        const char *why = screen_open(&screen);
        if (why)
                return fail(why);
        bool fits = codes_plan(&codes, pack.bytes, pack.length, screen.side);
        int status = 0;
        if (fits) {
                keys_open();
                status = show(&codes, seconds);
                keys_close();
        }
        screen_close();
        if (!fits)
                return fail(screen.pixels
                                    ? "more records than codes of this screen hold: run fewer "
                                      "suites at a time"
                                    : "a text screen is too small for these records: take the "
                                      "entry of GRUB's menu that has a screen of pixels, or "
                                      "measure less at a time (only=)");
        if (status)
                return fail(wrong);
        print("codes: %u records in %u bytes: %u codes of %u modules a side\n", records,
              (unsigned)pack.length, codes.count, code_size());
        return 0;
}

int main(int argc, char **argv)
{
        unsigned seconds = option_number(argv, "seconds", 12);
        const char *path = argc > 1 && !strchr(argv[argc - 1], '=') ? argv[argc - 1] : RECORDS;
        if (argc > 3)
                return usage("codes [seconds=N] [FILE]");
        int descriptor = (int)open(path, O_RDONLY, 0);
        long error = descriptor < 0 ? descriptor : take_all(descriptor);
        if (error < 0)
                return complain("codes", path, error);
        close(descriptor);
        if (!wrong && !records)
                wrong = "there are no records yet: run a suite first";
        return wrong ? fail(wrong) : show_all(seconds);
}
