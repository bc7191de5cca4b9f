"""The sweep: the bench on the paper's processors and newer ones, with every kernel they can run."""

from collections.abc import Mapping, Sequence

from tollgate.bench import Choice
from tollgate.errors import UsageError
from tollgate.machines.boot import Boot
from tollgate.machines.platforms import check_cpu, cores, emulator, find, require

PROCESSORS: Mapping[str, Sequence[str]] = {
    "bochs": (
        "pentium_mmx p2_klamath p3_katmai p4_willamette athlon64_clawhammer corei7_haswell_4770 "
        "ryzen"
    ).split(),
    "qemu": (
        "pentium pentium2 pentium3 athlon qemu32 qemu64 phenom Opteron_G5 Haswell Skylake-Client "
        "EPYC"
    ).split(),
    "kvm": ("host",),
}
"""By family: Schneider and Baumgartl's Pentium, P2, P3, P4 and Athlon, then later ones."""

PLATFORMS = ("bochs", "qemu-icount")
"""The default platforms of a sweep: both count instructions."""


def machines(choice: Choice) -> list[Boot]:
    """The boots of a sweep; `platform`, `arch` and `cpu` select some."""
    choice.check()
    boots = []
    for name in [choice.platform] if choice.platform else PLATFORMS:
        platform, model = find(name)
        wanted = choice.cpu or model
        for cpu in PROCESSORS[platform.family]:
            for arch in cores(platform, cpu):
                if choice.arch in ("", arch) and wanted in ("", cpu):
                    require(platform, emulator(platform, arch, cpu))
                    words = (*choice.words(), *choice.parted(arch))
                    boots.append(Boot(arch, platform.name, cpu, words))
    if not boots:
        known = sorted({cpu for cpus in PROCESSORS.values() for cpu in cpus})
        raise UsageError(f"The sweep has no such machine; its processors are {', '.join(known)}.")
    for boot in boots:
        check_cpu(find(boot.platform)[0], boot.arch, boot.cpu)
    return boots
