/* task.c - a task switch by the processor (a far call to a TSS, back by IRET) compared with one by
 * hand: both save and load all registers, change the stack and load CR3, twice.
 *
 * A trusted program can make a TSS of its own, by writing its descriptor into the kernel's GDT. The
 * task switch sets CR0.TS; the next FPU instruction traps, and the kernel clears it. (SDM 3A, "Task
 * Switching") */
#include "cpu/cpu.h"
#include "hardware.h"
#include "switch.h"
#include "task.h"

void measure_task(void)
{
        const char *missing = hardware_missing();
        quiet(true);
        task_software_prepare(cr3_read());
        if (missing) {
                skip("task/hardware", missing);
        } else if (begins("task/hardware")) {
                hardware_prepare();
                MEASURE(task_hardware(), );
                hardware_undo();
                record("task/hardware");
        }
        if (begins("task/software")) {
                MEASURE(task_software(), );
                record("task/software");
        }
        quiet(false);
}
