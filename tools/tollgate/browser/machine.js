// machine.js - v86 with a time-stamp counter that counts instructions; for a page and for node
//
// v86 adds to its instruction counter when a block of instructions ends. So RDTSC in the middle of a
// block reads too low a count. An edit of v86.wasm, which keeps its size and must match exactly once,
// changes that: a block begins with "this is its end" set, so every block is a single instruction.
// The counter is then exact at every RDTSC. The devices' time follows it, at 1 ns an instruction;
// while the processor halts it jumps to the next timer, or follows the browser's clock.
"use strict";

const EDITS = [["410041003a0080a4828000", "410041013a0080a4828000"]];
const COUNTER = 664 >> 2; // words of v86's memory (its src/rust/cpu/global_pointers.rs)
const HALTED = 616;
const EXIT_PORT = 0xf4; // QEMU's isa-debug-exit: the kernel ends a machine with it
const MEGABYTE = 1 << 20;
const NANOSECONDS = 1e6; // per millisecond, v86's unit of time

// Replaces `from` by `to`; it must occur exactly `times` times.
function replaced(wasm, from, to, times) {
    const text = new Uint8Array(wasm);
    const [old, fresh] = [bytes(from), bytes(to)];
    let found = 0;
    for (let at = wasm.indexOf(old[0]); at >= 0; at = wasm.indexOf(old[0], at + 1)) {
        if (old.every((byte, n) => wasm[at + n] === byte)) {
            text.set(fresh, at);
            found++;
        }
    }
    if (found !== times) {
        throw new Error(`v86.wasm has a place that is to be edited ${found} times, not ${times}`);
    }
    return text;
}

function bytes(hex) {
    return hex.match(/../g).map((pair) => parseInt(pair, 16));
}

function counting(wasm) {
    return EDITS.reduce((text, [from, to]) => replaced(text, from, to, 1), wasm);
}

// v86's library with our clock instead of the browser's.
function library(text, clock) {
    const module = { exports: {} };
    new Function("module", "exports", "performance", text)(module, module.exports, clock);
    return module.exports.V86;
}

// A machine that boots `parts.kernel` with `parts.initrd` and a command line. `options.waits`: a halt takes as
// long as on a PC; `jit`: v86 as npm brings it, with its compiler, and its counter is the browser's clock. `said`
// gets each byte of the serial line, `ended` is called when the kernel ends the machine.
class Machine {
    constructor(parts, line, options) {
        this.parts = parts;
        this.options = options;
        this.total = 0;
        this.skipped = 0;
        this.idle = 0; // ms of the browser's clock, while the processor halts
        const V86 = library(parts.library, options.jit ? performance : { now: () => this.exact() });
        this.emulator = new V86({
            wasm_fn: (imports) => this.instantiate(imports.env),
            bios: { buffer: parts.bios.slice().buffer },
            vga_bios: { buffer: parts.vgabios.slice().buffer },
            multiboot: { buffer: parts.kernel.slice().buffer },
            initrd: { buffer: parts.initrd.slice().buffer },
            cmdline: line,
            memory_size: 64 * MEGABYTE,
            vga_memory_size: 8 * MEGABYTE,
            disable_jit: !options.jit,
            disable_keyboard: true,
            disable_mouse: true,
            disable_speaker: true,
            autostart: true,
        });
        this.emulator.add_listener("serial0-output-byte", (byte) => options.said(byte));
    }

    async instantiate(env) {
        const write = env.io_port_write8;
        env.io_port_write8 = (port, value) => (port === EXIT_PORT ? this.end(value) : write(port, value));
        const { jit } = this.options;
        const timers = env.run_hardware_timers;
        if (!jit) {
            env.run_hardware_timers = (acpi) => this.look(timers(acpi, this.exact()));
        }
        const made = await WebAssembly.instantiate(jit ? this.parts.wasm : counting(this.parts.wasm), { env });
        this.exports = made.instance.exports;
        return this.exports;
    }

    memory() {
        if (this.words?.buffer !== this.exports.memory.buffer) { // memory has grown
            this.words = new Uint32Array(this.exports.memory.buffer);
        }
        return this.words;
    }

    // Instructions since the machine was created.
    count() {
        return this.exports ? this.total + this.memory()[COUNTER] : 0;
    }

    // Milliseconds; half an instruction is added so that converting back does not round down.
    exact() {
        return (this.count() + this.skipped + 0.5) / NANOSECONDS;
    }

    // The timers were checked; the next is due in `due` ms. Starts the 32-bit counter again.
    look(due) {
        const words = this.memory();
        this.total += words[COUNTER];
        words[COUNTER] = 0;
        const halted = new Uint8Array(words.buffer)[HALTED];
        if (halted && !this.options.waits) {
            this.skipped += Math.max(1, Math.ceil(due * NANOSECONDS));
            return 0;
        }
        const now = halted ? performance.now() : 0;
        this.skipped += halted && this.idle ? Math.round((now - this.idle) * NANOSECONDS) : 0;
        this.idle = now;
        return due;
    }

    // An ended machine executes nothing more.
    end(value) {
        if (!this.over) {
            this.over = true;
            this.emulator.stop();
            this.options.ended?.(value);
        }
        new Uint8Array(this.memory().buffer)[HALTED] = 1;
    }

    type(text) {
        this.emulator.serial0_send(text);
    }

    async close() {
        await this.emulator.destroy();
    }
}

if (typeof module === "object") {
    module.exports = { Machine };
}
