/* badtime.c - bad pointers in three cases: the system call returns -EFAULT, the function gets
 * SIGSEGV where it stores, its twin returns -EFAULT. All must return the same time. */
#include "const.h"
#include "layout.h"
#include "signals.h"
#include "vdso.h"

typedef int ask(int clock, struct timespec *to);

static ask *function, *twin;
static uintptr_t image;
static volatile uintptr_t caught_address, caught_ip;
static volatile unsigned caught;

static void handle(int signal, struct siginfo *info, struct ucontext *uc)
{
        caught++;
        caught_address = info->address;
        caught_ip = uc->context.ip;
        uc->context.ip = (uintptr_t)guarded_back;
}

static void by_function(uintptr_t to)
{
        function(CLOCK_MONOTONIC, (struct timespec *)to);
}

/* `faults_at`: the address in the signal; a processor reports none that is not canonical. */
static void three_ways(const char *name, uintptr_t to, uintptr_t faults_at)
{
        caught = 0;
        long call = system_call(NUMBER_clock_gettime, CLOCK_MONOTONIC, to);
        int twins = twin(CLOCK_MONOTONIC, (struct timespec *)to);
        check(call == -EFAULT && twins == -EFAULT && !caught, name,
              "system call %ld, twin %d, %u signals", call, twins, caught);
        long left = guarded_call(by_function, to);
        check(left == 1 && caught == 1 && caught_address == faults_at &&
                      caught_ip - image < 2 * PAGE_SIZE,
              name, "SIGSEGV at %p, address %p", (void *)caught_ip, (void *)caught_address);
}

static void bad_pointers(bool trusted)
{
        uintptr_t page = (uintptr_t)system_call(LIBC_mmap, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(page + PAGE_SIZE, PAGE_SIZE);
        three_ways("NULL", 0, 0);
        three_ways("unmapped", NOWHERE, NOWHERE);
        three_ways("read-only", (uintptr_t)bad_pointers & ~15ul, (uintptr_t)bad_pointers & ~15ul);
        three_ways("across a page's end", page + PAGE_SIZE - sizeof(long), page + PAGE_SIZE);
        if (!trusted)
                three_ways("kernel half", KERNEL_BASE, KERNEL_BASE);
        if (WIDE)
                three_ways("not canonical", (uintptr_t)1 << (WIDE ? 62 : 0), 0);
}

/* The pages are read-only in both rings: a trusted program's are supervisor pages, which CR0.WP
 * protects. */
static void page_is_read_only(bool trusted)
{
        const uintptr_t page = trusted ? CLOCK_TRUSTED : CLOCK_PAGE;
        uint8_t was = *(const volatile uint8_t *)page;
        caught = 0;
        long left = guarded_call(fault_write, page);
        check(left == 1 && caught == 1 && caught_address == page &&
                      *(const volatile uint8_t *)page == was,
              "the page of the time", "%u signals at a write, address %p", caught,
              (void *)caught_address);
}

static int64_t nanoseconds(struct timespec t)
{
        return t.seconds * 1000000000ll + t.nanoseconds;
}

/* Calls function, twin and system call alternately: their common clock never goes back. */
static void paths(void)
{
        int64_t last = 0, back = 0;
        for (unsigned i = 0; i < 3000; i++) {
                struct timespec t = {0, 0};
                if (i % 3 == 0)
                        function(CLOCK_REALTIME, &t);
                else if (i % 3 == 1)
                        system_call(NUMBER_clock_gettime, CLOCK_REALTIME, &t);
                else
                        twin(CLOCK_REALTIME, &t);
                back += nanoseconds(t) < last;
                last = nanoseconds(t);
        }
        check(!back, "from one path to the other", "%lld times back", (long long)back);
        struct timeval day = {0, 0};
        gettimeofday(&day, NULL);
        int64_t here = day.seconds * 1000000000ll + day.microseconds * 1000;
        check(here >= last - 1000 && here < last + 1000000000, "gettimeofday", "%lld ns on",
              (long long)(here - last));
}

static bool is_listed(uintptr_t at)
{
        static char maps[8192];
        char line[20];
        int file = (int)open("/proc/self/maps", O_RDONLY, 0);
        long size = read(file, maps, sizeof maps - 1);
        close(file);
        maps[size > 0 ? size : 0] = 0;
        snprintf(line, sizeof line, "%08lx-", (unsigned long)at);
        const char *found = strstr(maps, line), *name = found ? strstr(found, "[vdso]") : NULL;
        const char *end = found ? strchr(found, '\n') : NULL;
        return name && name < end && strstr(found, " r-xp ") < name;
}

static long move(uintptr_t from, size_t size, uintptr_t to)
{
        return system_call(NUMBER_mremap, from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

/* A child has the moved copy, too; the kernel's own image survives unmapping it. */
static void image_moves(void)
{
        const size_t size = 2 * PAGE_SIZE;
        uintptr_t to = (uintptr_t)system_call(LIBC_mmap, 0, size, PROT_READ,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ask *moved = (ask *)((uintptr_t)function - image + to);
        check(move(image, PAGE_SIZE, to) == -EINVAL && move(image, size, image) == -EINVAL &&
                      move(image, size, 0) == -EPERM && move(image, size, to + 1) == -EINVAL,
              "the image moves", "neither in part nor to no place");
        check(move(image, size, to) == (long)to && is_listed(to), "the image moves", "%lx in maps",
              (unsigned long)to);
        check(mprotect(to, size, PROT_READ | PROT_WRITE) == -EACCES, "the image moves",
              "and cannot be written");
        int status = -1;
        struct timespec before, here = {0, 0}, after;
        function(CLOCK_MONOTONIC, &before);
        long pid = fork();
        if (!pid)
                exit_group(moved(CLOCK_MONOTONIC, &here) || munmap(to, size));
        wait4(pid, &status, 0, NULL);
        moved(CLOCK_MONOTONIC, &here);
        munmap(to, size);
        function(CLOCK_MONOTONIC, &after);
        check(!status && nanoseconds(before) <= nanoseconds(here) &&
                      nanoseconds(here) <= nanoseconds(after) && !is_listed(to),
              "the image moves", "a child's status %d, its function tells the time", status);
}

int main(int argc, char **argv, char **environment)
{
        image = auxiliary(environment, AT_SYSINFO_EHDR);
        function = (ask *)vdso_function(environment, "__vdso_clock_gettime");
        twin = (ask *)vdso_function(environment, "__toll_clock_gettime");
        vdso_link(environment);
        if (!check(function && twin, "the image", "at %p", (void *)image))
                return check_status();
        signal_act(SIGSEGV, handle, SA_SIGINFO, 0);
        bool trusted = !strncmp(argv[0], "/trusted/", 9);
        bad_pointers(trusted);
        page_is_read_only(trusted);
        paths();
        image_moves();
        return check_status();
}
