"""`python -m tollgate.records.schema` prints the JSON Schema of records, for other programs.

Its fields and their types are fields.py's; what is said here besides is what the words of a field
may be.  A line of results.jsonl is one such object; what several lines must keep to between them,
rules.py says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tollgate.machines.outcome import Outcome
from tollgate.records.fields import FIELDS, NUMBER, OPTIONAL, VERSION, Kind, name_of
from tollgate.records.rules import BINS, UNITS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

TYPES: Mapping[Any, str] = {
    str: "string", int: "integer", bool: "boolean", NUMBER: "number", dict: "object", list: "array"
}  # fmt: skip
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NAME: Schema = {"type": "string", "minLength": 1}
DIGITS: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
DIGITS_OR_NONE: Schema = {"type": "string", "pattern": "^([0-9a-f]{64})?$"}
HEX_OR_NONE: Schema = {"type": "string", "pattern": "^(0x[0-9a-f]+)?$"}
POINT: Schema = {"type": "string", "pattern": "^MP[1-8]$"}


def listed(of: Schema, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "items": of, **more}


def closed(of: Mapping[str, Schema], need: list[str] | None = None) -> Schema:
    """An object that has no other keys than these; `need`: which it must have, else all."""
    return {
        "type": "object",
        "properties": dict(of),
        "required": list(of) if need is None else need,
        "additionalProperties": False,
    }


ENDS: Schema = {"enum": [outcome.value for outcome in Outcome]}
CLOCK = {
    "by": TEXT, **dict.fromkeys(("nominal_hz", "base_hz", "apic_hz", "rtc_hz"), COUNT),
    "pit_hz": {"type": "array", "items": COUNT}, "invariant": {"type": "boolean"},
    "core": TEXT, "turbo": TEXT,
    "sleeps_deep": {"type": "boolean"}, "smis": {"type": "integer", "minimum": -1},
    "retired": TEXT, "core_type": COUNT,
    **dict.fromkeys(("microcode", "arch_capabilities", "spec_ctrl"), HEX_OR_NONE),
}  # fmt: skip
WORDS: Mapping[str, Mapping[str, Schema]] = {
    "run": {
        "arch": {"enum": ["i386", "amd64"]},
        "platform": NAME,
        "unit": {"enum": list(UNITS)},
        "fence": {"enum": ["none", "lfence", "rdtscp", "cpuid"]},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "tsc_hz": COUNT,
        "quiet": COUNT,
        "scanned": {"type": "integer", "minimum": 1},
        "part": {"const": "toll"},
        "cpu": closed(
            {"vendor": TEXT, "brand": TEXT, "family": COUNT, "model": COUNT, "stepping": COUNT}
        ),
        "tools": closed({"emulator": TEXT, "compiler": TEXT, "nasm": TEXT}, []),
        "image": closed({"kernel": DIGITS, "initrd": DIGITS_OR_NONE}, ["kernel"]),
        "clock": {"type": "object", "properties": CLOCK},
        "kernel": TEXT,
        "mitigations": {"type": "object", "additionalProperties": TEXT},
    },
    "result": {
        "suite": NAME,
        "id": {"type": "string", "pattern": "^[^/]+(/[^/]+)*$"},
        "n": {"type": "integer", "minimum": 1},
        "histogram": listed(
            {
                "type": "array",
                "prefixItems": [{"type": "number"}, {"type": "integer", "minimum": 1}],
                "minItems": 2,
                "maxItems": 2,
            },
            minItems=1,
            maxItems=BINS,
        ),
        "sections": listed(
            closed(
                {
                    "from": POINT,
                    "to": POINT,
                    "min": {"type": "number"},
                    "median": {"type": "number"},
                }
            ),
            minItems=7,
            maxItems=7,
        ),
        "probe": {"type": "number", "minimum": 0},
        "disturbed": COUNT,
        "repeated": COUNT,
    },
    "skip": {"suite": NAME, "id": NAME, "reason": NAME},
    "noisy": {"suite": NAME, "id": NAME, "reason": NAME},
    "check": {"name": NAME},
    "end": {
        "records": COUNT,
        "failed": COUNT,
        "unquiet": {"type": "integer", "minimum": 1},
        "unimplemented": listed({"type": "array"}),
    },
    "outcome": {"ended": ENDS, "expected": ENDS, "records": COUNT},
    "missing": {"boots": listed(NAME, minItems=1)},
}
"""Fields with more rules than a type; and the two fields of Linux's records."""


def field(kind: Kind) -> Schema:
    """A field of which only its type is known."""
    return {"type": TYPES[kind]}


def record(kind: str) -> Schema:
    """The schema of one type of record."""
    fields = {**FIELDS[kind], **OPTIONAL.get(kind, {})}
    known = {name: field(of) for name, of in fields.items()} | dict(WORDS[kind])
    head: Schema = {"v": {"const": VERSION}, "type": {"const": kind}}
    crc: Schema = {"crc": {"type": "string", "pattern": "^[0-9a-f]{8}$"}}
    made = closed({**head, **known, **crc}, ["v", "type", *FIELDS[kind]])
    return {"title": name_of(kind), **made}


def schema() -> Schema:
    """The whole schema: of one line, with its CRC or without."""
    return {
        "$schema": DIALECT,
        "title": "A record of Tollgate",
        "description": "One line of results.jsonl. docs/records.md says what each field means.",
        "type": "object",
        "required": ["v", "type"],
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in FIELDS],
        "$defs": {kind: record(kind) for kind in FIELDS},
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1))
