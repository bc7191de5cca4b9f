"""`tollgate completion`: what a shell completes, and the manual page, made from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import shtab

from tollgate import __version__
from tollgate.boot import ARCHES, FENCES, TREE
from tollgate.errors import UsageError
from tollgate.platforms import PLATFORMS
from tollgate.suites import NAMES

SHELLS = ("bash", "zsh")
WORDS: Mapping[str, Sequence[str]] = {
    "arch": ARCHES,
    "fence": FENCES,
    "platform": tuple(PLATFORMS),
    "suite": NAMES,
    "form": (*SHELLS, "man"),
}
"""By an option's name, what its value is."""
LESSONS, EXERCISES = ("lesson", "book"), ("exercises", "grade", "solutions")


def verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The verbs with their own parsers, in the order of the help."""
    found = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return dict(next(found).choices)


def _names(verb: str) -> Sequence[str]:
    """What a verb may be followed by, where the tree says it."""
    if TREE and verb in LESSONS:
        from tollgate.lessons import lessons

        return [lesson.name for lesson in lessons()]
    if TREE and verb in EXERCISES:
        from tollgate.exercises import exercises

        return [exercise.name for exercise in exercises()]
    return ()


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The completion of a shell: verbs, options, their values, names; files for all that is one."""
    for verb, own in verbs(parser).items():
        for action in own._actions:
            action.choices = WORDS.get(action.dest, action.choices)
            if action.dest in ("name", "names"):
                action.choices = _names(verb) or action.choices
            if action.type is Path or action.dest in ("add", "csv", "json"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            if action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _roff(text: str) -> str:
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in safe.split("\n"))


def _entries(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, (argparse._SubParsersAction, argparse._HelpAction)):
            continue
        name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        value = f" {action.metavar}" if action.option_strings and action.metavar else ""
        yield f".TP\n.B {_roff(name)}{value}\n{_roff(action.help or '')}"


def manual(parser: argparse.ArgumentParser) -> str:
    """The manual page, tollgate(1)."""
    ends = (parser.epilog or "").partition("\n")[2]
    lines = [
        f'.TH TOLLGATE 1 "{datetime.now(UTC):%Y-%m-%d}" "tollgate {__version__}"',
        f".SH NAME\ntollgate \\- {_roff(parser.description or '')}",
        ".SH SYNOPSIS\n.B tollgate\n.I VERB\n[options]",
        ".SH OPTIONS",
        *_entries(parser),
        ".SH VERBS",
    ]
    for verb, own in verbs(parser).items():
        lines += [f".SS {verb}\n{_roff(own.description or '')}", *_entries(own)]
    lines.append(f".SH EXIT STATUS\n.nf\n{_roff(ends)}\n.fi")
    return "\n".join(lines)


def made(parser: argparse.ArgumentParser, form: str) -> str:
    """What `tollgate completion FORM` prints."""
    if form == "man":
        return manual(parser)
    if form not in SHELLS:
        raise UsageError(f"There is no completion for {form!r}; choose bash, zsh or man.")
    return script(parser, form)
