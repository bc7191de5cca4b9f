"""The run record for a measured Linux, whose kernel does not write one."""

import re
from typing import Any

from tollgate import __version__
from tollgate.records.format import Record, host_record

PLATFORM = "linux"


def cpu_of(text: str) -> dict[str, Any]:
    """The processor in /proc/cpuinfo, in a run record's form."""
    found = dict(re.findall(r"^([^\t\n]+?)\s*: (.*)$", text.partition("\n\n")[0], re.M))

    def number(key: str) -> int:
        return int(found[key]) if found.get(key, "").isdigit() else 0

    return {
        "vendor": found.get("vendor_id", ""),
        "brand": found.get("model name", "").strip(),
        "family": number("cpu family"),
        "model": number("model"),
        "stepping": number("stepping"),
    }


def run_record(arch: str, words: str, cpuinfo: str, **own: Any) -> Record:
    """A run record like those of our kernels.

    `own` has the caller's facts: cpu_model, unit, deterministic, firmware, hypervisor, kernel and
    mitigations.
    """
    return host_record(
        "run",
        arch=arch,
        platform=PLATFORM,
        cpu=cpu_of(cpuinfo),
        cmdline=words,
        fence="none",
        version=__version__,
        tools={},
        tsc_hz=0,
        readable=True,
        **own,
    )
