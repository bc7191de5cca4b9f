"""The characters that have names in HTML (HTML 4.01, 24, and apos), as C."""

from html.entities import name2codepoint

for name, character in sorted({**name2codepoint, "apos": ord("'")}.items()):
    print(f'ENTITY("{name}", {character:#x})')
