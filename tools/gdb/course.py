"""The lessons: gives them by name, on a machine that has just started."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lesson import Left, Lesson
from record import Recorder
from screen import LeaveError, fit
from vocabulary import context, machine, where

import gdb

LESSONS = Path(__file__).resolve().parent / "lessons"
END_PROMPT = "  [Enter: end | gdb: stay with this machine] "


def about(path: Path) -> dict[str, Any]:
    """The literal ABOUT in a lesson's file, which is read without running it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ABOUT":
            return dict(ast.literal_eval(node.value))
    raise gdb.GdbError(f"{path.name} is no lesson: it says nothing of itself (ABOUT).")


def _notes() -> dict[str, Any]:
    notebook = gdb.convenience_variable("notebook")
    if notebook is None or not (path := Path(notebook.string())).exists():
        return {}
    found = dict(json.loads(path.read_text(encoding="ascii")))
    path.unlink()
    return found


def _recorder() -> Recorder | None:
    """The recorder for a lesson that is recorded for the book: `set $record = "FILE"`."""
    record = gdb.convenience_variable("record")
    return None if record is None else Recorder(Path(record.string()))


def _bring_to_program(program: str) -> None:
    """Run the machine until the kernel is about to start this program, and load its symbols."""
    while True:
        machine.run_to_symbol("process_run")
        if where.text_at(where.argument(0)) == program:
            break
    where.load_program(program)


def _give(path: Path) -> bool:
    """Give one lesson; return whether all its claims held."""
    known = about(path)
    if machine.arch() not in known["kernels"]:
        raise gdb.GdbError(
            f"The lesson {path.stem} needs the kernel for {' or '.join(known['kernels'])}."
        )
    notes = _notes()
    recorder = _recorder()
    given = Lesson(path.stem, known, notes, recorder)
    if not given.headless and notes.get("context"):
        context.set_on(True)
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    print("\n".join(fit(f"# Lesson `{path.stem}`, {machine.arch()}: {known['title']}")))
    if recorder:
        recorder.begin(path.stem)
    try:
        if known["program"]:
            _bring_to_program(known["program"])
        module.walk(given)
    except LeaveError:
        raise Left(0) from None
    except (gdb.error, AssertionError, KeyError) as error:
        print(
            f"Bail out! {type(error).__name__}: {error}"
            if given.headless
            else f"\nThe lesson cannot go on: {error}."
        )
        return False
    claims, failed = given.claims
    if given.headless:
        print(f"1..{claims}")
    elif failed:
        print(f"\n{failed} of {claims} claims did not hold.")
    elif given.screen.ask(END_PROMPT) == "gdb":
        raise Left(None)
    return not failed


def find(name: str) -> Path:
    """The file of a lesson, given its name or path."""
    path = Path(name) if name.endswith(".py") else LESSONS / f"{name}.py"
    if not path.is_file():
        raise gdb.GdbError(f"There is no lesson {name!r}; the lessons are: {', '.join(names())}.")
    return path


def names() -> list[str]:
    """All lessons, in the course's order."""
    return sorted((path.stem for path in LESSONS.glob("*.py")), key=_place)


def _place(name: str) -> tuple[int, ...]:
    return tuple(about(LESSONS / f"{name}.py")["place"])


def give(*wanted: str) -> None:
    """Give lessons, one after the other on this machine, and leave gdb with the verdict."""
    held = True
    status: int | None = 0
    try:
        for name in wanted:
            held = _give(find(name)) and held
    except LeaveError:
        status = 0
    except Left as left:
        status = left.status
        if status is None:
            print("\nYou have left the lesson; gdb and the machine stay. `quit` ends both.")
    except KeyboardInterrupt:
        print("\nThe lesson has been stopped.")
    except (gdb.error, gdb.GdbError) as error:
        print(f"Bail out! {error}")
        held = False
    if status is not None:
        _leave(status or (0 if held else 1))


def _leave(status: int) -> None:
    with contextlib.suppress(gdb.error):
        gdb.execute("detach" if machine.headless() else "kill", to_string=True)
    gdb.execute(f"quit {status}")


def lesson(name: str = "") -> Iterator[str]:
    """lesson [NAME]: lists the lessons, or gives one of them, on a machine that has just started.

    `make lesson N=NAME` also starts the machine, and can repeat a step.
    """
    if name:
        give(name)
        return
    for each in names():
        known = about(LESSONS / f"{each}.py")
        yield f"  {each:12} {known['title']} ({known['minutes']} minutes)"


WORDS = [machine.Word(lesson, alone=True)]
