"""What a lesson is made of: steps with a story and a prediction, and claims about the machine.

With a person it shows each step, takes the prediction, does the step and compares; headless
(`set $headless = 1`) it prints TAP, and can be written down for the book. The claims are checked
either way.
"""

from __future__ import annotations

import contextlib
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from record import Recorder
from vocabulary import context, machine, where

import gdb

WIDTH = 78
MARGIN = "   "
STEPS_MAX = 500
AGAIN = 75
"""gdb's exit status when a fresh machine is to be brought to a step; 0 and 1 are verdicts."""
PROMPT = "  [your answer | Enter: do it | a gdb command | ? | quit] "
HELP = """
  a number or a word     your prediction; `answer WORDS` if gdb has a command of that name
  Enter                  do the step
  any gdb command        look around: info registers, ring, idt 0x80, entry-frame, pages ADDRESS
  context on             ring, changed registers and next instruction after each stop
  again                  back to this step, on a fresh machine
  on                     do this step, wherever the machine stands now, on a fresh one
  gdb                    leave the lesson, and stay in gdb with this machine
  quit                   leave; the machine ends"""
SHOWN = ("cs", "ss", "sp", "ip", "flags")
INT_FRAME = ("ip", "cs", "flags", "sp", "ss")
"""What an interrupt or trap gate pushes, from the stack pointer up: always in long mode."""


class Left(BaseException):
    """The student has left the lesson, with this exit status of gdb; None = gdb stays."""

    def __init__(self, status: int | None) -> None:
        super().__init__()
        self.status = status


def hexadecimal(value: object) -> str:
    """A number as the machine's words are written; all else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:#x}" if isinstance(value, int) else str(value)


def number(text: str) -> int | None:
    """A number as a person types it: 51, 0x33, 33h; a register or symbol, as $sp or &main. None."""
    text = text.strip()
    if re.fullmatch(r"[0-9][0-9a-fA-F]*[hH]", text):
        return int(text[:-1], 16)
    with contextlib.suppress(ValueError):
        return int(text, 0)
    if re.fullmatch(r"[$&][\w. +*-]+", text):
        with contextlib.suppress(gdb.error):
            return machine.evaluate(text)
    return None


def _difference(got: object, expected: object) -> str:
    if isinstance(got, Mapping) and isinstance(expected, Mapping):
        differing = [name for name in expected if got.get(name) != expected[name]]
        return "; ".join(
            f"{name} {hexadecimal(got.get(name))}, expected {hexadecimal(expected[name])}"
            for name in differing
        )
    return f"{hexadecimal(got)}, expected {hexadecimal(expected)}"


class Lesson:
    """One walk. `instructions` counts those that stepi() and step_to() have run."""

    def __init__(
        self,
        name: str,
        about: Mapping[str, Any],
        notes: Mapping[str, Any],
        recorder: Recorder | None = None,
    ) -> None:
        self.name = name
        self.about = about
        self.headless = machine.headless()
        self.instructions = 0
        self._recorder = recorder
        self.right = int(notes.get("right", 0))
        self.wrong = int(notes.get("wrong", 0))
        self._resume_at = int(notes.get("step", 0))
        self._do_it = bool(notes.get("on", False))
        self._steps = self._claims = self._failed = 0
        self._question: tuple[str, tuple[str, ...]] | None = None
        self._predicted: str | None = None
        self._before: dict[str, int] = {}
        self._moved = False

    @property
    def claims(self) -> tuple[int, int]:
        """How many claims were made, and how many did not hold."""
        return self._claims, self._failed

    @property
    def _silent(self) -> bool:
        """On the way to the step that was asked for again."""
        return not self.headless and self._steps < self._resume_at

    # --- what a lesson calls -----------------------------------------------------------------

    def step(
        self, title: str, manual: str, story: str, ask: str, choices: Sequence[str] = ()
    ) -> None:
        """Begin a step: what the manual says, and a question: a number, or one of `choices`.

        answer() gives the answer, once the step is done.
        """
        self._no_question_left()
        self._question = ask, tuple(choices)
        self._predicted = None
        self._steps += 1
        self._record(
            "step", title=title, manual=manual, story=story, ask=ask, choices=list(choices)
        )
        if self.headless:
            print(f"# {self._steps}. {title}")
            return
        if self._silent:
            return
        print(f"\n{self._steps}. {title}\n   ({manual})")
        self._tell(story)
        hint = f" ({' or '.join(choices)})" if choices else ""
        self._tell(f"Predict: {ask}{hint}")
        if self._steps == self._resume_at and self._do_it:
            print("\n   (on)")
        else:
            self._wait()
        self._before = _processor()

    def answer(self, value: int | bool | str, because: str) -> None:
        """What the question's answer is on this machine, and why."""
        assert self._question, "answer() belongs to a step()"
        ask, choices = self._question
        self._question = None
        said = hexadecimal(value) if not isinstance(value, int) or choices else f"{value:#x}"
        if choices:
            assert said in choices, f"the answer {said!r} to {ask!r} is none of {choices}"
        self._record("answer", said=said, because=because)
        if self.headless:
            print(f"# {said}: {_one_line(because)}")
            return
        if self._silent:
            return
        self._show_what_happened()
        if self._predicted is None:
            self._tell(f"It is {said}: {because}")
            return
        typed = number(self._predicted) if not choices else None
        if self._predicted == said if choices else typed == int(value):
            self.right += 1
            self._tell(f"Right, {said}: {because}")
        else:
            self.wrong += 1
            self._tell(f"You said {self._predicted}; it is {said}: {because}")

    def check(self, claim: str, got: object, expected: object) -> None:
        """A claim about the machine: it holds if `got` equals `expected`."""
        holds = got == expected
        self._claims += 1
        self._failed += not holds
        self._record("claim", claim=claim, holds=holds)
        value = f": {got:#x}" if isinstance(got, int) and not isinstance(got, bool) else ""
        if self.headless:
            print(f"{'ok' if holds else 'not ok'} {self._claims} - {claim}{value if holds else ''}")
        elif not self._silent:
            print(f"   {'holds ' if holds else 'NOT SO'}  {claim}{value}")
        if not holds and not self._silent:
            print(f"#  {_difference(got, expected)}")

    def look(self, *words: str) -> None:
        """Show what words of the vocabulary say, to a person and in the book."""
        for word in words if self._recorder else ():
            self._recorder.look(word)
        if not self.headless and not self._silent:
            for word in words:
                print(f"\n   ({word})")
                gdb.execute(word)

    def stepi(self, pushed: Sequence[str] = ()) -> None:
        """One instruction. `pushed` names the words that it leaves on the stack, from sp up."""
        if self._recorder:
            self._recorder.before_instruction()
        machine.stepi()
        self.instructions += 1
        self._record("instruction", pushed=list(pushed))
        if pushed and not self.headless and not self._silent:
            print("\n   It has pushed, from the stack pointer up:")
            base = machine.register("sp")
            for at, name in enumerate(pushed):
                slot = base + at * machine.word()
                print(f"     {slot:#x}  {name:9}  {machine.read(slot, machine.word()):#x}")

    def step_to(self, *mnemonics: str) -> None:
        """Instruction by instruction, until one with one of these mnemonics comes next."""
        for _ in range(STEPS_MAX):
            if {*mnemonics} & {*machine.instruction().split()[:2]}:
                return
            self.stepi()
        raise gdb.error(f"no {' or '.join(mnemonics)} within {STEPS_MAX} instructions")

    def step_out(self, address: int) -> None:
        """Instruction by instruction, until the one at this address comes next."""
        for _ in range(STEPS_MAX):
            if machine.register("ip") == address:
                return
            self.stepi()
        raise gdb.error(f"not at {machine.symbol_at(address)} within {STEPS_MAX} instructions")

    def run_to(self, *names: str) -> str:
        """Let the machine run to one of these symbols; the one where it has stopped.

        What changes on the way is not shown: it is not the step's.
        """
        place = machine.run_to_symbol(*names)
        self._record("ran", to=place)
        if not self.headless and not self._silent:
            self._before = _processor()
        return place

    def backtrace(self, *functions: str) -> None:
        """Claim that gdb unwinds from here through these functions, innermost first."""
        names = where.backtrace()
        found = [name for name in names if name in functions]
        self.check(f"the backtrace goes through {', '.join(functions)}", found, list(functions))
        self.look("bt")

    def end(self, closing: str, change: str, row: str = "") -> None:
        """The last word; what to change, to see the number move; and the bench's row, if any."""
        self._no_question_left()
        self._record("end", closing=closing, change=change, row=row, instructions=self.instructions)
        if self.headless:
            if row:
                print(f"# {row}: {self.instructions} instructions")
            return
        if row:
            print(
                f"\nYou walked {self.instructions} instructions: what `make bench` says of {row}."
            )
        self._tell(closing)
        self._tell(f"Change this, and see the number move: {change}")
        asked = self.right + self.wrong
        print(f"\n   {self.right} of your {asked} predictions were right." if asked else "")

    def _record(self, kind: str, **fields: Any) -> None:
        if self._recorder:
            self._recorder.write(kind, **fields)

    # --- a person ----------------------------------------------------------------------------

    def _no_question_left(self) -> None:
        assert not self._question, f"no answer() to: {self._question and self._question[0]}"

    def _show_what_happened(self) -> None:
        after = _processor()
        changed = [
            f"{machine.register_name(name).upper()} {self._before[name]:#x} -> {after[name]:#x}"
            for name in after
            if name in self._before and self._before[name] != after[name]
        ]
        if changed:
            was, now = self._before["cs"] & 3, after["cs"] & 3
            ring = f"CPL {was} -> {now}" if was != now else f"CPL stays {now}"
            print("\n   The processor: " + ring)
            lines = textwrap.wrap("; ".join(changed), WIDTH - 6)
            print(textwrap.indent("\n".join(lines), MARGIN + "   "))
            flags = where.flag_changes(self._before["flags"], after["flags"])
            if flags:
                print(f"{MARGIN}   flags: {flags}")
        self._before = after

    def _tell(self, text: str) -> None:
        for paragraph in re.split(r"\n\s*\n", text.strip()):
            lines = textwrap.wrap(" ".join(paragraph.split()), WIDTH)
            print("\n" + textwrap.indent("\n".join(lines), MARGIN))

    def _wait(self) -> None:
        """Until the student wants the step done; he may look around, and must not lose himself."""
        print()
        self._moved = False
        while True:
            line = ask(PROMPT)
            if line in ("", "on") and not self._moved:
                return
            if line == "":
                self._say_where()
            elif line in ("?", "help"):
                print(HELP)
            elif line in ("q", "quit", "exit"):
                raise Left(0)
            elif line == "gdb":
                raise Left(None)
            elif line in ("again", "on"):
                self._restart(line == "on")
            elif self._is_prediction(line):
                if not self._moved:
                    return
                self._say_where()
            else:
                self._execute(line)

    def _is_prediction(self, line: str) -> bool:
        """Take a typed prediction; False if the line is gdb's."""
        assert self._question
        _, choices = self._question
        word, _, rest = line.partition(" ")
        meant = rest.strip() if word == "answer" else line
        if choices:
            found = [c for c in choices if c.lower() == meant.lower()]
        else:
            found = [meant] if number(meant) is not None else []
        if found:
            self._predicted = found[0]
            return True
        if word == "answer":
            wanted = " or ".join(choices) if choices else "a number, such as 51, 0x33 or $sp"
            print(f"  The answer is {wanted}.")
            line = ""
        return False

    def _execute(self, line: str) -> None:
        if line.partition(" ")[0] == "answer":
            return
        with self._watched():
            try:
                gdb.execute(line)
            except gdb.error as error:
                print(f"  {error}")
            except KeyboardInterrupt:
                print("  Stopped.")
        if self._moved:
            self._say_where()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Notice whether a command of the student's runs or changes the machine."""

        def moved(event: Any) -> None:
            self._moved = True

        events = gdb.events.cont, gdb.events.memory_changed, gdb.events.register_changed
        for each in events:
            each.connect(moved)
        try:
            yield
        finally:
            for each in events:
                each.disconnect(moved)

    def _say_where(self) -> None:
        try:
            here = f"stands at {machine.symbol_at(machine.register('ip'))}"
        except gdb.error:
            here = "has ended"
        print(
            f"  You have run or changed the machine: it {here}, not where step {self._steps} "
            "begins.\n  `again` brings a fresh machine back to this step, `on` one on which it is "
            "done; `quit` leaves."
        )

    def _restart(self, do_it: bool) -> None:
        notebook = gdb.convenience_variable("notebook")
        if notebook is None:
            print(f"  Only `make lesson N={self.name}` can bring a fresh machine.")
            return
        notes = {"step": self._steps, "on": do_it, "right": self.right, "wrong": self.wrong}
        notes["context"] = context.is_on()
        Path(notebook.string()).write_text(json.dumps(notes), encoding="ascii")
        raise Left(AGAIN)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _processor() -> dict[str, int]:
    return {name: machine.register(name) for name in SHOWN} | machine.general_registers()


def ask(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        print()
        raise Left(0) from None
