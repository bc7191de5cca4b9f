/* lib.c - output, options, checks. */
#include "lib.h"

static long (*write_call)(long, ...) = system_call;

void output_through(long (*call)(long, ...))
{
        write_call = call;
}

void print(const char *format, ...)
{
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        if (length >= (int)sizeof text)
                length = sizeof text - 1;
        CALL_BY(write_call, NUMBER_write, 1, text, length);
}

void print_record(struct json *json)
{
        if (json_record(json))
                CALL_BY(write_call, NUMBER_write, 1, json->to, json->length);
        else
                check(false, "record", "a record of more than %u bytes was not written",
                      (unsigned)json->size);
}

const char *option(char **argv, const char *name)
{
        size_t length = strlen(name);
        for (; *argv; argv++)
                if (!strncmp(*argv, name, length) && (*argv)[length] == '=')
                        return *argv + length + 1;
        return NULL;
}

unsigned option_number(char **argv, const char *name, unsigned otherwise)
{
        const char *text = option(argv, name);
        unsigned value = 0;
        if (!text)
                return otherwise;
        for (; *text >= '0' && *text <= '9'; text++)
                value = value * 10 + (unsigned)(*text - '0');
        return value;
}

const char *program_origin(const char *path)
{
        return !strncmp(path, "/compat/", 8)    ? "compat"
               : !strncmp(path, "/trusted/", 9) ? "trusted"
                                                : "user";
}

static unsigned checks, failures;
static bool noisy;

void status_noisy(void)
{
        noisy = true;
}

bool check(bool ok, const char *name, const char *format, ...)
{
        char detail[160], line[512];
        struct json json;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(detail, sizeof detail, format, arguments);
        va_end(arguments);

        checks++;
        failures += !ok;
        print("%s %u %s # %s\n", ok ? "ok" : "not ok", checks, name, detail);
        json_open(&json, line, sizeof line, "check");
        json_text(&json, "name", name);
        json_flag(&json, "ok", ok);
        json_text(&json, "detail", detail);
        if (json_record(&json))
                CALL_BY(write_call, NUMBER_write, 1, json.to, json.length);
        return ok;
}

int check_status(void)
{
        if (checks)
                print("1..%u\n", checks);
        return failures ? 1 : noisy ? TOLL_NOISY : 0;
}
