"""How a grade reads what a student wrote."""

import pytest

from tollgate.teach.claims import _kept, _lines
from tollgate.teach.exercises import find
from tollgate.teach.grade import _is_own


def test_a_pattern_names_the_files_of_one_folder() -> None:
    """A header that lies deeper, or a tree within the tree, could hide the kernel's."""
    names = ("kernel/core/mem/new.h", "kernel/core/mem/lib/string.h", "x/kernel/core/mem/new.h")
    assert [_is_own(name, find("pagefault")) for name in names] == [True, False, False]


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        (
            "a.c",
            """if ('"' + *"//" > 0) { x(); } // a comment""",
            ['if (\'"\' + *"//" > 0) { x(); }'],
        ),
        ("a.c", 'a("\\"//"); /* b\n c */ d \\\n e', ['a("\\"//"); d e']),
        ("a.asm", "; a comment \\\n  hidden\n  ret", ["ret"]),
        ("a.asm", 'RUN `;`, mov\n db "\\" ; text', ["RUN `;`, mov", 'db "\\"']),
    ],
)
def test_a_grade_reads_a_source_as_its_compiler_does(
    file: str, text: str, lines: list[str]
) -> None:
    assert _lines(file, text) == lines


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("static int f(int a)\n{\nif (a) {\nb;\n}\n}", []),
        ("static int f(void)\n{\nstatic int(n);\n}", ["static int(n)"]),
        ("int n;\nstatic int f(void)\n{\nreturn n++;\n}", ["int n;"]),
    ],
)
def test_what_is_kept_from_one_call_to_the_next_is_seen(text: str, kept: list[str]) -> None:
    assert _kept(text) == kept
