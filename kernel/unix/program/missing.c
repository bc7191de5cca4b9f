/*
 * missing.c - what is asked for and not here. A number of CALLS or more comes no further than the
 * entry, and is no call of Linux's either.
 */
#include "program/missing.h"
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
#include "program/linux.def"
};
#undef LINUX64
#undef LINUX32
#undef LINUX
#define LINUX(name, i386, amd64) [amd64] = #name,
#define LINUX32(name, number)
#define LINUX64(name, number) [number] = #name,
static const char *const wide_names[CALLS] = {
#include "program/linux.def"
};

static bool asked[2][CALLS]; /* programs of 32 bits, of 64 */
static struct said {
        uint32_t program; /* CRC of its path */
        uint16_t number;
        bool narrow;
} said[SAID_MOST];
static unsigned said_count;

static const char *name_of(unsigned number, bool narrow)
{
        return WORD == 8 && !narrow ? wide_names[number] : narrow_names[number];
}

static bool is_new(const char *path, unsigned number, bool narrow)
{
        uint32_t program = crc32(path, strlen(path));
        for (unsigned i = 0; i < said_count; i++)
                if (said[i].program == program && said[i].number == number &&
                    said[i].narrow == narrow)
                        return false;
        if (said_count == SAID_MOST)
                return false;
        said[said_count++] = (struct said){program, (uint16_t)number, narrow};
        return true;
}

static void say_missing(const char *path, unsigned number, bool narrow)
{
        const char *name = name_of(number, narrow);
        if (!is_new(path, number, narrow))
                return;
        if (name)
                say("%s: there is no %s (call %u) here\n", path, name, number);
        else
                say("%s: there is no call %u, nor has Linux one\n", path, number);
        if (said_count == SAID_MOST)
                say("tollgate: calls=say says no more than these %u\n", SAID_MOST);
}

long missing_call(unsigned long number)
{
        bool narrow = call_narrow();
        unsigned index = (unsigned)number % CALLS;
        asked[!narrow][index] = true;
        if (!strcmp(config.calls, "say"))
                say_missing(task()->process->path, index, narrow);
        return -ENOSYS;
}

long sys_nosys(AFTER_0)
{
        return missing_call(thread_frame(cpu_current)->number);
}

void missing_record(struct json *json)
{
        bool begun = false;
        for (unsigned wide = 0; wide < 2; wide++)
                for (unsigned i = 0; i < CALLS; i++) {
                        const char *name = asked[wide][i] ? name_of(i, !wide) : NULL;
                        if (!name)
                                continue;
                        if (!begun)
                                json_begin(json, "unimplemented", '[');
                        begun = true;
                        json_begin(json, NULL, '[');
                        json_text(json, NULL, name);
                        json_element(json, i);
                        json_element(json, wide ? 64 : 32);
                        json_end(json, ']');
                }
        if (begun)
                json_end(json, ']');
}
