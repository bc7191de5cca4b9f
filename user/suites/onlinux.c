/* onlinux.c - the first program of a Linux that was booted for measuring: it mounts what the kinds
 * of files need, describes the machine, and runs the suites that Linux can run, in the available
 * widths, with the words behind `--` on the kernel's command line. When it ends the kernel has no
 * program left: panic=-1 ends the machine. */
#include "linux.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

/* Linux's numbers of calls that Tollgate lacks. */
enum { NUMBER_mount = sizeof(void *) == 8 ? 165 : 21 };

static void mount_all(void)
{
        static const struct {
                const char *kind, *place;
        } mounts[] = {
                {"devtmpfs", "/dev"}, {"proc", "/proc"}, {"devpts", "/dev/pts"}, {"sysfs", "/sys"}};
        for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
                mkdir(mounts[i].place, 0755);
                long error = system_call(NUMBER_mount, mounts[i].kind, mounts[i].place,
                                         mounts[i].kind, 0, 0);
                if (error)
                        print("onlinux: %s: %s\n", mounts[i].place, error_text(error));
        }
}

static void show(const char *path)
{
        static char text[4096];
        long fd = open(path, O_RDONLY, 0), size;
        while ((size = read((int)fd, text, sizeof text)) > 0)
                write(1, text, (size_t)size);
        close((int)fd);
}

/* Prints this kernel's mitigation of each processor flaw. */
static void show_vulnerabilities(void)
{
        static char names[4096];
        long folder = open(VULNERABILITIES, O_RDONLY, 0), size;
        while ((size = getdents64((int)folder, names, sizeof names)) > 0)
                for (long at = 0; at < size;) {
                        const struct dirent64 *entry = (const void *)(names + at);
                        char path[128];
                        at += entry->length;
                        if (entry->name[0] == '.')
                                continue;
                        snprintf(path, sizeof path, VULNERABILITIES "/%s", entry->name);
                        print("vulnerability %s: ", entry->name);
                        show(path);
                }
        close((int)folder);
}

/* Waits for its end. A width that this kernel does not run is skipped. */
static void run(const char *folder, const char *name, char **argv)
{
        char path[32];
        struct stat there;
        int status = 0;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (stat(path, &there))
                return;
        long pid = fork();
        if (!pid) {
                argv[0] = path;
                long error = execve(path, argv, (char *[]){NULL});
                print("onlinux: %s: %s\n", path, error_text(error));
                exit_group(1);
        }
        wait4(pid, &status, 0, NULL);
        if (status)
                print("onlinux: %s: status %x\n", path, (unsigned)status);
}

int main(int argc, char **argv)
{
        static const char *const folders[] = {"/bin", "/compat"};
        static const char *const names[] = {"kinds", "calls", "faults", "switch", "spawn"};
        mount_all();
        show("/proc/version");
        show("/proc/cpuinfo");
        show_vulnerabilities();
        for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
                for (size_t n = 0; n < sizeof names / sizeof *names; n++)
                        run(folders[f], names[n], argv);
        print("onlinux: done\n");
        return 0;
}
