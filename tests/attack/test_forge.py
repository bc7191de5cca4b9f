"""Only the kernel writes records: no name, path, argument or variable becomes one."""

import re
from typing import Any

import pytest

from tollgate.machines.outcome import Outcome


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_nothing_that_a_program_chooses_becomes_a_record(boot: Any, suites: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=forge", module=suites(arch, "forge"))
    programs = 1 if arch == "i386" else 2
    assert [c for c in result.checks if not c["ok"]] == []
    assert len(result.checks) == 8 * programs
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems
    sentences = re.findall(r'^.*"type":"end".*: (?:killed|not started)', result.text, re.MULTILINE)
    assert len(sentences) == 4 * programs, "the sentences are there, in one line each"
    assert not [line for line in result.text.splitlines() if line.startswith("{")]
    assert result.text.count('\n@{"v":1,"type":"end"') == 1, "and the end record has its own line"
