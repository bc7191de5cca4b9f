/* random.c - /dev/random, /dev/urandom, getrandom(): ChaCha20 (RFC 8439), with a key made of the
 * date and the TSC's value at each request. An emulator that counts instructions gives the same
 * values in each run, so the output repeats: do not use it for secrets (docs/limits.md). */
#include "clock/clock.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "lib/string.h"
#include "thread/user.h"
#include "calls.h"

#define GRND_KNOWN 7 /* GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE */
#define KEY 8        /* words */

struct block {
        uint32_t word[16];
};

static uint32_t key[KEY];
static uint64_t blocks;

static uint32_t turned(uint32_t word, unsigned bits)
{
        return word << bits | word >> (32 - bits);
}

static void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
        *a += *b, *d = turned(*d ^ *a, 16);
        *c += *d, *b = turned(*b ^ *c, 12);
        *a += *b, *d = turned(*d ^ *a, 8);
        *c += *d, *b = turned(*b ^ *c, 7);
}

static void make_block(struct block *out)
{
        static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
        struct block in;
        uint32_t *x = out->word;
        memcpy(in.word, constants, sizeof constants);
        memcpy(in.word + 4, key, sizeof key);
        in.word[12] = (uint32_t)blocks;
        in.word[13] = (uint32_t)(blocks++ >> 32);
        in.word[14] = in.word[15] = 0;
        *out = in;
        for (unsigned i = 0; i < 10; i++)
                for (unsigned j = 0; j < 8; j++) {
                        unsigned turn = j < 4 ? 0 : 1, a = j % 4;
                        quarter_round(&x[a], &x[4 + (a + turn) % 4], &x[8 + (a + 2 * turn) % 4],
                                      &x[12 + (a + 3 * turn) % 4]);
                }
        for (unsigned i = 0; i < 16; i++)
                x[i] += in.word[i];
}

/* Makes a new key each time, so that earlier output cannot be computed from it. */
static void change_key(void)
{
        struct block block;
        uint64_t now = tsc_read(), date = clock_date();
        key[0] ^= (uint32_t)now;
        key[1] ^= (uint32_t)(now >> 32);
        key[2] ^= (uint32_t)date;
        key[3] ^= (uint32_t)(date >> 32);
        make_block(&block);
        memcpy(key, block.word, sizeof key);
}

static long random_give(uintptr_t to, size_t size)
{
        size_t done = 0;
        change_key();
        while (done < size) {
                struct block block;
                size_t part = size - done < sizeof block ? size - done : sizeof block;
                make_block(&block);
                if (user_write(to + done, &block, part))
                        return done ? (long)done : -EFAULT;
                done += part;
                if (done < size && !work_goes_on())
                        break;
        }
        change_key();
        return (long)done;
}

static long random_read(struct file *file, uintptr_t to, size_t size)
{
        return random_give(to, size);
}

/* Any program may add to it. */
static long random_write(struct file *file, uintptr_t from, size_t size)
{
        size_t done = 0;
        while (done < size) {
                uint32_t words[KEY];
                size_t part = size - done < sizeof words ? size - done : sizeof words;
                if (user_read(words, from + done, part))
                        return done ? (long)done : -EFAULT;
                for (size_t i = 0; i < part / sizeof *words; i++)
                        key[i] ^= words[i];
                done += part;
                change_key();
                if (done < size && !work_goes_on())
                        return -EINTR;
        }
        return (long)size;
}

const struct file_kind random_kind = {"random", .read = random_read, .write = random_write,
                                      .seek = file_seek_nowhere, .no_request = -EINVAL};

long sys_getrandom(long to, long size, long flags, AFTER_3)
{
        if ((unsigned)flags & ~(unsigned)GRND_KNOWN || ((unsigned)flags & 6) == 6)
                return -EINVAL;
        size_t most = (size_t)size < TRANSFER_MOST ? (size_t)size : TRANSFER_MOST;
        return user_inside((uintptr_t)to, most) ? random_give((uintptr_t)to, most) : -EFAULT;
}
