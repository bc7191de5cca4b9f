"""Loops of the kernel that a program, a disk or firmware could make long.

Each has a window for interrupts, or sleeps, or ends at a number; or it stands here, and its bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tollgate.machines.boot import ROOT

KERNEL = ROOT / "kernel"
FOLDERS = ("core/mem", "dev", "unix/file", "unix/fs", "unix/node", "unix/process")
LETS_IN = re.compile(
    r"\b(?:interrupt_window|work_goes_on|let_others|space_next|file_wait|wait_on|wait_until"
    r"|wait_woken)\("
)
GOES_ON = {
    "area.c memory_cut": "pages and areas of a program",
    "area.c memory_drop": "pages of a program",
    "remap.c move_pages": "pages of a program",
    "area.c populate": "pages of a program",
    "remap.c prune_range": "page tables of a program",
    "remap.c refresh": "pages of a program",
    "console.c show": "bytes of the caller's",
    "descriptor.c files_exec": "descriptors, each with what its kind does at the end",
    "descriptor.c files_shed": "descriptors, each with what its kind does at the end",
    "descriptor.c sys_close_range": "descriptors, each with what its kind does at the end",
    "directory.c read_entries": "names of a directory",
    "copy.c copy_range": "parts of a program's memory",
    "file.c read_pages": "bytes of the caller's",
    "framebuffer.c read": "bytes of the caller's",
    "framebuffer.c write": "bytes of the caller's",
    "log.c again": "records of this run",
    "log.c read": "bytes of the caller's",
    "null.c read_zeros": "bytes of the caller's",
    "position.c pass_parts": "bytes of the caller's",
    "pty.c write_through": "bytes of the caller's",
    "proc_maps.c map_each": "areas, each of a long path",
    "ram_file.c read": "bytes of the caller's",
    "ram_file.c cut_pages": "pages of a file",
    "ram_file.c drop_frames": "pages of a file",
    "ram_file.c write": "bytes of the caller's",
    "screen.c write": "bytes of the caller's",
    "random.c give": "bytes of the caller's",
    "random.c write": "bytes of the caller's",
    "vector.c vectors_each": "the caller's vectors, each of any size",
    "volume_names.c search": "blocks of a directory on a disk",
}
"""Loops that nothing of the kernel's bounds: others have their turn, and SIGKILL ends each."""
NUMBER = re.compile(r"[<>]=? *(?:[A-Z_0-9]+\b|sizeof|\d)")
"""A condition with a constant in it."""

THREADS, PATH, PIECE = "200 threads", "PATH_MAX", "a piece of the caller's, which has windows"
BOOT, SIGNALS, SCREEN = "once, at the boot", "64 signals, or 1,024 queued", "a row of the screen"
TABLE, MEASURES = "a table of the kernel's own", "what is measured: samples that are asked for"
BOUNDS = {
    "area.c is_scattered": "1,024 areas",
    "remap.c whole_to": "1,024 areas",
    "frame.c clear_lines": "a page",
    "frame.c copy_lines": "a page",
    "frame.c frame_init": BOOT,
    "frame.c place_table": BOOT,
    "copy.c copy_pages": "1,024 areas, and copy_range() has windows",
    "memory.c drop_all_pages": "1,024 areas, and space_drop() has windows",
    "memory.c fill_page": "the height of a tree of 1,024 areas",
    "memory.c memory_fill": "what exec and fork write: names and numbers",
    "space.c is_empty": "a table's entries",
    "space.c map_early": BOOT,
    "space.c map_window": BOOT,
    "space.c next_used": "a table's entries",
    "space.c space_init": BOOT,
    "space.c stack_create": "256 stacks, of some pages",
    "space.c stack_destroy": "the pages of a stack",
    "tree.c tree_at": "the height of a tree of 1,024 areas",
    "tree.c tree_before": "the height of a tree of 1,024 areas",
    "tree.c tree_find": "the height of a tree of 1,024 areas",
    "acpi.c number": "8 bytes",
    "acpi.c sums_to_zero": "MOST bytes, when the machine is switched off",
    "acpi.c root_in": "BIOS_SIZE",
    "acpi.c aml_types": "3 bytes",
    "acpi.c s5_find": "TABLES, by list_has()",
    "acpi.c acpi_off_find": "TABLES, by list_has()",
    "ata.c await": "looks",
    "keyboard.c press": TABLE,
    "log.c grow": BOOT,
    "log.c log_put": "64 bytes (console.c), or a record",
    "power.c stay": "the machine's end",
    "rtc.c rtc_seconds": "12 months, 135 years",
    "rtc.c rtc_text": "12 months",
    "screen.c screen_init": BOOT,
    "screen.c new_line": SCREEN,
    "screen.c screen_write": "64 bytes (console.c)",
    "screen.c control_clear": SCREEN,
    "screen.c control_clear_line": SCREEN,
    "screen.c control_rows": "the rows of the screen",
    "screen.c screen_draw": "64 bytes",
    "text.c blank": "the cells of a text screen",
    "blocks.c give_up": THREADS,
    "blocks.c blocks_find": "BLOCKS",
    "blocks.c oldest": "BLOCKS",
    "blocks.c choose": "it sleeps",
    "blocks.c copy": "it sleeps",
    "blocks.c disk_read": "64 cached blocks; it sleeps for the others",
    "console.c write_lines": PIECE,
    "descriptor.c descriptor_add": "1,024 descriptors",
    "ladder.c time_reads": MEASURES,
    "lock.c wait_for": THREADS,
    "lock.c set": "it sleeps",
    "lock.c sys_flock": "it sleeps",
    "log.c again": "a piece of 256 bytes",
    "markup.c time_reads": MEASURES,
    "markup.c time_parses": MEASURES,
    "mounts.c tell_node": "the mounts, which are made at the boot",
    "epoll.c watch_add": "lists, two of a file",
    "names.c is_below": "8,192 names",
    "path.c end_component": PATH,
    "path.c skip_slashes": PATH,
    "path.c path_read": PIECE,
    "pipe.c release": "1,024 pipes",
    "pipe.c fifo_open": "1,024 pipes",
    "poll.c drop": "lists, two of a file",
    "poll.c poll_off": "lists, two of a file",
    "pty.c pty_find": "64 terminals",
    "pty.c put_text": PIECE,
    "pty.c type_text": PIECE,
    "pty.c release": "64 terminals",
    "pty.c free_number": "64 terminals",
    "random.c write": PIECE,
    "socket.c socket_receive": "it sleeps, and take() has windows",
    "socket_connect.c queue": "1,024 sockets",
    "socket_name.c bind_any": "find_abstract() has windows",
    "terminal.c terminal_forget": "65 terminals",
    "terminal.c terminal_edit_done": "the size of a typed line",
    "terminal.c erase": "a character's two columns",
    "terminal.c terminal_of": "65 terminals",
    "terminal.c take_ready": "the size of its ring",
    "terminal.c terminal_waiting": "the size of its ring",
    "initrd.c sum": BOOT,
    "initrd.c initrd_open": BOOT,
    "proc.c number_from": "10 characters",
    "proc.c proc_find": TABLE,
    "proc.c list": TABLE,
    "proc_machine.c proc_mounts": "the mounts, which are made at the boot",
    "proc_maps.c add_path": PATH,
    "proc_process.c name_of": PATH,
    "proc_sys.c set_name": "65 characters",
    "mapped.c is_cut": "1,024 areas",
    "mapped.c memory_await_cut": "it gives its turn away",
    "ram_file.c await_cut": "it gives its turn away",
    "ram.c hash_of": "a name's 255 characters",
    "tree.c fill_entry": BOOT,
    "tree.c place": BOOT,
    "tree.c tree_make": BOOT,
    "volume.c find_block": "3 steps",
    "volume.c volume_link": PATH,
    "volume_names.c search_block": "a block's 4,096 bytes",
    "mapped.c memory_cut_file": "200 memories, and memory_cut() has windows",
    "remote.c memory_read": "a page of its callers', or less",
    "alarm.c next_end": "64 bits",
    "signal.c signal_wanted": SIGNALS,
    "signal.c signal_kills": SIGNALS,
    "signal.c signal_take_over": SIGNALS,
    "signal.c signal_leave_to_others": SIGNALS,
    "deliver.c signal_deliver": SIGNALS,
    "signal_queue.c signal_queue_find": SIGNALS,
    "signal_queue.c signal_enqueue": SIGNALS,
    "signal_queue.c signal_move": SIGNALS,
    "signal_queue.c signal_is_shared": SIGNALS,
    "node.c node_read": "a disk's as disk_read(); other files read all at once",
    "missing.c is_new": "256 sentences",
    "missing.c missing_record": "names of calls and requests",
}
"""By file and function."""
LISTED = re.compile(r"\b(?:threads|processes|members|next_member)\b")
"""Lists of all threads or processes, of which there are 200 at most."""


def plain(text: str) -> str:
    """C without comments, texts and attributes, each as long as it was."""
    blank = r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|__attribute__\(\(.*?\)\)"
    return re.sub(blank, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def closing(text: str, at: int, pair: str) -> int:
    """Where what opens at `at` ends."""
    depth = 0
    while True:
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if not depth:
            return at
        at += 1


def statement(text: str, at: int) -> int:
    """Where the statement at `at` ends."""
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] == "{":
        return closing(text, at, "{}") + 1
    if not re.match(r"(?:if|for|while|switch)\b", text[at:]):
        return text.index(";", at) + 1
    end = statement(text, closing(text, text.index("(", at), "()") + 1)
    while text.startswith("if", at) and (other := re.match(r"\s*else\b", text[end:])):
        end = statement(text, end + other.end())
    return end


def loops(text: str) -> Iterator[tuple[str, str, str]]:
    """Of each loop its function, its condition, and all of it."""
    for found in re.finditer(r"\b(for|while) \(", text):
        end = closing(text, found.end() - 1, "()")
        head = text[found.end() : end]
        behind = text[: found.start()].rstrip()
        if found[1] == "while" and text[end + 1] == ";" and behind.endswith("}"):
            body = behind[behind.rindex("do {") :]
        else:
            body = text[end + 1 : statement(text, end + 1)]
        before = re.findall(r"^[a-z][^;={]*?\b(\w+)\([^;{]*\)\s*\{", behind, re.M)
        parts = head.split(";")
        yield before[-1] if before else "?", parts[1] if len(parts) == 3 else head, head + body


def without_bound(folder: Path) -> set[str]:
    """The functions with a loop that neither lets others in nor ends at a number."""
    return {
        f"{path.name} {function}"
        for path in folder.glob("*.c")
        for function, condition, whole in loops(plain(path.read_text()))
        if not LETS_IN.search(whole) and not NUMBER.search(condition) and not LISTED.search(whole)
    }


def test_every_loop_that_a_stranger_sizes_lets_others_in() -> None:
    found = set().union(*(without_bound(KERNEL / folder) for folder in FOLDERS))
    assert found - BOUNDS.keys() == set(), "which window is in it, or what bounds it?"
    assert BOUNDS.keys() - found == set(), "these have no such loop any more: strike them out"


def test_what_nothing_bounds_gives_others_their_turn_and_sees_sigkill() -> None:
    found = {
        f"{path.name} {function}"
        for folder in FOLDERS
        for path in (KERNEL / folder).glob("*.c")
        for function, _, whole in loops(plain(path.read_text()))
        if "work_goes_on()" in whole
    }
    assert found == GOES_ON.keys()
