"""The folders of tools/tollgate: modules for users import nothing about this tree alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tollgate.machines.boot import ROOT

PACKAGE = ROOT / "tools" / "tollgate"
OWN = "tollgate.self"
ROOMS = {"browser", "linux", "machines", "records", "self", "show", "teach"}
TOP = 12
"""The most modules outside of a sub-folder."""


def included(text: str) -> Iterator[str]:
    """The modules that a module imports, at its top or later."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def own(text: str) -> list[str]:
    """Modules about this tree alone; a docstring may name one."""
    return [
        name
        for name in included(text)
        if name.split()[:1] == [name] and f"{name}.".startswith(f"{OWN}.")
    ]


def users(folder: Path) -> list[Path]:
    """The modules for users, and those that make and grade exercises."""
    rooms = [path for path in folder.rglob("*.py") if path.parent != folder / "self"]
    return [*rooms, *(ROOT / "exercises").rglob("*.py"), *(ROOT / "tools" / "gdb").rglob("*.py")]


def test_nothing_that_a_user_runs_includes_what_is_about_this_tree() -> None:
    found = {path: own(path.read_text(encoding="utf-8")) for path in users(PACKAGE)}
    assert len(found) > 100
    assert {path: names for path, names in found.items() if names} == {}


def test_one_that_does_is_found() -> None:
    for text in (
        "from tollgate.self import budgets",
        "def later():\n    from tollgate import self",
        "import tollgate.self.reach",
        'import_module("tollgate.self.documents")',
    ):
        assert own(text), text
    assert not own(
        '"""As tollgate.self.budgets writes it."""\nfrom tollgate.records import budgets'
    )


def test_each_module_has_a_room() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == ROOMS
    assert len([*PACKAGE.glob("*.py")]) <= TOP
