/* work.h - pending work on the way out to a program. */
#pragma once
/* Handles the devices' events (WORK_DEVICE). */
void work_devices(void);
