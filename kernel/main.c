/* main.c - the boot, as a list of steps; then the suites, and the end. */
#include "boot.h"
#include "clock/clock.h"
#include "clock/image.h"
#include "clock/rate.h"
#include "config.h"
#include "cpu/alternatives.h"
#include "cpu/counter.h"
#include "cpu/cpu.h"
#include "cpu/cycle.h"
#include "cpu/descriptor.h"
#include "cpu/protect.h"
#include "dev/apic.h"
#include "dev/ata.h"
#include "dev/cmos.h"
#include "dev/console.h"
#include "dev/keyboard.h"
#include "dev/pic.h"
#include "dev/screen.h"
#include "dev/serial.h"
#include "dev/timer.h"
#include "file/blocks.h"
#include "file/path.h"
#include "fs/tree.h"
#include "lib/json.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "proc/missing.h"
#include "proc/run.h"
#include "proc/schedule.h"
#include "toll.h"
#include "trap/dispatch.h"
#include "trap/marks.h"
#include "version.h"

#define MEMORY_NEEDED (4u << 20) /* free, once the kernel and the initrd are in place */
#define RECORD                                                                                     \
        16384 /* the run record, even if every byte of a full command line is escaped; the end     \
               * record, even if all of Linux's calls that are not here were asked for */

static struct boot_info boot;
static unsigned failed, noisy; /* programs */

static void say_machine(const struct counter *counter, enum fence fence)
{
        say("Tollgate %s, %s. %s, %s family %u model %u stepping %u.\n", VERSION, ARCH_NAME,
            cpu_identity.brand[0] ? cpu_identity.brand : "unnamed processor", cpu_identity.vendor,
            cpu_identity.family, cpu_identity.model, cpu_identity.stepping);
        say("%u MiB free, booted by %s (%s). The counter counts %s; fence: %s.\n",
            (unsigned)(frame_count() >> 8), boot.loader[0] ? boot.loader : "an unnamed loader",
            boot.firmware, counter->unit, fence_names[fence]);
}

static void record_run(const struct counter *counter, enum fence fence)
{
        static char line[RECORD];
        struct json json;
        json_open(&json, line, sizeof line, "run");
        json_text(&json, "arch", ARCH_NAME);
        json_text(&json, "platform", config.platform);
        json_text(&json, "cpu_model", config.model);
        json_text(&json, "unit", counter->unit);
        json_flag(&json, "deterministic", counter->exact);
        json_text(&json, "firmware", boot.firmware);
        json_begin(&json, "cpu", '{');
        json_text(&json, "vendor", cpu_identity.vendor);
        json_text(&json, "brand", cpu_identity.brand);
        json_number(&json, "family", cpu_identity.family);
        json_number(&json, "model", cpu_identity.model);
        json_number(&json, "stepping", cpu_identity.stepping);
        json_end(&json, '}');
        json_text(&json, "hypervisor", cpu_identity.hypervisor);
        json_text(&json, "cmdline", boot.line);
        json_text(&json, "fence", fence_names[fence]);
        json_text(&json, "version", VERSION);
        json_begin(&json, "tools", '{');
        json_text(&json, "emulator", config.emulator);
        json_text(&json, "compiler", COMPILER);
        json_text(&json, "nasm", NASM_VERSION);
        json_end(&json, '}');
        json_number(&json, "tsc_hz", (int64_t)counter->hertz);
        if (counter->insisted)
                json_flag(&json, "insisted", true);
        cycle_record(&json, clock_rate_by(), rate_nominal());
        json_flag(&json, "readable", counter->readable);
        if (json_record(&json))
                console_record(line, strlen(line));
}

static void record_end(void)
{
        static char line[RECORD];
        struct json json;
        json_open(&json, line, sizeof line, "end");
        json_number(&json, "records", console_records());
        json_number(&json, "failed", failed);
        missing_record(&json);
        json_record(&json);
        console_record(line, strlen(line));
}

/* The machine has reset since, which is what it was to do. */
static void say_remembered(void)
{
        const char *arch = cmos_remembered();
        if (!arch)
                return;
        say("The boot before this one, of %s, let a trusted program starve without protection: the "
            "machine has reset, as expected.\n",
            arch);
        cmos_forget();
}

static void refuse_without_features(void)
{
        static const struct {
                enum feature feature;
                const char *why;
        } needed[] = {
                {FEATURE_TSC, "without a time-stamp counter there is nothing to measure with"},
                ARCH_NEEDS,
        };
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
                if (!feature_has(needed[i].feature))
                        refuse("%s: %s", features_lacking(1u << needed[i].feature), needed[i].why);
}

static enum fence choose_fence(void)
{
        enum fence fence = fence_best();
        for (enum fence f = 0; f < FENCES; f++)
                if (!strcmp(config.fence, fence_names[f]))
                        fence = f;
        if (!fence_possible(fence))
                refuse("this processor has no %s; leave fence= out to take the best it has",
                       fence_names[fence]);
        fence_set(fence_boot = fence);
        return fence;
}

/* What is not here, and whether it matters. */
static void say_missing(const struct counter *counter)
{
        if (cycle_lost())
                say("%s is not here, though CPUID or the processor's model names it.\n",
                    cycle_lost());
        if (*cpu_identity.hypervisor && !counter->exact)
                say("A hypervisor is beneath (%s): %s.\n", cpu_identity.hypervisor,
                    counter->insisted
                            ? "unit=cycles calls its ticks cycles for all that"
                            : "its ticks are no cycles, unless unit=cycles calls them so");
        if (serial_absent())
                say("There is no COM1: records have no way out of this machine but its screen.\n");
        if (!clock_boot())
                say("There is no date: the CMOS clock does not answer.\n");
}

static void open_initrd(void)
{
        if (!boot.modules)
                refuse("no initrd: pass build/%s/initrd.cpio as the first module", ARCH_NAME);
        if (boot.initrd.start > boot.initrd.end || boot.initrd.end > memory_top)
                refuse("the initrd lies at %lx-%lx, outside the memory that is mapped",
                       (unsigned long)boot.initrd.start, (unsigned long)boot.initrd.end);
        struct initrd initrd;
        const char *wrong = initrd_open(&initrd, DIRECT(boot.initrd.start),
                                        (size_t)(boot.initrd.end - boot.initrd.start));
        if (!wrong)
                wrong = tree_make(&initrd);
        if (wrong)
                refuse("the initrd is damaged: %s; build it again with make", wrong);
}

/* A suite is a program, wherever it lies: each directory gives it another origin. */
static const char *const directories[] = {"/bin/", "/compat/", "/trusted/"};

static bool is_there(const char *path)
{
        int error;
        struct node *node = path_find(path, NULL, &error);
        node_release(node);
        return node;
}

static void run_suite(const char *name, size_t length, char *const options[])
{
        unsigned found = 0;
        bool is_name = true; /* no path */
        for (size_t i = 0; i < length; i++)
                is_name &= name[i] != '/';
        for (size_t i = 0; is_name && i < sizeof directories / sizeof *directories; i++) {
                char path[CONFIG_TEXT + 16];
                char *arguments[] = {path, options[0], options[1], options[2], NULL};
                snprintf(path, sizeof path, "%s%.*s", directories[i], (int)length, name);
                if (strchr(path + strlen(directories[i]), '/') || !is_there(path))
                        continue;
                found++;
                int status = process_run(path, arguments);
                if (status == TOLL_NOISY) {
                        noisy++;
                } else if (status) {
                        failed++;
                        say("%s: failed, status %d\n", path, status);
                }
        }
        if (!found) {
                failed++;
                say("tollgate: there is no suite `%.*s` in the initrd\n", (int)length, name);
        }
}

static void run_suites(const struct counter *counter)
{
        char samples[CONFIG_TEXT + 16], only[CONFIG_TEXT + 16], exact[CONFIG_TEXT];
        snprintf(samples, sizeof samples, "samples=%s", config.samples);
        snprintf(only, sizeof only, "only=%s", config.only);
        snprintf(exact, sizeof exact, "exact=%d", counter->exact);
        char *options[] = {samples, only, exact};
        unsigned suites = 0;
        for (const char *name = config.suite; *name;) {
                const char *comma = strchr(name, ',');
                size_t length = comma ? (size_t)(comma - name) : strlen(name);
                if (length) {
                        suites++;
                        run_suite(name, length, options);
                }
                name += length + (comma != NULL);
        }
        if (!suites) {
                failed++;
                say("tollgate: suite= names no program\n");
        }
}

_Noreturn void kernel_main(uint32_t magic, uint32_t information); /* boot/multiboot.asm */

_Noreturn void kernel_main(uint32_t magic, uint32_t information)
{
        marks_sort();
        serial_init();
        const char *wrong = boot_read(&boot, magic, information);
        if (wrong)
                refuse("%s", wrong);
        screen_init(&boot.screen);
        features_init();
        frame_init(&boot);
        if ((uint64_t)frame_count() * PAGE_SIZE < MEMORY_NEEDED)
                refuse("only %u KiB of memory are free; boot with 32 MiB or more",
                       (unsigned)frame_count() * 4);
        no_execute_init();
        vdso_init();
        space_init();
        screen_map();
        if (boot.line_cut)
                refuse("the command line is longer than %d characters", BOOT_LINE - 1);
        config_read(boot.line);
        if (!strcmp(config.screen, "none"))
                screen_close();
        refuse_without_features();
        descriptor_init();
        keyboard_init();
        pic_init();
        apic_init();
        timer_init();
        ata_init();
        schedule_init();
        serial_listen();
        protect_init();
        cycle_init();
        enum fence fence = choose_fence();
        struct counter counter = counter_try(!strncmp(config.platform, "qemu", 4) ||
                                                     !strncmp(config.platform, "bochs", 5),
                                             *config.unit);
        uint64_t hertz = clock_init(&counter, config.clock);
        if (!counter.exact)
                counter.hertz = hertz;
        say_machine(&counter, fence);
        clock_say();
        say_missing(&counter);
        say_remembered();
        blocks_init();
        open_initrd();

        record_run(&counter, fence);
        run_suites(&counter);
        if (trap_nmis)
                say("%u NMIs were taken.\n", trap_nmis);
        record_end();
        if (serial_lost())
                say("COM1 has not taken %lu bytes: what came there is not whole.\n", serial_lost());
        say("tollgate: %s\n",
            failed  ? "failed"
            : noisy ? "noisy: what moved is named above, and no figure beside it is certain"
                    : "passed");
        if (!strcmp(config.then, "reset"))
                reset();
        quit(failed ? QUIT_FAIL : noisy ? QUIT_NOISY : QUIT_PASS);
}
