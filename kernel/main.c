/* main.c - the boot as a list of steps; then suites and exit. */
#include "boot.h"
#include "clock/clock.h"
#include "clock/image.h"
#include "config.h"
#include "cpu/alternatives.h"
#include "toll/counter.h"
#include "cpu/cpu.h"
#include "toll/cycle.h"
#include "cpu/descriptor.h"
#include "cpu/protect.h"
#include "machine/apic.h"
#include "dev/ata.h"
#include "dev/cmos.h"
#include "machine/console.h"
#include "dev/keyboard.h"
#include "dev/log.h"
#include "dev/power.h"
#include "machine/pic.h"
#include "dev/screen.h"
#include "dev/watch.h"
#include "machine/serial.h"
#include "machine/timer.h"
#include "entry/ways.h"
#include "file/blocks.h"
#include "fs/tree.h"
#include "process/usage.h"
#include "process/load_average.h"
#include "program/align.h"
#include "dev/input.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "toll/control.h"
#include "toll/lack.h"
#include "thread/schedule.h"
#include "suites.h"
#include "trap/dispatch.h"
#include "trap/marks.h"
#include "version.h"

#define MEMORY_NEEDED (4u << 20) /* must be free after kernel and initrd are loaded */

static struct boot_info boot;

static void boot_tick(struct thread *thread)
{
        clock_tick();
        load_average_tick();
        if (thread)
                usage_tick(thread);
}

static void say_machine(const struct counter *counter, enum fence fence)
{
        say("%s, %s family %u model %u stepping %u.\n",
            cpu_identity.brand[0] ? cpu_identity.brand : "unnamed processor", cpu_identity.vendor,
            cpu_identity.family, cpu_identity.model, cpu_identity.stepping);
        say("%u MiB free, booted by %s (%s). The counter counts %s; fence: %s.\n",
            (unsigned)(frame_count() >> 8), boot.loader[0] ? boot.loader : "an unnamed loader",
            boot.firmware, counter->unit, fence_names[fence]);
}

/* Reports a reset that the last boot caused on purpose. */
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
                        refuse("%s: %s", features_first(1u << needed[i].feature, false),
                               needed[i].why);
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

/* Prints missing features, and whether that matters. */
static void say_missing(const struct counter *counter)
{
        for (unsigned i = 0; cycle_lost(i); i++)
                say("%s is not here, though CPUID or the processor's model names it.\n",
                    cycle_lost(i));
        if (*cpu_identity.hypervisor && !counter->exact)
                say("A hypervisor is beneath (%s): %s.\n", cpu_identity.hypervisor,
                    counter->insisted
                            ? "unit=cycles calls its ticks cycles for all that"
                            : "its ticks are no cycles, unless unit=cycles calls them so");
        if (counter->offset)
                say("A sample reads %u instructions more than lie in it, by two loops of known "
                    "lengths: they are taken off.\n",
                    counter->offset);
        lack_try();
        if (serial_absent)
                say("There is no COM1: records have no way out of this machine but its screen.\n");
        if (!watch_init())
                say("There is no I/O APIC with a real-time clock: a quiet program that loops is "
                    "not "
                    "ended.\n");
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
        const void *data = DIRECT(boot.initrd.start);
        size_t size = (size_t)(boot.initrd.end - boot.initrd.start);
        const char *packed = initrd_compressed(data, size);
        if (packed)
                refuse("the initrd is still compressed (%s): GRUB unpacks it after `insmod %s', "
                       "and "
                       "other loaders need the uncompressed initrd.cpio",
                       packed, *packed == 'x' ? "xzio" : "gzio");
        struct initrd initrd;
        const char *wrong = initrd_open(&initrd, data, size);
        if (!wrong)
                wrong = tree_make(&initrd);
        if (wrong)
                refuse("the initrd is damaged: %s; build it again with make", wrong);
}

_Noreturn void kernel_main(uint32_t magic, uint32_t information); /* boot/multiboot.asm */

_Noreturn void kernel_main(uint32_t magic, uint32_t information)
{
        marks_sort();
        serial_init();
        const char *wrong = boot_read(&boot, magic, information);
        screen_init(&boot.screen);
        say("Tollgate %s, %s.\n", VERSION, ARCH_NAME);
        if (wrong)
                refuse("%s", wrong);
        features_init();
        frame_init(&boot);
        if ((uint64_t)frame_count() * PAGE_SIZE < MEMORY_NEEDED)
                refuse("only %u KiB of memory are free; boot with 16 MiB or more, or with "
                       "a smaller initrd",
                       (unsigned)frame_count() * 4);
        log_init();
        no_execute_init();
        vdso_init();
        space_init();
        if (boot.line_cut)
                refuse("the command line is longer than %d characters", BOOT_LINE - 1);
        config_read(boot.line);
        quit_power_off = strcmp(config.then, "stop") ? NULL : emulator_off;
        if (!strcmp(config.screen, "none"))
                screen_close();
        else if (screen_wrong())
                say("%s: nothing is shown on it, all is said on the serial line (COM1).\n",
                    screen_wrong());
        refuse_without_features();
        descriptor_init();
        row_set_asked = config_set_asked;
        ways_init();
        keyboard_init();
        pic_init();
        pic_listen(0, "timer", timer_interrupt);
        pic_listen(1, "i8042", keyboard_interrupt);
        pic_listen(4, "ttyS0", serial_interrupt);
        apic_init();
        timer_rate(TIMER_HZ);
        ata_init();
        trap_init(memory_fault);
        schedule_init(boot_tick);
        serial_listen(input_put);
        trial_run();
        protect_init();
        cycle_init(*config.retired);
        enum fence fence = choose_fence();
        align_set(config_number(config.align));
        struct counter counter = counter_try(!strncmp(config.platform, "qemu", 4) ||
                                                     !strncmp(config.platform, "bochs", 5),
                                             *config.unit);
        if (counter.exact)
                counter.offset = counter_offset(control_read);
        uint64_t hertz = clock_init(&counter, config.clock);
        if (!counter.exact)
                counter.hertz = hertz;
        say_machine(&counter, fence);
        clock_say();
        say_missing(&counter);
        say_remembered();
        blocks_init();
        open_initrd();

        suites_run(&boot, &counter, fence);
}
