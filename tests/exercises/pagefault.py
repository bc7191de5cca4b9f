"""The model solution: two refusals and a flag in map_area(), and stamps when a page is filled."""

import re

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

CALLS, MEMORY = "kernel/unix/file/map.c", "kernel/core/mem/memory.c"
FILL = """\
/* Each word of the page holds its stamp, as wide as the program's words are. */
static __attribute__((noinline)) void stamp(const struct memory *memory, uintptr_t frame,
                                            uintptr_t page)
{
        size_t size = memory->origin == ORIGIN_COMPAT ? sizeof(uint32_t) : sizeof page;
        for (size_t at = 0; at < PAGE_SIZE; at += size) {
                uintptr_t word = (page + at) ^ STAMP;
                memcpy((uint8_t *)DIRECT(frame) + at, &word, size);
        }
}

static bool fill_page(struct memory *memory, struct area *const *area, uintptr_t address,
                      pte_t *entry)
{
        uintptr_t frame = frame_allocate();
        if (!frame)
                return false;
        if ((*area)->flags & AREA_STAMPED)
                stamp(memory, frame, address & ~(uintptr_t)(PAGE_SIZE - 1));
        *entry = frame | (*area)->entry;
        memory->resident++;
        return true;
}
"""


def solve(edits: Edits, own: Own) -> None:
    edits.before(
        CALLS,
        "if (is_hopeless(size, area))",
        "        if (flags & MAP_STAMPED && (type == MAP_SHARED || flags & MAP_GROWSDOWN))\n"
        "                return -EINVAL;\n",
    )
    edits.before(
        CALLS,
        "error = memory_map(memory, at, size + (start - at), area);",
        "        if (flags & MAP_STAMPED)\n                area |= AREA_STAMPED;\n",
    )
    text = edits.text(MEMORY)
    text, count = re.subn(r"(fill_page\(memory, &[\w>-]+), entry\)", r"\1, address, entry)", text)
    assert count == 2
    old = re.compile(r"static bool fill_page\(struct memory.*?^}\n", re.M | re.S)
    text, count = old.subn(lambda _: FILL, text)
    assert count == 1
    edits.put(MEMORY, text)
