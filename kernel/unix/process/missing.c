/* missing.c - records requested calls that do not exist here. Numbers from CALLS on are refused by
 * the entry; Linux does not have them either. Of other requests only named ones are recorded. */
#include "process/missing.h"
#include "config.h"
#include "machine/console.h"
#include "lib/crc32.h"
#include "lib/string.h"
#include "calls.h"
#include "process/process.h"

#define SAID_MOST 256

#define LINUX(name, i386, amd64) [i386] = #name,
#define LINUX32(name, number) [number] = #name,
#define LINUX64(name, number)
static const char *const narrow_names[CALLS] = {
#include "process/linux.def"
};
#undef LINUX64
#undef LINUX32
#undef LINUX
#define LINUX(name, i386, amd64) [amd64] = #name,
#define LINUX32(name, number)
#define LINUX64(name, number) [number] = #name,
static const char *const wide_names[CALLS] = {
#include "process/linux.def"
};

#define ROW_MOST 77 /* names per row */
static const struct requests {
        enum missing what;
        uint32_t first, count;
        const char *const *names;
} requests[] = {
#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define REQUESTS(kind, first, ...)                                                                 \
        {MISSING_##kind, first, sizeof NAMES(__VA_ARGS__) / sizeof(char *), NAMES(__VA_ARGS__)},
#include "process/request.def"
};
#undef REQUESTS
#define REQUESTS(kind, first, ...)                                                                 \
        _Static_assert(sizeof NAMES(__VA_ARGS__) <= ROW_MOST * sizeof(char *), #first);
#include "process/request.def"
#undef REQUESTS
#undef NAMES
#define ROWS (sizeof requests / sizeof *requests)

#define KIND(name, word) word
static const char *const words[] = {MISSING(KIND)};

/* Separate for 32-bit and 64-bit programs. */
static bool asked[2][CALLS], requested[2][ROWS][ROW_MOST];
static struct said {
        uint32_t program; /* CRC of its path */
        uint32_t number;
        uint8_t what;
        bool narrow;
} said[SAID_MOST];
static unsigned said_count;

static const char *name_of(unsigned number, bool narrow)
{
        return WORD == 8 && !narrow ? wide_names[number] : narrow_names[number];
}

static bool is_new(const char *path, enum missing what, uint32_t number, bool narrow)
{
        uint32_t program = crc32(path, strlen(path));
        for (unsigned i = 0; i < said_count; i++)
                if (said[i].program == program && said[i].number == number &&
                    said[i].what == what && said[i].narrow == narrow)
                        return false;
        if (said_count == SAID_MOST)
                return false;
        said[said_count++] = (struct said){program, number, (uint8_t)what, narrow};
        return true;
}

/* Prints once for each program and number; name: NULL if no name of Linux's is known. */
static void say_missing(enum missing what, uint32_t number, const char *name, bool narrow)
{
        const char *path = task()->process->path, *word = words[what];
        if (strcmp(config.calls, "say") || !is_new(path, what, number, narrow))
                return;
        if (what == MISSING_call && name)
                say("%s: there is no %s (call %u) here\n", path, name, number);
        else if (what == MISSING_call)
                say("%s: there is no call %u, nor has Linux one\n", path, number);
        else if (name)
                say("%s: there is no %s (%s 0x%x) here\n", path, name, word, number);
        else
                say("%s: there is no %s 0x%x here, nor a name for it\n", path, word, number);
        if (said_count == SAID_MOST)
                say("tollgate: calls=say says no more than these %u\n", SAID_MOST);
}

long missing_call(unsigned long number)
{
        bool narrow = call_narrow();
        unsigned index = (unsigned)number % CALLS;
        asked[!narrow][index] = true;
        say_missing(MISSING_call, index, name_of(index, narrow), narrow);
        return -ENOSYS;
}

long sys_nosys(AFTER_0)
{
        return missing_call(thread_frame(cpu_current)->number);
}

long missing_request(enum missing what, uint32_t number, long error)
{
        bool narrow = call_narrow(), elsewhere = false;
        for (size_t i = 0; i < ROWS; i++) {
                const struct requests *row = &requests[i];
                uint32_t n = number - row->first;
                if (n >= row->count || strcmp(words[row->what], words[what]))
                        continue;
                elsewhere = true;
                if (row->what != what || !row->names[n])
                        continue;
                requested[!narrow][i][n] = true;
                say_missing(what, number, row->names[n], narrow);
                return error;
        }
        if (!elsewhere)
                say_missing(what, number, NULL, narrow);
        return error;
}

long missing_flags(enum missing what, uint32_t flags, long error)
{
        for (unsigned i = 0; i < 32; i++)
                if (flags >> i & 1)
                        missing_request(what, 1u << i, error);
        return error;
}

static void record_one(struct json *json, bool *begun, const char *name, uint32_t number, bool wide)
{
        if (!*begun)
                json_begin(json, "unimplemented", '[');
        *begun = true;
        json_begin(json, NULL, '[');
        json_text(json, NULL, name);
        json_number(json, NULL, number);
        json_number(json, NULL, wide ? 64 : 32);
        json_end(json, ']');
}

void missing_record(struct json *json)
{
        bool begun = false;
        for (unsigned wide = 0; wide < 2; wide++) {
                for (unsigned i = 0; i < CALLS; i++)
                        if (asked[wide][i] && name_of(i, !wide))
                                record_one(json, &begun, name_of(i, !wide), i, wide);
                for (size_t i = 0; i < ROWS; i++)
                        for (uint32_t n = 0; n < requests[i].count; n++)
                                if (requested[wide][i][n])
                                        record_one(json, &begun, requests[i].names[n],
                                                   requests[i].first + n, wide);
        }
        if (begun)
                json_end(json, ']');
}
