/* main.c - the core, the testbed's calls and one built-in program: the suite `toll`, once for each
 * kind of program. It is the smallest kernel that prints the toll table (make core). */
#include "boot.h"
#include "calls.h"
#include "config.h"
#include "cpu/alternatives.h"
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/features.h"
#include "cpu/protect.h"
#include "cpu/work.h"
#include "entry/ways.h"
#include "half.h"
#include "lib/json.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "machine/apic.h"
#include "machine/console.h"
#include "machine/pic.h"
#include "machine/quiet.h"
#include "machine/serial.h"
#include "machine/timer.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "lib/elf.h"
#include "programs.h"
#include "start.h"
#include "thread/posture.h"
#include "thread/schedule.h"
#include "thread/user.h"
#include "toll/control.h"
#include "toll/counter.h"
#include "toll/cycle.h"
#include "toll/lack.h"
#include "toll/record.h"
#include "trap/dispatch.h"
#include "trap/marks.h"

#define STACK (16 * PAGE_SIZE)
#define LINE 4096 /* the longest write of a program */
#define WORDS 4   /* arguments at most */

static struct boot_info boot;
static long status; /* status of the last program that ended */

long sys_write(long file, long from, long size, AFTER_3)
{
        static char line[LINE];
        if (file != 1)
                return -EBADF;
        if (size < 0 || size > LINE || user_read(line, (uintptr_t)from, (size_t)size))
                return -EFAULT;
        bool record = !strncmp(line, "@{", 2);
        return (record ? console_record : console_write)(line, (size_t)size) ? size : -EINVAL;
}

long sys_exit_group(long code, AFTER_1)
{
        status = code;
        work_add(WORK_EXIT);
        return 0;
}

long sys_exit(long code, AFTER_1)
{
        return sys_exit_group(code, 0, 0, 0, 0, 0);
}

long sys_nosys(AFTER_0)
{
        return -ENOSYS;
}

static bool read_image(const void *image, uint64_t offset, void *to, size_t size)
{
        memcpy(to, (const uint8_t *)image + offset, size);
        return true;
}

static unsigned flags_of(const struct elf_segment *s)
{
        return AREA_READ | (s->flags & ELF_WRITE ? AREA_WRITE : 0) |
               (s->flags & ELF_EXECUTE ? AREA_EXECUTE : 0);
}

/* Loads segments without shared pages, as our linker script makes them. */
static bool alone_load(struct memory *memory, const struct elf *elf, const uint8_t *image)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                uintptr_t start = (uintptr_t)s->address & ~(uintptr_t)(PAGE_SIZE - 1);
                uintptr_t end = (uintptr_t)(s->address + s->memory_size + PAGE_SIZE - 1) &
                                ~(uintptr_t)(PAGE_SIZE - 1);
                if (memory_map(memory, start, end - start, flags_of(s)) ||
                    !memory_fill(memory, (uintptr_t)s->address, image + s->offset,
                                 (size_t)s->file_size))
                        return false;
        }
        return !memory_map(memory, memory->limit - STACK, STACK, AREA_READ | AREA_WRITE);
}

/* Writes arguments, no environment and no auxiliary vector. Returns the stack pointer. */
static uintptr_t put_words(struct memory *memory, unsigned width, const char *const words[WORDS])
{
        uintptr_t text = memory->limit, at[WORDS];
        bool good = true;
        for (unsigned i = 0; i < WORDS; i++) {
                size_t size = strlen(words[i]) + 1;
                at[i] = text -= size;
                good &= memory_fill(memory, text, words[i], size);
        }
        uint64_t count = WORDS, none = 0;
        uintptr_t sp = (text - (WORDS + 5) * width) & ~(uintptr_t)15, to = sp;
        good &= memory_fill(memory, to, &count, width);
        for (unsigned i = 0; i < WORDS; i++)
                good &= memory_fill(memory, to += width, &(uint64_t){at[i]}, width);
        for (unsigned i = 0; i < 4; i++)
                good &= memory_fill(memory, to += width, &none, width);
        if (!good)
                refuse("out of memory");
        return sp;
}

static struct thread *alone_make(const struct program *program, const char *const words[WORDS])
{
        struct elf elf;
        struct thread *thread = thread_create();
        const char *wrong = elf_read(&elf, read_image, program->start,
                                     (uint64_t)(program->end - program->start));
        if (!wrong)
                wrong = start_mode(elf.bits, program->trusted, &thread->origin);
        if (wrong)
                refuse("%s: %s", program->path, wrong);
        thread->memory = memory_create(thread->origin);
        thread->probe_frame = frame_allocate();
        if (!thread->memory || !thread->probe_frame ||
            !alone_load(thread->memory, &elf, program->start) ||
            !start_probe_page(thread->memory, thread->probe_frame))
                refuse("%s: out of memory", program->path);
        thread->pid = thread->tid;
        thread->limit = thread->memory->limit;
        thread->trusted = program->trusted;
        thread->measures = true;
        start_frame(thread, thread_frame(thread), (uintptr_t)elf.entry,
                    put_words(thread->memory, elf.bits / 8, words));
        posture_changed(thread);
        return thread;
}

static void run(const struct program *program, const char *const words[WORDS])
{
        struct thread *thread = alone_make(program, words);
        quiet_set(false);
        schedule_add(thread);
        while (thread->state != THREAD_ENDED) {
                schedule();
                schedule_idle();
        }
        thread_destroy(thread);
}

static void alone_begin(uint32_t magic, uint32_t information)
{
        marks_sort();
        serial_init();
        const char *wrong = boot_read(&boot, magic, information);
        if (wrong)
                refuse("%s", wrong);
        features_init();
        frame_init(&boot);
        no_execute_init();
        space_init();
        config_read(boot.line);
        descriptor_init();
        row_set_asked = config_set_asked;
        ways_init();
        pic_init();
        pic_listen(0, "timer", timer_interrupt);
        apic_init();
        timer_rate(TIMER_HZ);
        trap_init(memory_fault);
        schedule_init(NULL);
        trial_run();
        protect_init();
        cycle_init(false);
        lack_try();
        fence_set(fence_boot = fence_best());
}

_Noreturn void kernel_main(uint32_t magic, uint32_t information); /* boot/multiboot.asm */

static void say_run(const struct counter *counter)
{
        const struct run_record run = {
                .boot = &boot,
                .counter = counter,
                .fence = fence_names[fence_boot],
                .platform = config.platform,
                .model = config.model,
                .emulator = config.emulator,
                .line = boot.line,
                .initrd = "",
                .rate_by = "",
        };
        record_run(&run);
}

static void say_end(unsigned failed)
{
        static char line[LINE];
        struct json json;
        json_open(&json, line, sizeof line, "end");
        json_number(&json, "records", console_records);
        json_number(&json, "failed", failed);
        json_record(&json);
        console_record(line, strlen(line));
        say("tollgate: %s\n", failed ? "failed" : "passed");
}

/* The unit and the excess per sample, without which no measurement starts. */
static void give_words(const struct counter *counter, const char *words[WORDS])
{
        static char samples[CONFIG_TEXT + 16], offset[32];
        snprintf(samples, sizeof samples, "samples=%s", config.samples);
        snprintf(offset, sizeof offset, "offset=%u", counter->offset);
        words[1] = samples;
        words[2] = "exact=1";
        words[3] = offset;
}

_Noreturn void kernel_main(uint32_t magic, uint32_t information)
{
        alone_begin(magic, information);
        struct counter counter = counter_try(true, false);
        if (!counter.exact)
                refuse("this machine does not count instructions; make bench measures it");
        counter.offset = counter_offset(control_read);
        say_run(&counter);
        const char *words[WORDS];
        unsigned failed = 0;
        give_words(&counter, words);
        for (const struct program *p = programs; p->path; p++) {
                words[0] = p->path;
                status = 0;
                run(p, words);
                failed += status != 0;
        }
        say_end(failed);
        quit(failed ? QUIT_FAIL : QUIT_PASS);
}
