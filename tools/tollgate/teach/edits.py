"""Changes to a tree by anchor: each refers to a line that must occur once in a file, so it works as
long as this line exists, with any text around it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from tollgate.errors import TollgateError


def patched(old: str, diff: str, name: str) -> str:
    """`old` with the hunks of a diff; each hunk's context must occur exactly once."""
    for hunk in re.split(r"^@@\n", diff, flags=re.M):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] != "+")
        after = "".join(line[1:] for line in lines if line[0] != "-")
        if old.count(before) != 1:
            raise TollgateError(f"{name} has {old.count(before)} times, not once:\n{before}")
        old = old.replace(before, after)
    return old


class Edits:
    """Changed texts of a tree's files; nothing is written until write()."""

    def __init__(self, root: Path, before: Edits | None = None) -> None:
        self._root = root
        self._before = before
        self.changed: dict[str, str | None] = {}
        """Texts by path; None = removed."""

    def text(self, name: str) -> str:
        """The file's changed text."""
        said = self.changed.get(name, "") if name in self.changed else self._old(name)
        if said is None:
            raise TollgateError(f"{name} is not there to be changed.")
        return said

    def _old(self, name: str) -> str | None:
        if self._before:
            return self._before.changed.get(name, self._before._old(name))
        path = self._root / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def put(self, name: str, text: str) -> None:
        """Write a whole file."""
        self.changed[name] = text

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.changed[name] = None

    def replace(self, name: str, old: str, new: str) -> None:
        """`old` must occur exactly once."""
        text = self.text(name)
        if text.count(old) != 1:
            raise TollgateError(f"{name} has {text.count(old)} times, not once: {old.strip()!r}.")
        self.put(name, text.replace(old, new))

    def after(self, name: str, anchor: str, new: str) -> None:
        """Insert lines after the one that equals `anchor`, ignoring blanks around it."""
        self._insert(name, anchor, new, 1)

    def before(self, name: str, anchor: str, new: str) -> None:
        """Insert lines before the one that equals `anchor`."""
        self._insert(name, anchor, new, 0)

    def _insert(self, name: str, anchor: str, new: str, behind: int) -> None:
        lines = self.text(name).splitlines(keepends=True)
        found = [at for at, line in enumerate(lines) if line.strip() == anchor.strip()]
        if len(found) != 1:
            raise TollgateError(f"{name} has {len(found)} times, not once, the line {anchor!r}.")
        lines.insert(found[0] + behind, new)
        self.put(name, "".join(lines))

    def within(self, name: str, half: str, old: str, new: str) -> None:
        """`old` must occur exactly once in a half of an entry file."""
        text = self.half(name, half)
        if text.count(old) != 1:
            raise TollgateError(f"{half} in {name} has not once: {old.strip()!r}.")
        self.replace(name, text, text.replace(old, new))

    def half(self, name: str, half: str) -> str:
        """The text of a half of an entry file: from its head to the next empty line."""
        found = re.search(rf"^(KERNEL|USER) {half}\b.*?(?=^$|\Z)", self.text(name), re.M | re.S)
        if not found:
            raise TollgateError(f"{name} has no half {half}.")
        return found[0]

    def write(self, tree: Path) -> None:
        """Write the changes to a tree."""
        for name, text in self.changed.items():
            path = tree / name
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")

    def patch(self) -> str:
        """The changes as input for `git apply`."""
        return "".join(line for name in sorted(self.changed) for line in self._diff(name))

    def _diff(self, name: str) -> Iterator[str]:
        old, new = self._old(name), self.changed[name]
        if old == new:
            return
        lines = difflib.unified_diff(
            (old or "").splitlines(keepends=True),
            (new or "").splitlines(keepends=True),
            "/dev/null" if old is None else f"a/{name}",
            "/dev/null" if new is None else f"b/{name}",
        )
        yield f"diff --git a/{name} b/{name}\n"
        if old is None:
            yield "new file mode 100644\n"
        if new is None:
            yield "deleted file mode 100644\n"
        yield from lines
