"""The kinds of user/torture: a boot does some thousand deeds of one kind in each width."""

import re
from dataclasses import dataclass
from pathlib import Path

from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, DISK, INITRD, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome

KINDS = ("insn", "crowd", "hostile")
MODES = {
    "user32": ("i386", "bin"),
    "user64": ("amd64", "bin"),
    "compat": ("amd64", "compat"),
    "trusted32": ("i386", "trusted"),
    "trusted64": ("amd64", "trusted"),
}
PARTED = ("user64", "compat")
"""The modes whose ways in can have a set around them."""
CROWD = 500
"""Deeds of other kinds that cost as much as a crowd."""
STEPS = 20_000
"""Deeds of a boot: this much is repeated if a night's run is interrupted."""
HOUR = 3600.0


def modes(kind: str) -> list[str]:
    """The modes of a kind: ring 0 would be allowed most of it."""
    return [mode for mode in MODES if kind == "hostile" or not mode.startswith("trusted")]


@dataclass(frozen=True)
class Steps:
    """A number of deeds of a kind, from a seed, in one mode; `deeds` None: all."""

    kind: str
    mode: str
    seed: int
    count: int
    first: int = 0
    deeds: tuple[int, ...] | None = None
    tells: bool = False
    platform: str = "qemu-icount"
    parts: str = ""
    """A set around each way in that has it."""

    def boot(self, folder: Path) -> BootResult:
        """Boot it and return the result."""
        arch, place = MODES[self.mode]
        files = cpio.read((BUILD / INITRD[arch]).read_bytes())
        files = {f"{place}/torture": files[f"{place}/torture"]}
        if self.deeds is not None:
            files["deeds"] = "".join(f"{deed}\n" for deed in self.deeds).encode()
        module = folder / "module"
        module.write_bytes(cpio.build(files))
        only = f"{self.kind}/{self.count}/{self.seed}/{self.first}" + "/1" * self.tells
        words = ("suite=torture", f"only={only}", *[f"parts={self.parts}"] * bool(self.parts))
        return run_boot(
            Boot(
                arch,
                platform=self.platform,
                words=words,
                module=module,
                disk=DISK if self.kind == "hostile" else None,
                memory=256 if self.kind == "crowd" else 64,
                limit=HOUR / 12,
                deadline=HOUR,
            ),
            folder,
        )


def verdict(result: BootResult) -> str:
    """The fault of a boot, without numbers; "" for none."""
    if result.outcome is Outcome.PASS:
        return ""
    panic = re.search(r"^panic: .*", result.text, re.MULTILINE)
    checks = "; ".join(str(check["detail"]) for check in result.checks if not check["ok"])
    said = panic[0] if panic else f"{result.outcome.value}: {checks or result.reason}"
    return re.sub(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b", "N", said)


def suspects(steps: Steps, text: str) -> range:
    """The deeds that may have failed: a chunk that lost something, or the last ones."""
    lost = re.search(r"deeds (\d+) to (\d+): ", text)
    if lost:
        return range(int(lost[1]), int(lost[2]) + 1)
    hung = re.search(r"deed (\d+) hung", text)
    if hung:
        return range(max(int(hung[1]) - 250, 0), int(hung[1]) + 1)
    done = re.findall(rf"^torture: {steps.kind}, (\d+) of \d+$", text, re.MULTILINE)
    start = int(done[-1]) if done else 0
    if start == steps.count:
        return range(start)
    return range(start, min(start + steps.count // 10 + 250, steps.count))
