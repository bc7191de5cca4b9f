"""Fixtures: `boot` boots a kernel, `tree` packs a file tree.

Each boot has a directory and a serial file of its own, and no port: tests run side by side.  When a
test fails, its report contains the end of every serial line, and its logs are kept in
build/test-logs until another run fails.
"""

import fcntl
import functools
import hashlib
import itertools
import os
import pickle
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tollgate.errors import TollgateError
from tollgate.machines import cleanup, cpio, qemu
from tollgate.machines.boot import BUILD, INITRD, KERNELS, ROOT, Boot, BootResult
from tollgate.machines.child import run
from tollgate.machines.clock import Clock
from tollgate.machines.emulator import Watch, run_boot
from tollgate.machines.outcome import Outcome
from tollgate.machines.plan import LOGS
from tollgate.machines.platforms import find
from tollgate.machines.signals import heed
from tollgate.records.format import MachineRun, RecordReader, group

from . import kinds, logs, promises, twins
from .mutants.named import Named
from .person import Person
from .records.sample import make_result, make_run

for name in [each for each in os.environ if each.startswith("MAKE") or each == "MFLAGS"]:
    del os.environ[name]  # a test's own make prints as for a person
settings.register_profile(
    "the same everywhere",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("the same everywhere")

if (QBOOT := Path("/usr/share/qemu/qboot.rom")).exists():
    qemu.OWN = ("-bios", str(QBOOT), "-vga", "none")

KEPT = ROOT / "build" / "test-logs"
LIMIT = 300.0
"""Seconds that a test and its processes may use before it is given up."""
TAIL = 40
"""Lines of serial output in the report of a failed test."""
SANITIZED = KERNELS != BUILD
SHADOW = 16
"""Additional MiB for a self-checking kernel."""
PANICS: list[BootResult] = []
"""Boots of self-checking kernels, by whatever command, that a panic ended."""


_make_result = BootResult.__init__


def _note(result: BootResult, *values: Any, **named: Any) -> None:
    _make_result(result, *values, **named)
    if result.outcome is Outcome.PANIC:
        PANICS.append(result)


if SANITIZED:
    BootResult.__init__ = _note  # type: ignore[assignment, method-assign]

_folder = pytest.StashKey[AbstractContextManager[Path]]()
_boots = pytest.StashKey[list[BootResult]]()


SIGNALS = ("signals", "sighandler", "sigreturn", "sigwait")
BOCHS = {
    "i386": (("toll",), ("exceptions", "switch", "ladder", *SIGNALS)),
    "amd64": (("toll",), ("exceptions", "switch", "ladder", "processes", "handoff", *SIGNALS)),
}
"""Suites that one boot on Bochs runs for all tests, because firmware and GRUB cost as much as most
suites. The first is for `make test`, the second for the long tests."""


UNHURRIED = ("-icount", "shift=3,sleep=off")
"""QEMU at 125 million instructions per second, not 1,000: programs that compute for a given time
end after an eighth of the work."""

UNTOLD = ("-icount", "shift=1,sleep=off")
"""Unlike the platform qemu-tcg, an instruction takes two ticks. The kernel must take that for a
clock, and each boot is the same."""

USYSTIME = ("rdtsc: ", "getpid(): ", "read(): ")
"""Beginnings of its lines for people."""


class Booter:
    """Boots kernels for one test and remembers the results."""

    def __init__(self, directory: Path, shared: Path, boots: list[BootResult]) -> None:
        self._directory = directory
        self._shared = shared
        self._boots = boots

    def __call__(
        self,
        arch: str,
        cpu: str = "",
        cmdline: str = "",
        platform: str = "qemu-icount",
        module: bytes | Path | None = None,
        extra: Sequence[str] = (),
        timeout: float = 0.0,
        kernel: Path | None = None,
        iso: Path | None = None,
        disk: Path | None = None,
        memory: int = 32,
        labels: bool = True,
        qmp: bool = False,
        watch: Watch | None = None,
        deadline: float = 600.0,
        resets: bool = False,
        fresh: bool = False,
        whole: bool = False,
    ) -> BootResult:
        """Boot once and return the result, good or bad.

        If instructions are counted the same boot always prints the same bytes. So tests with the
        same request share it, unless they touch the guest or want it `fresh`.

        `cmdline` are further words for the kernel; `labels=False` leaves out the platform's own.
        `module` is the initrd: a path, or an archive's bytes. Else it has only the programs on the
        command line, unless `whole`: a sixth of most boots is to read the others. `timeout` is in
        seconds without a byte on the serial line, `deadline` in total, both in time that the
        emulator could use.
        `watch` is called with each serial line and the boot's directory while the guest runs; with
        `qmp=True` it may call qemu.qmp(directory, command, arguments).  `resets`: it must end in a
        triple fault.
        """
        archive = module if isinstance(module, bytes) else None
        if module is None and iso is None and not whole and "suite=" in cmdline:
            archive = named_programs(arch, cmdline)
        request = Boot(
            arch,
            platform=platform,
            cpu=cpu,
            words=tuple(cmdline.split()),
            kernel=kernel,
            module=None if isinstance(module, bytes) else module,
            iso=iso,
            disk=disk,
            memory=memory + SHADOW * SANITIZED,
            extra=tuple(extra),
            labels=labels,
            qmp=qmp,
            limit=timeout,
            deadline=deadline,
            resets=resets,
        )
        own = fresh or qmp or watch is not None or bool(extra)
        repeats = find(request.platform)[0].unit == "instructions"
        try:
            if repeats and not own:
                result = self._once(request, archive)
            else:
                directory = self._directory / f"boot{len(self._boots)}"
                result = boot_in(directory, request, archive, watch)
        except TollgateError as error:
            pytest.fail(str(error), pytrace=False)
        self._boots.append(result)
        if result.outcome is Outcome.PASS and result.silence > result.boot.limit / 2:
            pytest.fail(f"{result.silence:.1f} s without a word: a long computation must say so")
        return result

    def _once(self, request: Boot, archive: bytes | None) -> BootResult:
        """The result of a boot that the first test makes for all of them."""
        key = hashlib.sha256(repr((request, archive is None, qemu.OWN)).encode() + (archive or b""))
        folder = self._shared / key.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "result"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if kept.exists():
                result = pickle.loads(kept.read_bytes())
                assert isinstance(result, BootResult)
                return result
            result = boot_in(folder / "boot", request, archive)
            for path in result.directory.iterdir():  # a boot medium has several MB
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name not in LOGS:
                    path.unlink()
            if result.outcome not in (Outcome.HANG, Outcome.SILENT):  # perhaps because of the host
                kept.write_bytes(pickle.dumps(result))
            return result


@functools.cache
def tree_of(arch: str) -> dict[str, bytes]:
    """The files in the built initrd."""
    return cpio.read((BUILD / INITRD[arch]).read_bytes())


def named_programs(arch: str, cmdline: str) -> bytes:
    """An initrd of the programs on the command line, and the pages."""
    words = [word.removeprefix("suite=") for word in cmdline.split() if word.startswith("suite=")]
    names = {name for word in words for name in word.split(",")}
    files = tree_of(arch).items()
    return cpio.build({p: data for p, data in files if Path(p).name in names or p[:6] == "pages/"})


def boot_in(
    directory: Path, request: Boot, archive: bytes | None, watch: Watch | None = None
) -> BootResult:
    """Boot in a new folder; `archive` is the initrd if it is not a file."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    if archive is not None:
        request = replace(request, module=directory / "module")
        (directory / "module").write_bytes(archive)
    return run_boot(request, directory, watch)


def parts(result: BootResult, separator: str) -> list[BootResult]:
    """The boot's result, split where the suite `separator` ran."""
    texts, apart = [""], False
    for line in result.text.splitlines(keepends=True):
        between = f'"suite":"{separator}"' in line or line.startswith(USYSTIME)
        if apart and not between:
            texts.append("")
        apart = between
        texts[-1] += "" if between else line
    pieces = []
    for text in texts:
        reader = RecordReader()
        records = [r for r in result.records if r.type == "run"]
        records += [r for r in reader.feed(text.encode()) + reader.close() if r.type != "run"]
        pieces.append(replace(result, text=text, records=records, runs=group(records)))
    return pieces


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with boots that several tests read, in any worker."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "boots"


@pytest.fixture(scope="session")
def once(shared: Path) -> Callable[[str, Callable[[Path], object]], Path]:
    """A callable that has a folder filled once, by the first worker, for all."""

    def folder_of(name: str, fill: Callable[[Path], object]) -> Path:
        folder = shared / name
        folder.mkdir(parents=True, exist_ok=True)
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (shared / f"{name}.whole").exists():
                fill(folder)
                (shared / f"{name}.whole").touch()
        return folder

    return folder_of


@pytest.fixture
def boot(request: pytest.FixtureRequest, tmp_path: Path, shared: Path) -> Booter:
    """A callable that boots a kernel: see Booter.__call__."""
    boots: list[BootResult] = []
    request.node.stash[_boots] = boots
    return Booter(tmp_path, shared, boots)


@pytest.fixture
def suite(boot: Booter) -> Callable[..., BootResult]:
    """A callable that returns a suite's output; on Bochs one boot runs each list of BOCHS."""

    def run(arch: str, cpu: str, platform: str, name: str, extra: Sequence[str] = ()) -> BootResult:
        lists = BOCHS[arch] if platform == "bochs" else ()
        together = next((each for each in lists if name in each), ())
        if not together:
            return boot(arch, cpu, f"suite={name} samples=20", platform=platform, extra=extra)
        words = f"suite={',usystime,'.join(together)},usystime samples=5"
        result = boot(arch, cpu, words, platform=platform)
        pieces = parts(result, "usystime")
        assert len(pieces) == len(together) + 1, result.reason
        return pieces[together.index(name)]

    return run


@pytest.fixture
def person(boot: Booter, tmp_path: Path) -> Generator[Person, None, None]:
    """A person at the console: see tests/person.py."""
    someone = Person(boot, tmp_path)
    yield someone
    someone.leaves()


@pytest.fixture(scope="session")
def drawn() -> Any:
    """The published figures are the same in every report: draws each of their charts once."""
    from tollgate.show.report import reference

    once = functools.cache(reference.chart)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "chart", lambda rows, *words: once(tuple(rows), *words))
        yield once


@pytest.fixture(scope="session")
def busybox() -> bytes:
    """Debian's busybox-static."""
    path = shutil.which("busybox")
    if not path:
        pytest.skip("busybox is not installed; `make setup` installs it")
    return Path(path).read_bytes()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Generator[Any, None, None]:
    """A real browser: see tests/chromium.py."""
    from .chromium import browser

    with browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def tree() -> Callable[[dict[str, bytes]], bytes]:
    """A callable that packs a map from paths to contents as an initrd."""
    return cpio.build


@pytest.fixture(name="make_run")
def make_run_fixture() -> Callable[..., MachineRun]:
    """A callable that makes a complete boot: make_run(medians, **fields of the run record)."""
    return make_run


@pytest.fixture(name="make_result")
def make_result_fixture() -> Callable[..., dict[str, Any]]:
    """A callable that makes a result record."""
    return make_result


@pytest.fixture
def suites() -> Callable[..., bytes]:
    """A callable that packs the named programs, in the kernel's widths, as an initrd."""

    def pack(arch: str, *names: str, folders: Sequence[str] = ()) -> bytes:
        there = tree_of(arch)
        folders = folders or (("bin",) if arch == "i386" else ("bin", "compat"))
        wanted = [f"{folder}/{name}" for folder in folders for name in names]
        return cpio.build({path: there[path] for path in wanted})

    return pack


@pytest.fixture
def host_runs() -> Callable[[str], None]:
    """A callable that skips the test if this host cannot run programs of this width.

    A test with it is patient (kinds.py), because a program on the host waits for others.
    """

    def check(arch: str) -> None:
        try:
            subprocess.run([BUILD / arch / "console" / "true"], check=True)
        except OSError as error:
            pytest.skip(f"this host does not run {arch} programs: {error.strerror}")

    return check


@pytest.fixture
def linux(host_runs: Callable[[str], None]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A callable that runs one of our programs on this host, as an unprivileged user.

    `piped`: its output is a pipe, which no call can truncate.
    """

    def run_program(
        arch: str, name: str, *options: str, piped: bool = False
    ) -> subprocess.CompletedProcess[str]:
        host_runs(arch)
        nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--no-new-privs"]
        # The tree may be where this user has no access, such as in root's home.
        with tempfile.TemporaryDirectory(prefix="tollgate-", dir="/tmp") as folder:
            Path(folder).chmod(0o755)
            shutil.copy(BUILD / arch / "bin" / name, folder)
            command = [f"{folder}/{name}", *options]
            if piped:
                command = ["bash", "-c", 'set -o pipefail; "$0" "$@" | cat', *command]
            return run([*nobody, *command] if os.geteuid() == 0 else command, 110, cwd=Path("/"))

    return run_program


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options for tests/hosts.py."""
    parser.addoption("--rounds", metavar="N", type=int, default=0, help="run each test N times")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test case for each round."""
    if rounds := metafunc.config.getoption("--rounds"):
        metafunc.fixturenames.append("round_of_many")
        metafunc.parametrize("round_of_many", range(rounds), indirect=True)


@pytest.fixture
def round_of_many(request: pytest.FixtureRequest) -> int:
    """The number of the round."""
    return int(request.param)


def limit_of(item: pytest.Item) -> float:
    """What a test may use, in seconds."""
    mark = item.get_closest_marker("limit")
    return float(mark.args[0]) if mark else LIMIT


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests about this tree alone before tests are selected by marks."""
    for item in items:
        if item.nodeid.startswith("tests/self/"):
            item.add_marker("self")


class Dealt:
    """Each worker begins with some of the tests that may use most: else processors are idle while
    the last one ends.  xdist gives each the same number of tests, in their order."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        workers, dealt = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), list[pytest.Item]()
        dear = sorted((i for i in items if limit_of(i) > LIMIT), key=limit_of, reverse=True)
        others = iter([item for item in items if item not in dear])
        for worker in range(workers):
            end = len(dealt) + (len(items) - len(dealt)) // (workers - worker)
            dealt += dear[worker::workers]
            dealt += itertools.islice(others, max(0, end - len(dealt)))
        items[:] = [*dealt, *others]


def pytest_configure(config: pytest.Config) -> None:
    """One folder for all temporary files, removed at the end of the run in any case.

    And its name: a failure replaces the logs of an earlier run (see logs.py).
    """
    config.pluginmanager.register(kinds.Kinds())
    config.pluginmanager.register(Dealt())
    whole = config.args == config.getini("testpaths") and not config.getoption("--rounds")
    if whole:
        config.pluginmanager.register(promises.Promises())
    config.pluginmanager.register(twins.Twins(whole))
    if whole:
        config.pluginmanager.register(Named())
    config.addinivalue_line("markers", "limit(seconds): what this test may use, in place of LIMIT")
    if not hasattr(config, "workerinput"):
        place = config.stash[_folder] = cleanup.folder()
        root = place.__enter__()
        config.option.basetemp = config.option.basetemp or root / "t"
        os.environ["TMPDIR"] = str(root)
        kinds.stand_in_front(root)
        tempfile.tempdir = None
        heed(signal.default_int_handler)
        os.environ[logs.RUN] = f"{os.getpid()} {time.time_ns()}"


def pytest_unconfigure(config: pytest.Config) -> None:
    """The run has ended: remove its folder."""
    if _folder in config.stash:
        config.stash[_folder].__exit__(None, None, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Give up a test after LIMIT: every boot and program has a shorter limit."""
    limit = limit_of(item)
    clock = Clock(os.getpid(), family=True)
    over = False

    def look(number: int, frame: object) -> None:
        if over:
            return
        if clock.read() > limit:
            pytest.fail(f"no end in {limit:g} s that it could use")
        signal.setitimer(signal.ITIMER_REAL, 1)  # a check may take longer: none begins within it

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show and keep the output of a failed test's guests.

    A self-checking kernel has other figures: a test of exact ones fails there only by a panic.
    """
    report = yield
    panics = PANICS.copy()
    if call.when == "teardown":
        PANICS.clear()
    if not report.failed:
        return report
    boots: list[BootResult] = item.stash.setdefault(_boots, [])
    panics += [boot for boot in boots if boot.outcome is Outcome.PANIC]
    if SANITIZED and item.get_closest_marker("figures") and not panics:
        report.outcome, report.wasxfail = "skipped", "its figures are of other kernels"
        return report
    for result in boots:
        title = f"{result.boot.name}: {result.outcome.value}: {result.reason}"
        report.sections.append((title, result.tail(TAIL)))
    logs.keep(KEPT, os.environ[logs.RUN], item.nodeid, report.longreprtext, boots)
    return report
