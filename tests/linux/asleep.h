/* asleep.h - for a program that must act while another waits. */
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Until the other process's first thread sleeps in a call, or has ended. */
static inline void until_asleep(pid_t pid)
{
        char path[32], text[64] = "";
        ssize_t size = 1;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        for (; size > 0 && !strstr(text, ") S ") && !strstr(text, ") Z "); usleep(1000)) {
                int fd = open(path, O_RDONLY);
                size = read(fd, text, sizeof text - 1);
                text[size > 0 ? size : 0] = 0;
                close(fd);
        }
}
