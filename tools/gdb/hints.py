"""Where to look, for a question that brings no hint of its own: by the words that it uses."""

from __future__ import annotations

import re

TIPS = (
    (
        r"error code",
        "A page fault's error code: 1 = the page is there, 2 = a write, 4 = from ring 3, 16 = a "
        "fetch. #GP's is a selector without its low two bits, or 0.",
    ),
    (r"\bMSR|STAR|FMASK|SYSENTER_|LSTAR", "`msrs` shows where the fast ways in lead."),
    (r"\bDPL|\bgate\b", "`gate` and `idt N` decode gates, with DPL and stack."),
    (
        r"\bselector|descriptor|\bGDT|\bCS\b|\bCPL|ring",
        "`gdt` decodes selectors; `ring` says the CPL.",
    ),
    (
        r"\bIF\b|\bDF\b|\bTF\b|\bAC\b|\bflags?\b|\bZF\b",
        "The manual's page on flags says which are cleared.",
    ),
    (
        r"\bstack|\bSP\b|RSP|ESP|pushes|\bword",
        "`tss` and `stacks` say where stacks end; they grow down, by 4 or 8 bytes a word.",
    ),
    (
        r"\bpage\b|\bpresent|\bCR3|fault",
        "`pages ADDRESS` walks the tables and says what is allowed.",
    ),
    (r"MP[1-8]|instructions", "`make show ROW=...` lists the instructions, numbered."),
    (r"frame", "`entry-frame` shows the frame by its fields."),
    (r"\bvector", "`why` names the last exception; `idt N` says where a vector leads."),
    (
        r"register|RCX|RDX|\bDX\b|\bEBX|RDI|EBP",
        "`info registers` shows them as they are before the step.",
    ),
)
MOST = 2


def hint_for(ask: str, manual: str) -> str:
    """A sentence or two."""
    found = [tip for words, tip in TIPS if re.search(words, ask)][:MOST]
    return " ".join([*found, f"The source: {manual}."])
