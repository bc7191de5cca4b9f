/* hardware.h - there is no hardware task switch on amd64. */
#pragma once
static inline const char *hardware_missing(void)
{
        return "long mode has no task switching (SDM 3A, Task Management in 64-bit Mode)";
}

static inline void hardware_prepare(void)
{
}

static inline void hardware_undo(void)
{
}
