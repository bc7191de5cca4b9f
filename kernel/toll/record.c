/* record.c - the run record: the machine, and the unit of its figures. */
#include "toll/record.h"
#include "cpu/features.h"
#include "lib/json.h"
#include "lib/string.h"
#include "machine/console.h"
#include "toll/cycle.h"
#include "version.h"

#define RECORD 32768 /* enough even if every byte of a full command line is escaped */

extern const char kernel_sha256[] __attribute__((weak)); /* hash of the build (tools/symbols.awk) */

static void record_clock(struct json *json, const struct run_record *run)
{
        json_begin(json, "clock", '{');
        json_text(json, "by", run->rate_by);
        json_number(json, "nominal_hz", (int64_t)run->nominal);
        json_number(json, "base_hz", (int64_t)run->base);
        json_number(json, "apic_hz", (int64_t)run->apic);
        json_number(json, "rtc_hz", (int64_t)run->rtc);
        json_begin(json, "pit_hz", '[');
        for (unsigned i = 0; i < run->windows; i++)
                json_number(json, NULL, (int64_t)run->window[i]);
        json_end(json, ']');
        cycle_record(json);
        json_end(json, '}');
}

void record_run(const struct run_record *run)
{
        static char line[RECORD];
        struct json json;
        console_begin();
        json_open(&json, line, sizeof line, "run");
        json_text(&json, "arch", ARCH_NAME);
        json_text(&json, "platform", run->platform);
        json_text(&json, "cpu_model", run->model);
        json_text(&json, "unit", run->counter->unit);
        json_flag(&json, "deterministic", run->counter->exact);
        json_text(&json, "firmware", run->boot->firmware);
        json_begin(&json, "cpu", '{');
        json_text(&json, "vendor", cpu_identity.vendor);
        json_text(&json, "brand", cpu_identity.brand);
        json_number(&json, "family", cpu_identity.family);
        json_number(&json, "model", cpu_identity.model);
        json_number(&json, "stepping", cpu_identity.stepping);
        json_end(&json, '}');
        json_begin(&json, "image", '{');
        json_text(&json, "kernel", kernel_sha256);
        json_text(&json, "initrd", run->initrd);
        json_end(&json, '}');
        json_text(&json, "hypervisor", cpu_identity.hypervisor);
        json_text(&json, "cmdline", run->line);
        json_text(&json, "fence", run->fence);
        json_text(&json, "version", VERSION);
        json_begin(&json, "tools", '{');
        json_text(&json, "emulator", run->emulator);
        json_text(&json, "compiler", COMPILER);
        json_text(&json, "nasm", NASM_VERSION);
        json_end(&json, '}');
        json_number(&json, "tsc_hz", (int64_t)run->counter->hertz);
        if (run->counter->offset)
                json_number(&json, "offset", run->counter->offset);
        if (run->counter->insisted)
                json_flag(&json, "insisted", true);
        record_clock(&json, run);
        if (run->state)
                run->state(&json, run->boot);
        if (run->quiet >= 0)
                json_number(&json, "quiet", run->quiet);
        json_flag(&json, "readable", run->counter->readable);
        if (json_record(&json))
                console_record(line, strlen(line));
}
