"""The parts of `make test-all`: each is run, and a table says what each cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.whole import main

MAKE = """#!/bin/sh
[ "$1" = -s ] || exit 9
echo "$2" >>parts
[ "$2" != "$FAILS" ]
"""


@pytest.mark.parametrize(("fails", "status"), [("", 0), ("first", 1), ("second", 1)])
def test_a_part_that_fails_keeps_no_other_from_running(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    fails: str,
    status: int,
) -> None:
    make = tmp_path / "make"
    make.write_text(MAKE)
    make.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAILS", fails)
    assert main([str(make), "-s", "first", "second"]) == status
    assert (tmp_path / "parts").read_text() == "first\nsecond\n"
    table = dict(line.split()[:2] for line in capfd.readouterr().out.splitlines()[-3:-1])
    assert table == {part: "failed" if part == fails else "passed" for part in ("first", "second")}
