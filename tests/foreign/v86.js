// v86.js - one boot of the i386 kernel in v86, in node: `node v86.js count|jit SECONDS v86/ KERNEL INITRD LINE`
//
// The serial line goes to standard output. Exit status: the kernel's own, as QEMU's isa-debug-exit has it
// ((value << 1) | 1); 100 when SECONDS of processor time are over; 101 when v86 throws, which it says.
"use strict";

const fs = require("node:fs");
const { Machine } = require("../../tools/tollgate/browser/machine.js");

const [how, limit, folder, kernel, initrd, line] = process.argv.slice(2);
const firmware = "/usr/share/seabios";
const TIME_OVER = 100;
const THROWN = 101;

function read(path) {
    return new Uint8Array(fs.readFileSync(path));
}

function leave(status, why) {
    if (why) {
        fs.writeSync(2, `${why}\n`);
    }
    process.exit(status);
}

function thrown(error) {
    leave(THROWN, String(error?.message ?? error).split("\n")[0]);
}

process.on("uncaughtException", thrown);
process.on("unhandledRejection", thrown);
console.error = (text) => fs.writeSync(2, `${text}\n`); // the message of its WebAssembly at a panic
const used = () => process.cpuUsage().user / 1e6;
const text = [];
const write = () => fs.writeSync(1, Buffer.from(text.splice(0)));
setInterval(() => {
    write();
    if (used() > limit) {
        leave(TIME_OVER);
    }
}, 200);
process.on("exit", write);
new Machine({
    library: fs.readFileSync(`${folder}/libv86.js`, "utf8"),
    wasm: read(`${folder}/v86.wasm`),
    bios: read(`${firmware}/bios.bin`),
    vgabios: read(`${firmware}/vgabios-stdvga.bin`),
    kernel: read(kernel),
    initrd: read(initrd),
}, line, {
    jit: how === "jit",
    said: (byte) => text.push(byte),
    ended: (value) => leave((value << 1) | 1),
});
