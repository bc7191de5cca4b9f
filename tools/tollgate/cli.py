"""The command `tollgate`: verbs, their options, and one clear sentence for every error."""

import argparse
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import FrameType

from tollgate import __version__, bench, sweep
from tollgate.errors import Exit, TollgateError, UsageError, reason
from tollgate.machines.boot import ARCHES, DISK, ROOT, Boot
from tollgate.machines.debug import gdb, headless, lesson
from tollgate.machines.platforms import DEFAULT, PLATFORMS, check_cpu, default_cpu, find
from tollgate.machines.signals import heed, open_standard_files
from tollgate.printable import printable
from tollgate.records import parts, provenance
from tollgate.records.format import Results, load
from tollgate.records.rules import faults
from tollgate.show.compare import compare_files
from tollgate.show.listing import show
from tollgate.show.table import make_console, print_results
from tollgate.teach.lessons import listing

CODES = """exit status:
  0  pass
  2  the command line is wrong
  3  a check or a program failed, records break a rule, or a comparison found a regression
  4  the harness could not do its work (a file or an emulator is missing, records were lost)
  5  the guest reset (triple fault)
  6  the guest hangs: no progress within the limit
  7  the guest is silent: nothing on its serial line
  8  the kernel panicked or refused to boot
  9  noisy: nothing has failed, and figures that are named must not be relied on
Of several boots the worst counts; a reset is never 0."""

SHELL = ("suite=init",)
"""The kernel's command line if a person names none."""

TRACEBACK = "TOLLGATE_TRACEBACK"
"""If set in the environment, shows the source of an unexpected error."""

LONGEST = 4000
"""Characters of one sentence."""

Verb = Callable[[argparse.Namespace], Exit]


class _Parser(argparse.ArgumentParser):
    """Reports an error in one sentence."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; `{self.prog} --help` lists what there is.")


def _choice(options: argparse.Namespace) -> bench.Choice:
    return bench.Choice(**{f.name: getattr(options, f.name) for f in fields(bench.Choice)})


def _boot(options: argparse.Namespace) -> Boot:
    bench.Choice(arch=options.arch).check()
    platform, model = find(options.platform)
    arch = options.arch or "amd64"
    cpu = options.cpu or model
    try:
        words = tuple(shlex.split(options.cmdline))
    except ValueError as error:
        raise UsageError(f"--cmdline {options.cmdline!r} cannot be read: {error}.") from None
    parts.check_words(words)
    if cpu:
        check_cpu(platform, arch, cpu)
    disk = DISK if DISK.exists() else None
    return Boot(arch, platform.name, cpu or default_cpu(platform, arch), words, disk=disk)


def _bench(options: argparse.Namespace) -> Exit:
    return bench.measure("bench", bench.machines, _choice(options), make_console())


def _sweep(options: argparse.Namespace) -> Exit:
    return bench.measure("sweep", sweep.machines, _choice(options), make_console())


def _run(options: argparse.Namespace) -> Exit:
    from tollgate.machines import console, programs

    boot = _boot(options)
    with programs.added([boot if boot.words else replace(boot, words=SHELL)], options.add) as boots:
        return console.run(boots[0], options.freeze)


def _shown(files: Sequence[Results], folder: Path) -> Exit:
    """Print the tables of results files, and draw one report of all of them in `folder`."""
    console = make_console()
    for results in files:
        print_results(results, console)
    runs = [run for results in files for run in results.runs]
    missing = [name for results in files for name in results.missing]
    made = filter(None, (provenance.beside(results.path.parent) for results in files))
    bench.write_html(runs, folder / "report.html", console, missing, list(made))
    return Exit.FAIL if any(map(faults, runs)) else Exit.PASS


def _report(options: argparse.Namespace) -> Exit:
    files = [load(path) for path in options.files]
    target = Path(options.out) if options.out else options.files[0]
    folder = target if target.is_dir() or options.out else target.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TollgateError(f"{folder} cannot be written: {reason(error)}.") from None
    return _shown(files, folder)


def _capture(options: argparse.Namespace) -> Exit:
    from tollgate.records.capture import capture

    folder = capture(options.device, options.out, make_console())
    provenance.keep(folder, f"tollgate capture {options.device}")
    return _shown([load(folder)], folder)


def _scan(options: argparse.Namespace) -> Exit:
    from tollgate.records.scan import scan

    folder = scan(options.photos, options.out, make_console())
    provenance.keep(folder, f"tollgate scan of {len(options.photos)} photos")
    return _shown([load(folder)], folder)


def _check(options: argparse.Namespace) -> Exit:
    from tollgate.records.check import check

    verdicts = [check(path, make_console(), options.replay) for path in options.files]
    return Exit.PASS if all(verdicts) else Exit.FAIL


def _compare(options: argparse.Namespace) -> Exit:
    return compare_files(options.before, options.after, options.threshold, make_console())


def _export(options: argparse.Namespace) -> Exit:
    from tollgate.show import export

    files = [load(path) for path in options.files]
    return export.write(files, options.format, options.out or "-", _say)


class _Print(argparse.Action):
    """An option that prints the lines of `const()` and exits, like --help."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print("\n".join(self.const()))
        parser.exit()


def _columns() -> list[str]:
    from tollgate.show.export import COLUMNS, NAMES

    return [f"{c.name:14} {NAMES[c.kind]:14} {c.says}" for c in COLUMNS]


def _rules() -> list[str]:
    from tollgate.records import check, rules

    lines = [f"{name:10} {says}" for name, says in rules.OF_LINES.items()]
    each = (*rules.RULES, *check.ALL)
    return [*lines, *(f"{rule.id:10} {rule.says}" for rule in each)]


def _markdown(options: argparse.Namespace) -> Exit:
    from tollgate.show import markdown

    files = [load(path) for path in options.files]
    made = filter(None, (provenance.beside(results.path.parent) for results in files))
    print(markdown.page(files, list(made)), end="")
    return Exit.PASS


def _linux(options: argparse.Namespace) -> Exit:
    from tollgate.linux.command import compare

    console = make_console()
    return compare(options.out, options.samples, options.minimal, console)


def _audit(options: argparse.Namespace) -> Exit:
    from tollgate.machines import audit

    return audit.audit_all(options.arch, options.cpu, options.suite, make_console())


def _core(options: argparse.Namespace) -> Exit:
    from tollgate.machines import core

    return core.core(make_console())


def _say(text: str) -> None:
    print(f"tollgate: {printable(text, LONGEST)}", file=sys.stderr)


def _gdb(options: argparse.Namespace) -> Exit:
    return gdb(_boot(options), _say, options.wait)


def _lesson(options: argparse.Namespace) -> Exit:
    bench.Choice(arch=options.arch).check()
    if options.cpu:
        check_cpu(find(options.platform)[0], options.arch or "amd64", options.cpu)
    if not options.names:
        print("\n".join(listing()))
        return Exit.PASS
    platform = find(options.platform)[0]
    if options.platform and platform.name != DEFAULT:
        raise UsageError(f"A lesson is given on {DEFAULT}, and not on {platform.name}: it steps.")
    give = headless if options.headless else lesson
    return give(options.names, options.arch, options.cpu, _say)


def _browser(options: argparse.Namespace) -> Exit:
    from tollgate import browser

    print(browser.make(options.out))
    return Exit.PASS


def _book(options: argparse.Namespace) -> Exit:
    from tollgate.teach import book

    print(book.make(options.out, options.names, _say))
    return Exit.PASS


def _exercises(options: argparse.Namespace) -> Exit:
    from tollgate.teach import exercises

    lines = exercises.begin(options.name, options.seed) if options.name else exercises.listing()
    print("\n".join(lines))
    return Exit.PASS


def _grade(options: argparse.Namespace) -> Exit:
    from tollgate.teach.grade import grade, grade_trees

    if options.trees:
        return grade_trees(options.name, options.trees, options.seed, options.csv, _say)
    return grade(options.name, options.tree, options.seed, _say)


def _solutions(options: argparse.Namespace) -> Exit:
    from tollgate.machines.boot import BUILD
    from tollgate.teach import exercises

    out = Path(options.out or BUILD / "solutions" / (options.seed or "none"))
    print("\n".join(exercises.solutions(options.seed, options.names, out)))
    return Exit.PASS


def _show(options: argparse.Namespace) -> Exit:
    bench.Choice(arch=options.arch).check()
    if options.cpu:
        check_cpu(find("")[0], options.arch or "amd64", options.cpu)
    print("\n".join(show(options.row, options.arch, options.cpu, options.here)))
    return Exit.PASS


def _threshold(text: str) -> float:
    value = float(text)
    if not value >= 0:
        raise ValueError(text)
    return value


def _add_machine(parser: argparse.ArgumentParser) -> None:
    platforms = ", ".join(f"{name} ({platform.says})" for name, platform in PLATFORMS.items())
    parser.add_argument("--platform", default="", metavar="P", help=f"one of {platforms}")
    _add_processor(parser)


def _add_processor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arch", default="", metavar="A", help=" or ".join(ARCHES))
    parser.add_argument("--cpu", default="", metavar="C", help="a processor model of the emulator")


def _add_boot(parser: argparse.ArgumentParser) -> None:
    _add_machine(parser)
    parser.add_argument("--cmdline", default="", metavar="WORDS", help="the kernel's command line")


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", default="", metavar="PATH", help="programs that /bin has besides")


def _add_measure(parser: argparse.ArgumentParser) -> None:
    _add_machine(parser)
    _add_files(parser)
    parser.add_argument("--out", default="", metavar="DIR", help="where results go")
    parser.add_argument("--suite", default="", metavar="S", help="programs to run, with commas")
    parser.add_argument("--samples", default="", metavar="N", help="samples per row")
    parser.add_argument(
        "--fence", default="", metavar="F", help="none, lfence, both, rdtscp, cpuid"
    )
    parser.add_argument(
        "--parts", default="", metavar="P", help="sets and parts around an entry, with commas"
    )
    parser.add_argument("--align", default="", metavar="N", help="bytes from a line to an entry")


def make_parser() -> argparse.ArgumentParser:
    """The command line.  An option with an empty value counts as not given."""
    parser = _Parser(
        prog="tollgate",
        description="What does it cost to cross into ring 0?",
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tollgate {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)

    def add(name: str, verb: Verb, text: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=text, description=text)
        made.set_defaults(verb=verb)
        return made

    _add_measure(add("bench", _bench, "boot the default machines, measure, show and keep"))
    _add_measure(add("sweep", _sweep, "the bench over many processors"))

    made = add("run", _run, "one kernel in QEMU, the console is yours: a shell, or your words")
    _add_boot(made)
    _add_files(made)
    made.add_argument("--freeze", action="store_true", help="after a triple fault, stay and look")

    made = add("report", _report, "tables and report.html from results files")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results.jsonl")
    made.add_argument("--out", default="", metavar="DIR", help="where report.html goes")

    made = add("check", _check, "whether a file of results is whole and honest; 3 where it is not")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results.jsonl, or a log")
    made.add_argument("--rules", action=_Print, nargs=0, const=_rules, help="what it checks")
    made.add_argument("--replay", action="store_true", help="boots that counted instructions again")

    made = add("capture", _capture, "a machine's records off a serial cable")
    made.add_argument("device", type=Path, metavar="DEVICE", help="such as /dev/ttyUSB0")
    made.add_argument("--out", default="", metavar="DIR", help="where results go")

    made = add("scan", _scan, "a machine's records off photos of its screen")
    made.add_argument("photos", nargs="+", type=Path, metavar="PHOTO", help="PNG, JPEG, HEIC")
    made.add_argument("--out", default="", metavar="DIR", help="where results go")

    made = add("compare", _compare, "two results files, row by row; 3 on a regression")
    made.add_argument("before", type=Path, metavar="A")
    made.add_argument("after", type=Path, metavar="B")
    made.add_argument(
        "--threshold",
        type=_threshold,
        metavar="PERCENT",
        help="what a row may grow (default: 0 for instructions, 5 for other units)",
    )

    made = add("export", _export, "every row of results files as one table, for other programs")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results.jsonl")
    made.add_argument("--format", default="csv", choices=("csv", "kcidb"), help="csv by default")
    made.add_argument(
        "--columns", action=_Print, nargs=0, const=_columns, help="what each column means"
    )
    made.add_argument("--out", default="", metavar="PATH", help="where it goes (default: stdout)")

    made = add("markdown", _markdown, "every row over all machines of results files, as Markdown")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results.jsonl")

    made = add("linux", _linux, "the same programs on the distribution's Linux and on ours")
    made.add_argument("--out", default="", metavar="DIR", help="where results go")
    made.add_argument("--samples", default="", metavar="N", help="samples per row")
    made.add_argument("--minimal", action="store_true", help="build a minimal Linux, and keep it")

    made = add("audit", _audit, "every row once more by a second meter; 3 where one disagrees")
    made.add_argument("--suite", default="", help="suites; all but latency")
    _add_processor(made)

    add("core", _core, "boot the core alone, and compare its toll table with the budgets")

    made = add("gdb", _gdb, "gdb on a kernel, stopped before its first instruction")
    _add_boot(made)
    made.add_argument("--wait", action="store_true", help="no gdb: the machine waits for yours")

    made = add("show", _show, "the instructions of a row as executed, and where each comes from")
    made.add_argument("row", metavar="ROW", help="such as user/int/standard")
    made.add_argument("--here", action="store_true", help="also run the path on this machine")
    _add_processor(made)

    made = add("exercises", _exercises, "which exercises there are; with a name, begin that one")
    made.add_argument("name", nargs="?", default="", metavar="NAME")
    made.add_argument("--seed", default="", metavar="SEED", help="whose variant: a student's name")

    made = add("solutions", _solutions, "the model solutions for a seed, as patches on the starts")
    made.add_argument("names", nargs="*", metavar="NAME")
    made.add_argument("--seed", default="", metavar="SEED", help="whose variant")
    made.add_argument("--out", default="", metavar="DIR", help="where the patches go")

    made = add("grade", _grade, "what holds of an exercise and what does not, with points")
    made.add_argument("name", metavar="NAME")
    made.add_argument("--tree", default="", metavar="DIR", help="another's tree, by these tests")
    made.add_argument(
        "--trees", default="", metavar="PATTERN", help="many: each for the seed of its name"
    )
    made.add_argument("--seed", default="", metavar="SEED", help="whose variant it must be")
    made.add_argument("--csv", default="", metavar="FILE", help="of many trees: a row for each")

    made = add("lesson", _lesson, "a lesson in gdb; without a name, which there are")
    _add_machine(made)
    made.add_argument("names", nargs="*", metavar="NAME")
    made.add_argument("--headless", action="store_true", help="without a person, as a test")

    page = add("browser", _browser, "the i386 kernel in one HTML file that boots it in any browser")
    page.add_argument("--out", default="", metavar="DIR", help="where the page goes")
    made = add("book", _book, "the lessons as a folder of HTML, from their walks on the machines")
    made.add_argument("names", nargs="*", metavar="NAME")
    made.add_argument("--out", default="", metavar="DIR", help="where the book goes")
    return parser


def _terminate(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; every error is a sentence on stderr."""
    open_standard_files()
    heed(_terminate)
    try:
        if not (ROOT / "linker.ld").is_file():
            raise TollgateError(
                f"{ROOT} is not Tollgate's source tree: the command works in a clone of it alone, "
                "as .venv/bin/tollgate, and `make help` says what to type."
            )
        options = make_parser().parse_args(arguments)
        verb: Verb = options.verb
        return int(verb(options))
    except TollgateError as error:
        _say(str(error))
        return int(error.code)
    except KeyboardInterrupt:
        _say("stopped.")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(Exit.ERROR)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        kind = type(error).__name__
        _say(f"unexpected {kind}: {error}. This is a bug; {TRACEBACK}=1 shows where it is.")
        return int(Exit.ERROR)


def entry() -> None:
    """The console script."""
    sys.exit(main())
