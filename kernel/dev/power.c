/* power.c - the machine off, by ACPI's ports. */
#include "cpu/cpu.h"
#include "dev/acpi.h"
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
