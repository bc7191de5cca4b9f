"""The bench: boots the machines, shows progress, prints their tables and saves their records."""

import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from tollgate import suites
from tollgate.errors import Exit, TollgateError, UsageError, reason
from tollgate.machines import cpio, programs, starve
from tollgate.machines.boot import (
    ARCHES,
    BUILD,
    FENCES,
    ROOT,
    Boot,
    BootResult,
    disk_for,
    module_for,
)
from tollgate.machines.cleanup import folder
from tollgate.machines.clock import LOOK
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome, worst
from tollgate.machines.plan import LOG, SERIAL, STDERR
from tollgate.machines.platforms import (
    Platform,
    base_model,
    check_cpu,
    cores,
    default_machines,
    emulator,
    find,
    require,
)
from tollgate.machines.progress import Progress
from tollgate.printable import plain
from tollgate.records import parts, provenance
from tollgate.records.format import MachineRun, load
from tollgate.records.results_folder import RECORDS, Kept, begin
from tollgate.records.rules import faults
from tollgate.show import summary, wisconsin
from tollgate.show.table import print_results

T = TypeVar("T")

RESULTS = ROOT / "results"
MAX_SAMPLES = 20000
"""The most samples that a program can hold: SAMPLES_MAX in user/lib/statistics.h."""
LAST_WORDS = 12
"""Serial lines that are shown of a failed boot."""
JOBS = 2
"""Boots in parallel: each keeps one core of the host busy."""
EXACT_JOBS = 3
"""Boots in parallel if they cannot disturb one another's counts: on two cores three together end
sooner than two and then one."""


@dataclass(frozen=True)
class Choice:
    """The person's choices; an empty string means the default."""

    out: str = ""
    platform: str = ""
    arch: str = ""
    cpu: str = ""
    suite: str = ""
    samples: str = ""
    fence: str = ""
    parts: str = ""
    align: str = ""
    add: str = ""

    def check(self) -> None:
        """Raise UsageError for a value that no kernel accepts."""
        if self.arch and self.arch not in ARCHES:
            raise UsageError(f"There is no kernel for {self.arch!r}; ARCH is i386 or amd64.")
        if self.fence and self.fence not in FENCES:
            raise UsageError(
                f"There is no fence {self.fence!r}; FENCE is one of {', '.join(FENCES)}."
            )
        number = int(self.samples) if re.fullmatch(r"[0-9]{1,9}", self.samples) else 0
        if self.samples and not 1 <= number <= MAX_SAMPLES:
            raise UsageError(f"SAMPLES is a number from 1 to {MAX_SAMPLES}, not {self.samples!r}.")
        if self.align and self.align not in map(str, range(64)):
            raise UsageError(f"ALIGN is a number from 0 to 63, not {self.align!r}.")
        if self.parts:
            parts.check(self.parts)
        names = [name for name in self.suite.split(",") if name]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UsageError(f"SUITE names {twice[0]!r} twice; a row is measured once in a boot.")
        if any(c.isspace() for c in self.suite):
            raise UsageError(
                f"SUITE is a list of programs with commas between, not {self.suite!r}."
            )

    def suites(self) -> str:
        """The requested suites, preceded by those with which one of them is compared."""
        names = [name for name in self.suite.split(",") if name]
        needed = wisconsin.BESIDE if wisconsin.SUITE in names else ()
        return ",".join([*(name for name in needed if name not in names), *names])

    def words(self) -> tuple[str, ...]:
        """The requested words for the kernel's command line."""
        values = {"suite": self.suites(), "samples": self.samples, "fence": self.fence}
        values["align"] = self.align
        return tuple(f"{name}={value}" for name, value in values.items() if value)

    def parted(self, arch: str) -> tuple[str, ...]:
        """The word for rows with parts, which only the amd64 kernel has."""
        asked = self.parts not in ("", parts.NONE) and arch == "amd64"
        return (f"{parts.WORD}{self.parts}",) if asked else ()


def machines(choice: Choice) -> list[Boot]:
    """The boots of a bench: the platform's default machines, or all kernels on the named one."""
    choice.check()
    platform, model = find(choice.platform)
    cpu = choice.cpu or model
    pairs = [(arch, cpu) for arch in cores(platform, cpu)] if cpu else default_machines(platform)
    chosen = [(arch, name) for arch, name in pairs if choice.arch in ("", arch)]
    if not chosen:
        raise UsageError(f"{base_model(cpu)} has no long mode, so it cannot run the amd64 kernel.")
    for arch, name in chosen:
        require(platform, emulator(platform, arch, name))
        if cpu:
            check_cpu(platform, arch, name)
    words = choice.words()
    if not (choice.suite or choice.parts):
        choice = replace(choice, parts=parts.DEFAULT)
    boots = [
        Boot(
            *(arch, platform.name, name, (*words, *choice.parted(arch))),
            module=module_for(arch, words),
            disk=disk_for(words),
        )
        for arch, name in chosen
    ]
    return boots + starve.unprotected(boots, choice.suite)


def check_built(boots: Sequence[Boot], platform: Platform | None = None) -> None:
    """Raise TollgateError when a build product that `boots` need is missing."""
    for boot in boots:
        family = (platform or find(boot.platform)[0]).family
        boot.grub_file() if family == "bochs" else boot.kernel_file()
        boot.module_file()
        check_suites(boot)


def check_suites(boot: Boot) -> None:
    """Raise UsageError for a suite that is not a program of this kernel's tree."""
    folders = [BUILD / boot.arch / folder for folder in ("bin", "trusted", "database/bin")]
    there = {file.name for folder in folders if folder.is_dir() for file in folder.iterdir()}
    if boot.module is not None:
        there |= {Path(name).name for name in cpio.read(boot.module.read_bytes())}
    for word in boot.words:
        for name in word.removeprefix("suite=").split(",") if word.startswith("suite=") else ():
            if name and name not in there:
                known = ", ".join(suites.NAMES)
                raise UsageError(f"There is no suite {name!r}; SUITE is of {known}.")


def make_out(out: str) -> Path:
    """Create the folder of this run: `out`, or a new one in results/ named after the time (UTC)."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ")
    path = Path(out) if out else RESULTS / stamp
    number = 1
    while not out and path.exists():
        number += 1
        path = RESULTS / f"{stamp}-{number}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise TollgateError(
            f"{path} cannot be written: {reason(error)}; choose another place with OUT=DIR."
        ) from None


def point_latest(path: Path) -> None:
    """Point results/latest at `path`, atomically."""
    link = RESULTS / f".latest-{path.name}"
    link.symlink_to(path.name)
    link.replace(RESULTS / "latest")


def keep_logs(result: BootResult, out: Path) -> Path:
    """Copy the serial log, and all logs of a failed boot, to `out`."""
    names = (SERIAL,) if verdict(result) is Outcome.PASS else (SERIAL, LOG, STDERR)
    for name in names:
        source = result.directory / name
        if source.exists():
            shutil.copyfile(source, out / f"{result.boot.slug}.{name}")
    return out / f"{result.boot.slug}.{SERIAL}"


class StoppedError(KeyboardInterrupt):
    """A bench was interrupted; `results` are those of the finished boots."""

    def __init__(self, results: list[BootResult]) -> None:
        super().__init__()
        self.results = results


def result_of(future: Future[T]) -> T:
    """A thread's result.  A wait without a time limit would miss a ^C that comes just before it."""
    while not wait([future], LOOK).done:
        pass
    return future.result()


def jobs(boots: Sequence[Boot]) -> int:
    """The number of `boots` that run in parallel."""
    exact = all(find(boot.platform)[0].unit == "instructions" for boot in boots)
    return EXACT_JOBS if exact else JOBS


def boot_all(boots: Sequence[Boot], kept: Kept, console: Console) -> list[BootResult]:
    """Boot every machine, some in parallel, and save its output; results in the order of `boots`.

    StoppedError on an interrupt; the results until then are saved.
    """
    done: dict[int, BootResult] = {}
    stop = threading.Event()
    with Progress(console, [boot.name for boot in boots]) as progress:

        def one(number: int) -> BootResult:
            with folder() as directory:
                progress.start(number)

                def watch(line: str, _: Path) -> None:
                    if line.startswith("@{"):
                        progress.advance(number)

                result = run_boot(boots[number], directory, watch, stop)
                keep_logs(result, kept.out)
                kept.add(result)
                done[number] = result
            progress.finish(number, f"{verdict(result).value}, {result.seconds:.1f} s")
            return result

        with ThreadPoolExecutor(max_workers=jobs(boots)) as pool:
            try:
                futures = [pool.submit(one, number) for number in range(len(boots))]
                prepare_report({find(boot.platform)[0].unit for boot in boots})
                return [result_of(future) for future in futures]
            except BaseException as error:
                stop.set()
                pool.shutdown(cancel_futures=True)
                if isinstance(error, KeyboardInterrupt):
                    raise StoppedError([done[number] for number in sorted(done)]) from None
                raise


def verdict(result: BootResult) -> Outcome:
    """The outcome of a boot by its figures: unreadable figures are a failure, noisy rows are not.

    For a boot that must reset, a triple fault is a pass and anything else a failure.
    """
    if result.boot.resets:
        return Outcome.PASS if result.chain else Outcome.FAIL
    run = result.machine_run
    figures = result.outcome in (Outcome.PASS, Outcome.NOISY)
    if figures and (run is None or faults(run)):
        return Outcome.FAIL
    return result.outcome


def why(result: BootResult) -> str:
    """The reason of a verdict; the boot's own if that decided."""
    if result.outcome is Outcome.PASS and not result.boot.resets:
        return "its records break the rules named above"
    return result.reason


def report(results: Sequence[BootResult], out: Path, console: Console) -> None:
    """Print the tables from results.jsonl, write report.html, print where the files are."""
    path = out / RECORDS
    kept = load(path) if path.exists() else None
    if kept:
        print_results(kept, console)
    for result in results:
        if lines := starve.said(result):
            console.print(plain(f"{result.boot.name}:"), style="bold")
            for line in lines:
                console.print(plain(f"  {line}"), soft_wrap=True)
        if verdict(result) is not Outcome.PASS:
            log = out / f"{result.boot.slug}.{SERIAL}"
            text = f"{result.boot.name}: {verdict(result).value}: {why(result)}; see {log}."
            console.print(plain(text), style="red", soft_wrap=True)
            for line in result.said(LAST_WORDS):
                console.print(plain(f"    {line}"), soft_wrap=True)
    if not kept:
        return
    for run in kept.runs:
        for line in [] if faults(run) else summary.lines(run):
            console.print(plain(line), soft_wrap=True)
    console.print(plain(f"records: {path}"), soft_wrap=True)
    made = filter(None, [provenance.beside(out)])
    write_html(kept.runs, out / "report.html", console, kept.missing, list(made))


def load_report() -> str:
    """Import the modules that draw the report; return the name of a missing package, or ""."""
    try:
        import_module("tollgate.show.report")
    except ModuleNotFoundError as error:
        return str(error.name)
    return ""


def prepare_report(units: Iterable[str]) -> None:
    """Prepare the parts of the report without figures in `units` during the boots: saves two
    seconds.
    """
    if not load_report():
        from tollgate.show.report import prepare

        prepare(units)


def write_html(
    runs: Sequence[MachineRun],
    path: Path,
    console: Console,
    missing: Sequence[str] = (),
    made: Sequence[provenance.Made] = (),
) -> None:
    """Write the HTML report and its files, or print why there is none."""
    if missing_package := load_report():
        console.print(f"There is no HTML report: the Python package {missing_package} is missing.")
        return
    from tollgate.show.report import write_report

    try:
        write_report(runs, path, missing, made)
    except OSError as error:
        raise TollgateError(f"{path} cannot be written: {reason(error)}.") from None
    console.print(plain(f"report:  {path}"), soft_wrap=True)


def measure(
    verb: str, choose: Callable[[Choice], list[Boot]], choice: Choice, console: Console
) -> Exit:
    """Boot, print, save; return the exit code of the worst boot.

    `choose` turns a choice into boots.
    """
    with programs.added(choose(choice), choice.add) as boots:
        check_built(boots)
        return _measure(verb, boots, choice, console)


def _measure(verb: str, boots: list[Boot], choice: Choice, console: Console) -> Exit:
    out = make_out(choice.out)
    kept = begin(out, boots)
    given = {k: v for k, v in asdict(choice).items() if v}
    provenance.keep(out, provenance.command_of(verb, given))
    started = time.monotonic()
    try:
        results = boot_all(boots, kept, console)
    except StoppedError as stopped:
        report(stopped.results, out, console)
        there = len(boots) - len(kept.missing)
        text = f"stopped: {there} of {len(boots)} boots are kept, so {out} is not whole."
        console.print(plain(text), soft_wrap=True)
        raise
    report(results, out, console)
    if not choice.out and not kept.missing:
        if any(map(faults, kept.runs)):
            text = f"results/latest stays as it was: records of {out} break rules."
            console.print(plain(text), style="red", soft_wrap=True)
        else:
            point_latest(out)
    outcome = worst([verdict(result) for result in results])
    seconds = time.monotonic() - started
    count = "1 boot" if len(results) == 1 else f"{len(results)} boots"
    console.print(f"{count} in {seconds:.1f} s: {outcome.value}.")
    return outcome.exit_code
