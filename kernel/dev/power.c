/* power.c - the machine off, by ACPI's ports; and its reset. */
#include "cpu/cpu.h"
#include "dev/acpi.h"
#include "dev/power.h"
#include "machine/console.h"
#include "machine/serial.h"
#include "mem/space.h"

#define LOOKS 1000000 /* at a port, a microsecond each or less: nothing here may have no end */
#define SCI_EN 1u     /* PM1 control: ACPI is on */
#define SLP_TYP 10u
#define SLP_EN (1u << 13)

/* The firmware hands the registers over. */
static void turn_on(const struct acpi_off *off)
{
        if (!off->command || !off->enable || in16(off->port[0]) & SCI_EN)
                return;
        out8(off->command, off->enable);
        for (unsigned i = 0; i < LOOKS && !(in16(off->port[0]) & SCI_EN); i++)
                ;
}

static void sleep_5(const struct acpi_off *off, uint16_t enable)
{
        for (unsigned i = 0; i < 2; i++) {
                if (!off->port[i])
                        continue;
                uint16_t rest = in16(off->port[i]) & (uint16_t) ~(7u << SLP_TYP | SLP_EN);
                out16(off->port[i], (uint16_t)(rest | off->type[i] << SLP_TYP | enable));
        }
}

const char *acpi_power_off(void)
{
        struct acpi_off off;
        space_enter(kernel_space); /* what is mapped now is in no other */
        const char *wrong = acpi_off_find(&off);
        if (wrong)
                return wrong;
        turn_on(&off);
        sleep_5(&off, 0);
        sleep_5(&off, SLP_EN);
        for (unsigned i = 0; i < LOOKS; i++)
                in16(off.port[0]);
        return "it was told to, by ACPI";
}

static _Noreturn void stay(void)
{
        for (;;)
                halt();
}

_Noreturn void power_off(void)
{
        interrupts_off();
        serial_drain();
        const char *why = acpi_power_off();
        for (const char *c = "Shutdown"; *c; c++)
                out8(0x8900, (uint8_t)*c);
        say("This machine does not switch itself off (%s): press its button.\n", why);
        stay();
}

/* The chipset's reset register (Intel 82371AB, "RC - Reset Control Register"), where there is none
 * the keyboard controller's pulse on the processor's reset line. */
_Noreturn void reset(void)
{
        interrupts_off();
        serial_drain();
        out8(0xcf9, 0x02); /* a hard reset ... */
        out8(0xcf9, 0x06); /* ... now */
        out8(0x64, 0xfe);
        stay();
}
