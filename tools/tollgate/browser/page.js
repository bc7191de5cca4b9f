// page.js - the toll and a shell, each on a separate machine in this page
"use strict";

const facts = JSON.parse(document.getElementById("facts").textContent);
const view = document.getElementById("view");
const SECTIONS = ["1–2", "2–3", "3–4", "4–5", "5–6", "6–7", "7–8"];
const RECORD = /^@(\{.*\}) \*[0-9a-f]{8}$/;
const KEYS = {
    Enter: "\r", Backspace: "\x7f", Tab: "\t", Escape: "\x1b",
    ArrowUp: "\x1b[A", ArrowDown: "\x1b[B", ArrowRight: "\x1b[C", ArrowLeft: "\x1b[D",
};
let machine = null;
let turn = 0; // number of the current choice: messages of older ones are ignored

function make(name, attributes, ...inside) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    made.append(...inside);
    return made;
}

function button(text, act) {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
}

function lacking() {
    if (typeof WebAssembly !== "object") {
        return "This browser has no WebAssembly, or something blocks it, and the emulated PC needs it. " +
            "A current Firefox, Chromium or Safari has it; some switch it off in a private or locked mode.";
    }
    if (typeof DecompressionStream !== "function") {
        return "This browser is too old to unpack the machine. Chromium 80, Firefox 113 and Safari 16.4 " +
            "and later can.";
    }
    return "";
}

function sentence(error) {
    const said = String(error?.message ?? error);
    if (error instanceof RangeError && /memory|allocat|buffer/i.test(said)) {
        return "There is not enough memory for the emulated PC: it needs about 200 MB. Close other tabs and " +
            "reload this page.";
    }
    if (error?.name === "CompileError" || error?.name === "EvalError") {
        return `This browser does not let the page run WebAssembly: ${said}`;
    }
    return `The emulator has stopped: ${said}. Choose again to start a new machine.`;
}

function fail(error) {
    view.append(make("p", { class: "failed", role: "alert" }, sentence(error)));
    stop();
}

async function unpacked(name) {
    const packed = document.getElementById(name).textContent;
    const data = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

let parts = null;
function everything() {
    parts ??= (async () => {
        const names = ["library", "wasm", "bios", "vgabios", "kernel", "initrd"];
        const found = Object.fromEntries(await Promise.all(names.map(async (n) => [n, await unpacked(n)])));
        return { ...found, library: new TextDecoder().decode(found.library) };
    })();
    return parts;
}

function stop() {
    const old = machine;
    machine = null;
    old?.close().catch(() => {});
}

// A machine that boots with `line`. `text` gets what people are to read, `record` each record, `line` each
// other line; `ended` is the machine's.
async function boot(line, options, heard) {
    const mine = turn;
    const all = await everything();
    if (mine !== turn) {
        return;
    }
    let last = "";
    let hidden = false;
    const decoder = new TextDecoder();
    function said(byte) {
        if (mine !== turn) {
            return;
        }
        const letter = decoder.decode(Uint8Array.of(byte), { stream: true });
        hidden = last === "" && letter === "@" ? true : hidden;
        if (!hidden) {
            heard.text?.(letter);
        }
        if (letter !== "\n") {
            last += letter === "\r" ? "" : letter;
            return;
        }
        const found = RECORD.exec(last);
        if (found) {
            heard.record?.(JSON.parse(found[1]));
        } else {
            heard.line?.(last);
        }
        last = "";
        hidden = false;
    }
    const ended = (value) => mine === turn && heard.ended?.(value);
    machine = new Machine(all, line, { ...options, said, ended });
}

function figures(record) {
    return [record.median, ...record.sections.map((section) => section.median)];
}

// The rows of the tests' table, each with a cell for the count made here.
function tollTable(rows) {
    const head = ["way in", "variant", "counted here", "the project's figure", ...SECTIONS];
    const cells = new Map();
    const body = make("tbody", {});
    for (const [id, wanted] of Object.entries(rows)) {
        const [origin, way, variant] = id.split("/");
        const here = make("td", { class: "num" }, "…");
        const parts = SECTIONS.map(() => make("td", { class: "num" }));
        cells.set(id, { here, parts, wanted });
        body.append(make("tr", {}, make("th", { scope: "row" }, `${origin}/${way}`), make("td", {}, variant), here,
            make("td", { class: "num" }, String(wanted[0])), ...parts));
    }
    const titles = head.map((text, n) => make("th", { scope: "col", ...(n > 1 ? { class: "num" } : {}) }, text));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...titles)), body);
    return [make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "The toll" }, table), cells];
}

function same(a, b) {
    return a.length === b.length && a.every((value, n) => value === b[n]);
}

function verdict(results, missing, wrong, notes) {
    const count = results.size;
    if (!count) {
        return [make("p", { class: "failed" }, "No row was measured.", ...[...notes].map((note) => ` ${note}`))];
    }
    const made = [make("p", { class: wrong.length ? "failed" : "held" },
        `${count - wrong.length} of ${count} rows equal the project's figures, each with its seven sections` +
        (wrong.length ? `; not equal: ${wrong.join(", ")}.` : "."))];
    for (const reason of new Set(missing.values())) {
        const rows = [...missing].filter(([, why]) => why === reason);
        made.push(make("p", {}, `${rows.length} rows are not here: ${reason}.`));
    }
    return [...made, ...[...notes].map((note) => make("p", {}, note))];
}

function toll() {
    const now = make("p", { class: "now", role: "status" }, "The machine boots …");
    const [table, cells] = tollTable(facts.rows.i386);
    view.append(make("h2", {}, "The toll, in instructions"),
        make("p", {}, "A program calls getpid a thousand times by each way into the kernel. The kernel finds out " +
            "by itself that its counter counts instructions here. Sections lie between the measurement points " +
            "MP1 to MP8: 1–2 is the way in, 2–3 the entry, 4–5 the call’s own work, 7–8 the way out."),
        now, table);
    const records = [];
    const results = new Map();
    const missing = new Map();
    const wrong = [];
    const notes = new Set(); // notes besides the rows
    const take = {
        run(record) {
            now.textContent = `The kernel says: the counter counts ${record.unit}. It measures …`;
        },
        result(record) {
            const cell = cells.get(record.id);
            if (!cell) {
                return;
            }
            const counted = figures(record);
            results.set(record.id, counted);
            cell.here.textContent = String(counted[0]);
            cell.parts.forEach((part, n) => { part.textContent = String(counted[n + 1]); });
            if (!same(counted, cell.wanted)) {
                wrong.push(record.id);
                cell.here.classList.add("wrong");
            }
        },
        skip(record) {
            const cell = cells.get(record.id);
            if (cell) {
                missing.set(record.id, record.reason);
                cell.here.textContent = "not here";
            } else {
                notes.add(`${record.id}: ${record.reason}.`);
            }
        },
        check(record) {
            if (!record.ok) {
                notes.add(`${record.name} does not hold: ${record.detail}.`);
            }
        },
        end() {
            now.replaceWith(...verdict(results, missing, wrong, notes), saved(records));
            view.dataset.done = "toll";
            stop();
        },
    };
    return boot("suite=toll platform=v86 then=stop", {}, {
        line(line) {
            const said = /^tollgate: (?!passed|failed|noisy)(.*)$/.exec(line);
            said && notes.add(`The kernel says: ${said[1]}.`);
        },
        record(record) {
            records.push(record);
            take[record.type]?.(record);
        },
    });
}

function saved(records) {
    const text = records.map((record) => JSON.stringify(record)).join("\n");
    const href = URL.createObjectURL(new Blob([text, "\n"], { type: "application/jsonl" }));
    return make("p", {}, make("a", { href, download: "results.jsonl" }, "Save the records"), " (JSON Lines).");
}

// The serial line's text, with carriage return and backspace.
class Terminal {
    constructor() {
        this.screen = make("pre", { class: "screen", role: "log", tabindex: 0, "aria-label": "The machine's console" });
        this.keys = make("textarea", { rows: 1, autocapitalize: "none", autocomplete: "off", spellcheck: "false",
            "aria-label": "Type to the machine", placeholder: "type here" });
        this.keys.addEventListener("keydown", (event) => this.key(event));
        this.keys.addEventListener("input", () => this.typed());
        this.screen.addEventListener("keydown", (event) => this.key(event));
        this.screen.addEventListener("click", () => String(getSelection()) || this.keys.focus());
        const bar = make("div", { class: "bar" }, this.keys, button("Enter", () => this.send("\r")),
            button("^C", () => this.send("\x03")), button("^D", () => this.send("\x04")));
        this.element = make("div", { class: "terminal" }, this.screen, bar);
        this.text = "";
        this.drawn = 0;
    }

    send(text) {
        machine?.type(text);
        this.keys.focus({ preventScroll: true });
    }

    key(event) {
        const control = event.ctrlKey && !event.altKey && !event.metaKey && /^[a-z\\]$/.test(event.key);
        const copies = event.key === "c" && String(getSelection());
        const text = control && !copies && event.key !== "v" ? String.fromCharCode(event.key.charCodeAt(0) & 31)
            : event.ctrlKey || event.metaKey || event.altKey ? "" : KEYS[event.key] ?? "";
        const leaves = event.key === "Tab" && event.shiftKey;
        if (text && !leaves && !event.isComposing) {
            event.preventDefault();
            this.send(text);
        } else if (event.target === this.screen && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            this.send(event.key);
        }
    }

    // Typed letters, from a keyboard, a phone, or the clipboard.
    typed() {
        this.send(this.keys.value.replaceAll("\n", "\r"));
        this.keys.value = "";
    }

    write(letter) {
        if (letter === "\b" || letter === "\x7f") {
            this.text = this.text.slice(0, -1);
        } else if (letter !== "\r") {
            this.text += letter;
        }
        this.drawn ||= requestAnimationFrame(() => {
            this.drawn = 0;
            this.text = this.text.slice(-40000);
            this.screen.textContent = this.text;
            this.screen.scrollTop = this.screen.scrollHeight;
        });
    }
}

const TRY = [
    ["One program, two rings", "/bin/ring; /trusted/ring\r"],
    ["A busy program in ring 0, and ^C", "/trusted/yes > /dev/null\r"],
    ["What there is", "ls /bin /trusted\r"],
];

function shell() {
    const terminal = new Terminal();
    view.append(make("h2", {}, "A shell"),
        make("p", {}, "The path of a program decides its ring: programs in /trusted run in ring 0. Type, paste, or " +
            "choose a line. ^C ends what runs."),
        make("p", { class: "tries" }, ...TRY.map(([text, line]) => button(text, () => terminal.send(line)))),
        terminal.element);
    terminal.keys.focus({ preventScroll: true });
    return boot("suite=init platform=v86 then=stop", { waits: true }, {
        text: (letter) => terminal.write(letter),
        ended() {
            view.append(make("p", {}, "The machine has ended."), button("Start another one", () => choose()));
            stop();
        },
    });
}

const CHOICES = { toll, shell };

async function choose() {
    const name = location.hash.slice(1);
    turn++;
    stop();
    view.replaceChildren();
    delete view.dataset.done;
    for (const link of document.querySelectorAll("nav a")) {
        const here = link.hash === location.hash;
        here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    if (!Object.hasOwn(CHOICES, name)) {
        return;
    }
    const wrong = lacking();
    if (wrong) {
        view.append(make("p", { class: "failed", role: "alert" }, wrong));
        return;
    }
    try {
        await CHOICES[name]();
        view.scrollIntoView({ block: "start" });
    } catch (error) {
        fail(error);
    }
}

window.addEventListener("error", (event) => machine && fail(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => machine && fail(event.reason));
window.addEventListener("hashchange", choose);
choose();
