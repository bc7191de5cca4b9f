/* acpi.h - how the machine is switched off: ACPI's state S5. */
#ifndef TOLLGATE_DEV_ACPI_H
#define TOLLGATE_DEV_ACPI_H

#include "boot.h"

/* How to switch the machine off: each port takes its own value for the state S5. */
struct acpi_off {
        uint16_t port[2]; /* of the registers PM1a and PM1b; 0 = there is no such */
        uint8_t type[2];
        uint16_t command; /* the port that takes `enable` where ACPI is not on; 0 = it always is */
        uint8_t enable;
};

/* Takes the loader's pointer to the ACPI tables; without it the BIOS's memory is searched. */
void acpi_init(const struct boot_acpi *root);
/* Reads the firmware's tables. NULL, or why the machine cannot be switched off: half a sentence. */
const char *acpi_off_find(struct acpi_off *off);
/* Switches it off. It returns where that does not happen, and says why. After space_init. */
const char *acpi_power_off(void);

#endif
