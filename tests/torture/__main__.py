"""Run fuzzers: `make test PART=torture`, or `python -m tests.torture --help`.

A job is one boot. Finished jobs are in a ledger, one line each, and are not repeated for the same
kernel and programs; a failure is made small and kept beside it.
"""

import argparse
import functools
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.boot import ARCHES, BUILD, INITRD, KERNEL, KERNELS
from tollgate.machines.child import StoppedError
from tollgate.machines.platforms import find
from tollgate.records import parts

from . import guests, inputs, led, program
from .shrink import shrink

MILLION = 1_000_000
LED = "program"
"""The kind that coverage guides."""
FOR_A_MUTANT = 2000
"""Deeds that cost about as much as the boot of a mutant."""


@dataclass(frozen=True)
class Job:
    """One boot: a mutant of a seed, or deeds from one."""

    kind: str
    mode: str
    seed: int
    count: int
    platform: str = "qemu-icount"
    parts: str = ""

    @property
    def name(self) -> str:
        """The name in the ledger."""
        words = self.kind, self.mode, self.platform, self.seed, self.count, self.parts
        return " ".join(map(str, words)).strip()

    @property
    def arch(self) -> str:
        """The kernel's."""
        return self.mode if self.kind in inputs.KINDS else guests.MODES[self.mode][0]


def kernel_of(arch: str) -> str:
    """The files under test: a kernel and its programs."""
    files = (KERNELS / KERNEL[arch], BUILD / INITRD[arch])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def jobs(kinds: list[str], count: int, seed: int, platform: str) -> Iterator[Job]:
    """All jobs, in rotation: each kind early, and each seed once in every mode."""
    steps = min(count, guests.STEPS)
    rounds = -(-count // steps)
    mutants = max(count // FOR_A_MUTANT, 1)
    boots = -(-count // led.OF_A_BOOT)
    for turn in range(max(rounds, mutants, boots)):
        for kind in kinds:
            if kind == LED and turn < boots:
                for mode in led.RINGS:
                    yield Job(kind, mode, seed + turn, led.OF_A_BOOT, platform)
            if kind in guests.KINDS and turn < rounds:
                count = max(steps // guests.CROWD, 1) if kind == "crowd" else steps
                for mode in guests.modes(kind):
                    yield Job(kind, mode, seed + turn, count, platform)
            elif kind in inputs.KINDS and turn < mutants:
                for arch in ARCHES:
                    yield Job(kind, arch, seed + turn, 1, platform)


def steps_of(job: Job) -> guests.Steps:
    """The deeds of a job."""
    return guests.Steps(
        job.kind, job.mode, job.seed, job.count, platform=job.platform, parts=job.parts
    )


def try_steps(steps: guests.Steps) -> tuple[str, str]:
    """The fault of these steps, and the serial output."""
    with tempfile.TemporaryDirectory(prefix="tollgate-torture-") as folder:
        result = steps.boot(Path(folder))
        return guests.verdict(result), result.text


def try_mutant(job: Job, edits: list[inputs.Edit]) -> tuple[str, str]:
    """The fault with a base that is edited so, and the serial output."""
    kind = inputs.KINDS[job.kind]
    base, _ = inputs.mutant(job.kind, job.seed)
    with tempfile.TemporaryDirectory(prefix="tollgate-torture-") as folder:
        result = kind.boot(job.mode, inputs.apply(base, edits), Path(folder))
        return kind.wrong(result), result.text


@functools.cache
def search(folder: Path) -> led.Search:
    """The programs that were kept until now."""
    found = led.Search()
    found.begin(*folder.glob("corpus-*.txt"))
    return found


def attempt(job: Job, folder: Path = BUILD) -> tuple[str, str]:
    """Do a job. Returns the fault and the guest's output, or the edits to repeat."""
    if job.kind == LED:
        some, ran = search(folder).step(job.mode, job.seed)
        return ran.wrong, led.culprit(job.mode, some, ran) if ran.wrong else ran.result.text
    if job.kind in guests.KINDS:
        return try_steps(steps_of(job))
    return try_mutant(job, inputs.mutant(job.kind, job.seed)[1])


def small_program(job: Job, wrong: str, said: str) -> str:
    """The few deeds that fail so, as the guest prints them."""
    steps = steps_of(job)
    near = guests.suspects(steps, said)

    def part(deeds: list[int]) -> guests.Steps:
        span = deeds[-1] - deeds[0] + 1
        return replace(steps, first=deeds[0], count=span, deeds=tuple(deeds))

    def fails(deeds: list[int]) -> bool:
        return bool(try_steps(part(deeds))[0])

    every = [*near] if fails([*near]) else [*range(job.count)]
    left = shrink(every, fails) if fails(every) else every
    told = try_steps(replace(part(left), tells=True))[1] if len(left) <= 250 else said
    return f"{wrong}\n\n{len(left)} deeds: {left[:50]}\n\n{told}"


def small_file(job: Job, wrong: str, to: Path) -> str:
    """The few edits that fail so; the resulting file is stored beside it."""
    base, edits = inputs.mutant(job.kind, job.seed)
    left = shrink(edits, lambda some: bool(try_mutant(job, some)[0]))
    to.with_suffix(".bin").write_bytes(inputs.apply(base, left))
    told = "\n".join(f"at {edit.at:#x}, {edit.cut} bytes: {edit.data!r}" for edit in left)
    return f"{wrong}\n\n{told}\n\n{try_mutant(job, left)[1]}"


def keep(job: Job, wrong: str, said: str, folder: Path) -> Path:
    """Make a failure small, and write it down."""
    folder.mkdir(parents=True, exist_ok=True)
    to = folder / (job.name.replace(" ", "-") + ".txt")
    small = {LED: said} if job.kind == LED else {}
    if job.kind in guests.KINDS:
        small[job.kind] = small_program(job, wrong, said)
    to.write_text(small.get(job.kind) or small_file(job, wrong, to))
    return to


def read_ledgers(folder: Path) -> set[tuple[str, str]]:
    """The finished jobs of all shards, each with its kernel. An incomplete line does not count."""
    done = set()
    for line in (one for path in folder.glob("ledger-*.jsonl") for one in path.open()):
        try:
            entry = json.loads(line)
            done.add((entry["job"], entry["kernel"]))
        except (ValueError, KeyError):
            continue
    return done


def shard(text: str) -> tuple[int, int]:
    """`i/n`: the i-th of n, from 1."""
    part, _, whole = text.partition("/")
    if not (part.isdigit() and whole.isdigit() and 1 <= int(part) <= int(whole)):
        raise argparse.ArgumentTypeError(f"SHARD is i/n, with i from 1 to n, not `{text}'")
    return int(part), int(whole)


def parse(words: list[str]) -> argparse.Namespace:
    """The command line."""
    known = [*guests.KINDS, LED, *inputs.KINDS]
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--kind", default=",".join(known), help="with commas: " + ", ".join(known))
    parser.add_argument("--count", type=int, default=MILLION, help="deeds of a kind and mode")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", type=shard, default=(1, 1), help="i/n: the i-th of n parts")
    parser.add_argument("--platform", default="qemu-icount")
    parser.add_argument("--parts", default="", help="a set around each way in")
    parser.add_argument("--out", type=Path, default=BUILD / "torture", help="ledger and failures")
    asked = parser.parse_args([word for word in words if not word.endswith("=")])  # not given
    asked.kinds = asked.kind.split(",")
    for kind in asked.kinds:
        if kind not in known:
            parser.error(f"there is no kind `{kind}'; there are {', '.join(known)}")
        if asked.parts and kind not in guests.KINDS:
            parser.error(f"PARTS is for the kinds {', '.join(guests.KINDS)}, not for {kind}")
    try:
        find(asked.platform)
        parts.check(asked.parts or parts.NONE)
    except TollgateError as error:
        parser.error(str(error))
    return asked


def main(words: list[str]) -> int:
    """0 if no fault was found."""
    asked = parse(words)
    part, whole = asked.shard
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / f"ledger-{part}-of-{whole}.jsonl"
    done = read_ledgers(asked.out)
    kernels = {arch: kernel_of(arch) for arch in ARCHES}
    mine = [
        replace(job, parts=asked.parts)
        for index, job in enumerate(jobs(asked.kinds, asked.count, asked.seed, asked.platform))
        if index % whole == part - 1 and job.mode in (guests.PARTED if asked.parts else (job.mode,))
    ]
    left = [job for job in mine if (job.name, kernels[job.arch]) not in done]
    print(f"{len(mine)} jobs, {len(mine) - len(left)} done before", flush=True)
    failures = 0
    with path.open("a") as ledger, (asked.out / f"corpus-{part}-of-{whole}.txt").open("a") as found:
        for number, job in enumerate(left, start=1):
            before = len(search(asked.out).corpus) if job.kind == LED else 0
            wrong, said = attempt(job, asked.out)
            if job.kind == LED:
                new = search(asked.out).corpus[before:]
                found.write("".join(f"{program.write(one)}\n" for one in new))
                found.flush()
            entry = {"job": job.name, "kernel": kernels[job.arch], "wrong": wrong}
            if wrong:
                failures += 1
                entry["kept"] = str(keep(job, wrong, said, asked.out / "failures"))
                print(f"{job.name}: {wrong}; {entry['kept']}", flush=True)
            ledger.write(json.dumps(entry) + "\n")
            ledger.flush()
            if number % 50 == 0:
                print(f"{number} of {len(left)} jobs, {failures} failed", flush=True)
    print(f"{len(left)} jobs, {failures} failed; the ledger is {path}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (KeyboardInterrupt, StoppedError):
        sys.exit(130)
