/* power.c - powers off an emulated machine; resets any. */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "dev/power.h"
#include "dev/screen.h"
#include "machine/console.h"
#include "machine/serial.h"

/*
 * ACPI's S5 by PM1a control (SLP_EN, SLP_TYP), at the ports of these emulators: QEMU under SeaBIOS,
 * QEMU's machine `pc` under OVMF, VirtualBox. On a real machine anything may be at these ports.
 */
static const struct {
        uint16_t port, value;
} ways_off[] = {{0x604, 0x2000}, {0xb004, 0x2000}, {0x4004, 0x3400}};

void emulator_off(void)
{
        for (size_t i = 0; i < sizeof ways_off / sizeof *ways_off; i++)
                if (feature_has(FEATURE_HYPERVISOR))
                        out16(ways_off[i].port, ways_off[i].value);
}

static _Noreturn void power_stay(void)
{
        for (;;)
                halt();
}

_Noreturn void power_off(void)
{
        interrupts_off();
        serial_drain();
        emulator_off();
        for (const char *c = "Shutdown"; *c; c++)
                out8(0x8900, (uint8_t)*c);
        screen_show_at_once();
        say("This machine does not switch itself off: press its button.\n");
        power_stay();
}

/* The chipset's reset register (Intel 82371AB, "RC - Reset Control Register"). If there is none,
 * the keyboard controller pulses the processor's reset line. */
_Noreturn void reset(void)
{
        interrupts_off();
        serial_drain();
        out8(0xcf9, 0x02); /* a hard reset ... */
        out8(0xcf9, 0x06); /* ... now */
        out8(0x64, 0xfe);
        power_stay();
}
