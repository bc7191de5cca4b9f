"""`tollgate check --replay`: repeats a boot that counted instructions, and compares.

The kernel and the initrd are those of this tree that the record names, the emulator is the one that
it names. Then each byte must be equal; otherwise the file was changed.
"""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, INITRD, Boot, disk_for, module_for
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import run_boot
from tollgate.machines.platforms import DEFAULT, emulator, find, installed, version
from tollgate.records.expected import LABELS, is_built
from tollgate.records.format import MachineRun, Record
from tollgate.records.rules import Finding, who


def initrd_of(run: MachineRun, words: tuple[str, ...]) -> Path | None:
    """The initrd of this tree that a record names; None without one."""
    arch = str(run.run["arch"])
    for path in (module_for(arch, words), BUILD / INITRD[arch]):
        held = cpio.read(path.read_bytes()) if path and path.is_file() else {}
        if held.get(cpio.SUM, b"").decode() == run.run["image"]["initrd"]:
            return path
    return None


def request(run: MachineRun) -> Boot | str:
    """The boot described by a record, or why it cannot be repeated here."""
    said, words = run.run, tuple(str(run.run["cmdline"]).split())
    own = tuple(word for word in words if word.partition("=")[0] not in LABELS)
    if said["platform"] != DEFAULT or "scanned" in said:
        return f"only whole records of {DEFAULT} can be made again"
    if not is_built(run) or (module := initrd_of(run, own)) is None:
        return "its kernel and its initrd are not both those of this tree"
    arch, cpu = str(said["arch"]), str(said["cpu_model"])
    here = version(installed(emulator(find(DEFAULT)[0], arch, cpu)))
    if here != said["tools"]["emulator"]:
        return f"it was made by {said['tools']['emulator']}, and here is {here}"
    resets = run.outcome is not None and run.outcome["expected"] == "reset"
    return Boot(arch, DEFAULT, cpu, own, module=module, disk=disk_for(own), resets=resets)


def differences(run: MachineRun) -> Iterator[Finding]:
    """The records that a repeated boot does not send, or why it was not repeated."""
    boot = request(run)
    if isinstance(boot, str):
        yield run.records[0], f"it cannot be replayed: {boot}"
        return
    with folder() as directory:
        again = run_boot(boot, directory).machine_run
    sent = again.records if again else []
    for old, new in zip_longest(run.records, sent):
        if (old and old.stored()) != (new and new.stored()):
            yield old, difference(old, new)


def difference(old: Record | None, new: Record | None) -> str:
    """How two records differ, in words."""
    if old is None or new is None or (old.type, who(old)) != (new.type, who(new)):
        return f"replayed, {who(new) if new else 'nothing'} stands there"
    keys = [key for key in {**old.data, **new.data} if old.data.get(key) != new.data.get(key)]
    told = [f"{key} is {new.data.get(key)}, not {old.data.get(key)}" for key in keys]
    return f"replayed, {'; '.join(told) or 'its bytes are others'}"
