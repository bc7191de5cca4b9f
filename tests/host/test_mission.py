"""tests/mission.toml: all that Tollgate is for has a test, which is there and is collected."""

from __future__ import annotations

import re
import tomllib

import pytest

from tollgate.boot import ROOT

TABLE = tomllib.loads((ROOT / "tests" / "mission.toml").read_text())
SYSTEMS = 23


def test_every_system_has_its_line() -> None:
    assert list(TABLE) == [str(number) for number in range(1, SYSTEMS + 1)]


@pytest.mark.parametrize("number", TABLE)
def test_the_tests_that_show_it_are_there(number: str) -> None:
    assert TABLE[number]["system"]
    assert TABLE[number]["tests"]
    for named in TABLE[number]["tests"]:
        file, _, function = named.partition("::")
        assert (ROOT / file).is_file(), named
        text = (ROOT / file).read_text()
        assert len(re.findall(rf"^def {function}\(", text, re.M)) == 1, named
        decorators = text.partition(f"\ndef {function}(")[0].rpartition("\n\n\n")[2]
        assert not re.search(r"^@pytest\.mark\.(?:skip|xfail)\b", decorators, re.M), named
