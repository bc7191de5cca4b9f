// machine.js - v86 with a time-stamp counter that counts instructions
//
// v86 adds to its instruction counter when a block of instructions ends, so RDTSC in the middle of one
// reads a count that is too low by the block's length so far. Two edits of v86.wasm cure that; both keep
// its size, and each must be found once:
//   BLOCK  a block begins with "this is its end" set, so every block is one instruction
//   LIMIT  how many instructions run until the timers are looked at: a word of memory in place of a
//          constant; 1 steps
// The counter is then exact at every RDTSC. The time that devices have follows it, at 1 ns an
// instruction; while the processor halts it jumps to the next timer, or goes with the browser's clock.
//
// v86 delivers a fault that comes while a fault is delivered as if it came alone: a push in ring 0 that
// finds no stack recurses without end. options.faults puts a function of ours in front of v86's, which
// does what the processor does then: #DF, and behind that the shutdown that resets a PC (SDM 3A,
// "Interrupt 8-Double Fault Exception (#DF)"). All 49 calls go to it; it calls v86's own.
"use strict";

const EDITS = [
    ["410041003a0080a4828000", "410041013a0080a4828000"],
    ["41002802980520056b41a38d06490d00", "410028029805" + "4100280204" + "4901010d00"],
];
const CALLS = 49; // in v86.wasm, of the function that delivers: (vector, by INT n, has an error code, code)
const DELIVERS = "d793808000"; // its number, as a call has it
const OURS = "ea9b808000"; // the number of the function behind the last one
const DELIVERS_TYPE = 11;
const SECTION_FUNCTIONS = 3; // of a WebAssembly module
const SECTION_CODE = 10;
const SHUTDOWN = 0x10000; // no port's number: the processor has shut down
// What is being delivered is a byte at 8, where nothing else lies: 1 harmless, 2 contributory, 3 #PF, 4 #DF.
const DELIVERY = [
    "01027f", //                           two locals: before = 4, now = 5
    "41002d00082104", //                   before = byte at 8
    "2004410446" + "0440", //              if before is #DF
    "41808004" + "4100" + "1091808080000f0b", // write to the port SHUTDOWN, return
    "4101" + "4103", //                    now = by INT n ? 1 : vector == 14 ? 3
    "41014181f800200076200041204971" + "6a", // : 1 + (vector < 32 and one of 0, 10 to 13)
    "2000410e461b" + "20011b" + "2105",
    "200541024e" + "200420054e71" + "0440", // if now >= 2 and before >= now
    "41082100" + "41002101" + "41012102" + "41002103" + "41042105" + "0b", // #DF(0)
    "410020053a0008", //                   byte at 8 = now
    `200020012002200310${DELIVERS}`, //    v86's own
    "410020043a0008" + "0b", //            byte at 8 = before
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

// The same with `to` for `from`, which must be there so many times.
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

// A number of a WebAssembly module (LEB128): its value and where it ends; and such a number.
function number(text, at) {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
        const byte = text[at++];
        value |= (byte & 127) << shift;
        if (byte < 128) {
            return [value, at];
        }
    }
}

function numbered(value) {
    return value < 128 ? [value] : [value & 127 | 128, ...numbered(value >>> 7)];
}

// The module with one more at the end of its section `id`, a list.
function longer(text, id, more) {
    for (let at = 8; at < text.length;) {
        const [size, begin] = number(text, at + 1);
        if (text[at] === id) {
            const [count, first] = number(text, begin);
            const head = numbered(count + 1);
            const length = numbered(head.length + begin + size - first + more.length);
            return Uint8Array.from([...text.subarray(0, at + 1), ...length, ...head,
                ...text.subarray(first, begin + size), ...more, ...text.subarray(begin + size)]);
        }
        at = begin + size;
    }
    throw new Error(`v86.wasm has no section ${id}`);
}

function faulting(wasm) {
    const body = bytes(DELIVERY.join(""));
    const text = replaced(wasm, `10${DELIVERS}`, `10${OURS}`, CALLS);
    return longer(longer(text, SECTION_FUNCTIONS, [DELIVERS_TYPE]), SECTION_CODE, [...numbered(body.length), ...body]);
}

// v86's library with a clock of ours for the browser's.
function library(text, clock) {
    const module = { exports: {} };
    new Function("module", "exports", "performance", text)(module, module.exports, clock);
    return module.exports.V86;
}

// A machine that boots `parts.kernel` with `parts.initrd` and a command line. `options.waits`: a halt takes as
// long as on a PC; `faults`: a fault's fault is #DF. `said` gets each byte of the serial line, `ended` is
// called when the kernel ends the machine, `shut` when the processor has shut down.
class Machine {
    constructor(parts, line, options) {
        this.parts = parts;
        this.options = options;
        this.total = 0;
        this.skipped = 0;
        this.stepping = false;
        this.idle = 0; // ms of the browser's clock, while the processor halts
        const V86 = library(parts.library, { now: () => this.time() });
        this.emulator = new V86({
            wasm_fn: (imports) => this.instantiate(imports.env),
            bios: { buffer: parts.bios.slice().buffer },
            vga_bios: { buffer: parts.vgabios.slice().buffer },
            multiboot: { buffer: parts.kernel.slice().buffer },
            initrd: { buffer: parts.initrd.slice().buffer },
            cmdline: line,
            memory_size: 64 * MEGABYTE,
            vga_memory_size: 8 * MEGABYTE,
            disable_jit: true,
            disable_keyboard: true,
            disable_mouse: true,
            disable_speaker: true,
            autostart: true,
        });
        this.emulator.add_listener("serial0-output-byte", (byte) => options.said(byte));
    }

    async instantiate(env) {
        const write = env.io_port_write8;
        const ends = { [EXIT_PORT]: "ended", [SHUTDOWN]: "shut" };
        env.io_port_write8 = (port, value) => (ends[port] ? this.end(ends[port], value) : write(port, value));
        const faults = this.options.faults ? faulting(this.parts.wasm) : this.parts.wasm;
        const timers = env.run_hardware_timers;
        env.run_hardware_timers = (acpi) => this.look(timers(acpi, this.exact()));
        const made = await WebAssembly.instantiate(counting(faults), { env });
        this.exports = made.instance.exports;
        this.memory()[LIMIT] = MOST;
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

    // A processor that has shut down executes nothing more.
    end(how, value) {
        if (!this.over) {
            this.over = true;
            this.emulator.stop();
            this.options[how]?.(value);
        }
        new Uint8Array(this.memory().buffer)[HALTED] = 1;
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
