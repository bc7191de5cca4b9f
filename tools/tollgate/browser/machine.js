// machine.js - v86 with a time-stamp counter that counts instructions; for a page and for node
//
// v86 adds to its instruction counter when a block of instructions ends, so RDTSC in the middle of one
// reads a count that is too low by the block's length so far. Two edits of v86.wasm cure that; both keep
// its size, and each must be found once:
//   BLOCK  a block begins with "this is its end" set, so every block is one instruction
//   LIMIT  how many instructions run until the timers are looked at: a word of memory in place of a
//          constant; 1 steps
// The counter is then exact at every RDTSC. The time that devices have follows it, at 1 ns an
// instruction, and jumps to the next timer while the processor halts.
"use strict";

const EDITS = [
    ["410041003a0080a4828000", "410041013a0080a4828000"],
    ["41002802980520056b41a38d06490d00", "410028029805" + "4100280204" + "4901010d00"],
];
const COUNTER = 664 >> 2; // words of v86's memory (its src/rust/cpu/global_pointers.rs)
const LIMIT = 4 >> 2; // where nothing else lies
const REGISTERS = 64 >> 2; // EAX ECX EDX EBX ESP EBP ESI EDI
const POINTER = 556 >> 2;
const SEGMENTS = 668 >> 1; // ES CS SS DS FS GS
const HALTED = 616;
const FRAME = 2; // ms, more than v86 runs before it looks at its page again
const MOST = 100003; // instructions until the timers are looked at: v86's own number
const EXIT_PORT = 0xf4; // QEMU's isa-debug-exit, by which the kernel ends a machine
const MEGABYTE = 1 << 20;
const NANOSECONDS = 1e6; // in the milliseconds that v86 counts time in

function edited(wasm) {
    const text = new Uint8Array(wasm);
    for (const [from, to] of EDITS.map((pair) => pair.map(bytes))) {
        const places = [];
        for (let at = text.indexOf(from[0]); at >= 0; at = text.indexOf(from[0], at + 1)) {
            if (from.every((byte, n) => text[at + n] === byte)) {
                places.push(at);
            }
        }
        if (places.length !== 1) {
            throw new Error(`v86.wasm has a place that is to be edited ${places.length} times, not once`);
        }
        text.set(to, places[0]);
    }
    return text;
}

function bytes(hex) {
    return hex.match(/../g).map((pair) => parseInt(pair, 16));
}

// v86's library with a clock of ours for the browser's.
function library(text, clock) {
    const module = { exports: {} };
    new Function("module", "exports", "performance", text)(module, module.exports, clock);
    return module.exports.V86;
}

// A machine that boots `parts.kernel` with `parts.initrd` and a command line. `options.count`: its counter
// counts instructions (else it is a fast clock); `said` gets each byte of the serial line, `ended` is
// called once when the kernel ends the machine, `failed` with what the emulator threw.
class Machine {
    constructor(parts, line, options) {
        this.parts = parts;
        this.options = options;
        this.total = 0;
        this.skipped = 0;
        this.stepping = false;
        const clock = options.count ? { now: () => this.time() } : performance;
        const V86 = library(parts.library, clock);
        this.emulator = new V86({
            wasm_fn: (imports) => this.instantiate(imports.env),
            bios: { buffer: parts.bios.slice().buffer },
            vga_bios: { buffer: parts.vgabios.slice().buffer },
            multiboot: { buffer: parts.kernel.slice().buffer },
            initrd: { buffer: parts.initrd.slice().buffer },
            cmdline: line,
            memory_size: 64 * MEGABYTE,
            vga_memory_size: 8 * MEGABYTE,
            disable_jit: Boolean(options.count || options.interpret),
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
        const wasm = this.options.count ? edited(this.parts.wasm) : this.parts.wasm;
        if (this.options.count) {
            const timers = env.run_hardware_timers;
            env.run_hardware_timers = (acpi) => this.look(timers(acpi, this.exact()));
        }
        const made = await WebAssembly.instantiate(wasm, { env });
        this.exports = made.instance.exports;
        if (this.options.count) {
            this.memory()[LIMIT] = MOST;
        }
        return this.exports;
    }

    memory() {
        if (this.words?.buffer !== this.exports.memory.buffer) { // it has grown
            this.words = new Uint32Array(this.exports.memory.buffer);
        }
        return this.words;
    }

    // Instructions since the machine was made.
    count() {
        return this.exports ? this.total + this.memory()[COUNTER] : 0;
    }

    // Milliseconds; half an instruction keeps what is multiplied again from being rounded down.
    exact() {
        return (this.count() + this.skipped + 0.5) / NANOSECONDS;
    }

    // The same; behind a step, so late that v86's loop ends.
    time() {
        return this.exact() + (this.stepping && this.memory()[COUNTER] ? FRAME : 0);
    }

    // The timers have been looked at; the next is due in `due` ms. The counter has 32 bits: it begins anew.
    look(due) {
        const words = this.memory();
        this.total += words[COUNTER];
        words[COUNTER] = 0;
        if (!new Uint8Array(words.buffer)[HALTED]) {
            return due;
        }
        this.skipped += Math.max(1, Math.ceil(due * NANOSECONDS));
        return 0;
    }

    end(value) {
        this.emulator.stop();
        this.options.ended(value);
    }

    // Stop behind the instruction that runs; from then on step() alone goes on.
    async pause() {
        this.stepping = true;
        this.memory()[LIMIT] = 1;
        const stopped = new Promise((done) => this.emulator.add_listener("emulator-stopped", done));
        this.emulator.stop();
        await stopped;
    }

    // One instruction.
    step() {
        this.exports.main_loop();
    }

    // Steps until the instruction at `address` is next; false if it does not come within `most`.
    seek(address, most) {
        for (let n = 0; n < most; n++) {
            if (this.memory()[POINTER] === address) {
                return true;
            }
            this.step();
        }
        return false;
    }

    // The registers, by their names.
    registers() {
        const words = this.memory();
        const segments = new Uint16Array(words.buffer);
        const [eax, ecx, edx, ebx, esp, ebp, esi, edi] = words.subarray(REGISTERS, REGISTERS + 8);
        const flags = this.exports.get_eflags() >>> 0;
        const [es, cs, ss, ds] = segments.subarray(SEGMENTS, SEGMENTS + 4);
        return { eip: words[POINTER], esp, eflags: flags, cs, ss, eax, ebx, ecx, edx, esi, edi, ebp, ds, es };
    }

    // The word at a linear address that is mapped.
    word(address) {
        return this.exports.read32s(this.exports.translate_address_system_read_js(address)) >>> 0;
    }

    type(text) {
        this.emulator.serial0_send(text);
    }

    async close() {
        await this.emulator.destroy();
    }
}

if (typeof module === "object") {
    module.exports = { Machine, edited };
}
