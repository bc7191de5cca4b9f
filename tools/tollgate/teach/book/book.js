// book.js - forward and back by key, and the slider; the page works without it
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const LINE = 20; // px, height of a word, as in stack.py
const LETTER = 7; // px, of a note

function filled(made, attributes, inside) {
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    made.append(...inside);
    return made;
}

function make(name, attributes, ...inside) {
    return filled(document.createElement(name), attributes, inside);
}

function draw(name, attributes, ...inside) {
    return filled(document.createElementNS(SVG, name), attributes, inside);
}

// Every stop in full, from the differences between stops.
function replay(data) {
    let registers = {};
    let words = new Map();
    return data.stops.map((stop) => {
        const changed = new Set();
        const was = registers;
        registers = { ...registers, ...Object.fromEntries(stop.d) };
        words = new Map(words);
        for (const at of stop.r) {
            words.delete(at);
        }
        for (const [at, name, value, kind, note] of stop.w) {
            words.set(at, { at, name, value, kind, note });
            changed.add(at);
        }
        const sorted = [...words.values()].sort((a, b) => (BigInt(a.at) < BigInt(b.at) ? 1 : -1));
        return { ...stop, registers, was, words: sorted, changed };
    });
}

function stackOf(state, ran) {
    const height = (state.words.length + 2) * LINE;
    const said = [...state.words].reverse().slice(0, 12).map((word) => `${word.name} ${word.value}`).join(", ");
    const made = draw("svg", {
        class: "stack", role: "img", viewBox: `0 0 420 ${height}`, width: 420, height,
        "aria-label": `The stack, ${state.o}; from the stack pointer up: ${said || "nothing"}.`,
    });
    made.append(draw("text", { class: "a", x: 12, y: 14 }, "higher addresses"));
    state.words.forEach((word, place) => {
        const top = (place + 1) * LINE;
        const mark = ran && state.changed.has(word.at) && !word.many ? " n" : "";
        made.append(draw("path", { class: word.kind + mark, d: `M2 ${top}h416v20h-416z` }));
        made.append(draw("text", { x: 12, y: top + 14 }, word.name));
        if (word.value) {
            made.append(draw("text", { class: "v", x: 140, y: top + 14 }, word.value));
        }
        const after = 148 + 8 * word.value.length;
        const room = Math.floor((414 - after) / LETTER);
        if (word.note && room >= 6) {
            const short = word.note.length <= room ? word.note : `${word.note.slice(0, room - 1)}…`;
            made.append(draw("text", { class: "a", x: after, y: top + 14 }, short));
        }
    });
    const end = (state.words.length + 1) * LINE;
    made.append(draw("path", { class: "e", d: `M2 ${end + 1}h416` }));
    made.append(draw("text", { class: "sp", x: 12, y: end + 16 }, "stack pointer"));
    return made;
}

function registersOf(state, names, ran) {
    const made = make("dl", { "aria-label": "Registers" });
    for (const [name, value] of Object.entries(state.registers)) {
        const changed = ran && state.was[name] !== value;
        const title = changed ? { class: "new", title: `before: ${state.was[name]}` } : {};
        made.append(make("div", title, make("dt", {}, names[name]), make("dd", {}, value)));
    }
    return made;
}

// What an instruction changed, except the instruction pointer, which always changes.
function changesOf(state, names) {
    return Object.entries(state.registers)
        .filter(([name, value]) => name !== "ip" && name in state.was && state.was[name] !== value)
        .map(([name, value]) => `${names[name]} ${state.was[name]} → ${value}`).join("; ");
}

function sourceOf(data, number) {
    if (number < 0) {
        return [];
    }
    const [file, line, first, text, macro] = data.sources[number];
    const pre = make("pre", { class: "source", tabindex: 0 });
    text.forEach((one, place) => {
        const mark = make(first + place === line ? "mark" : "span", {},
            make("i", {}, String(first + place)), one.replaceAll("\t", "        "));
        pre.append(mark, place + 1 < text.length ? "\n" : "");
    });
    const at = make("small", {}, make("code", {}, `${file}:${line}`), macro ? ` in ${macro}` : "");
    return [make("p", { class: "next" }, at), pre];
}

function slider(place) {
    const data = JSON.parse(place.parentElement.querySelector(".stops").textContent);
    const states = replay(data);
    const last = states.length - 1;
    const counts = [];
    let count = 0;
    for (const state of states) {
        count += "x" in state ? 1 : 0;
        counts.push(count);
    }
    const range = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Instruction" });
    const back = make("button", { type: "button", "aria-label": "One instruction back" }, "‹");
    const on = make("button", { type: "button", "aria-label": "One instruction forward" }, "›");
    const now = make("p", { class: "where", "aria-live": "polite" });
    const left = make("div", {});
    const registers = make("div", {});
    const right = make("figure", { class: "stack" });
    const most = Math.max(...states.map((state) => state.words.length));
    right.style.minHeight = `${(most + 4) * LINE}px`;
    place.append(make("div", { class: "controls" }, back, range, on), now,
        make("div", { class: "did" }, left, right, registers));
    const lines = [...place.parentElement.querySelectorAll("tr[data-s]")];
    lines.forEach((line) => line.removeAttribute("id")); // otherwise the browser would scroll there
    const cells = [...place.parentElement.querySelectorAll(".strip path")];

    function show(number) {
        const at = Math.min(Math.max(number, 0), last);
        const state = states[at];
        const ran = "x" in state;
        const cpl = parseInt(state.registers.cs, 16) & 3;
        range.value = at;
        range.setAttribute("aria-valuetext", `${counts[at]} of ${count}, CPL ${cpl}, next ${state.t}`);
        back.disabled = at === 0;
        on.disabled = at === last;
        now.replaceChildren(make("b", {}, `${counts[at]} of ${count}`), " ",
            make("span", { class: `cpl c${cpl}` }, `CPL\u00a0${cpl}`), " ",
            make("code", {}, state.y), state.l ? `, ${state.l}` : "");
        const changes = ran ? changesOf(state, data.names) : "";
        const done = ran ? ["Executed ", make("code", {}, state.x), changes ? `: ${changes}` : ""]
            : ["Nothing has been executed yet."];
        left.replaceChildren(make("p", { class: "change" }, ...done),
            make("p", { class: "next" }, "Next ", make("code", {}, state.t)), ...sourceOf(data, state.s));
        registers.replaceChildren(registersOf(state, data.names, ran));
        right.replaceChildren(make("figcaption", {}, `The stack: ${state.o}`), stackOf(state, ran));
        lines.forEach((line) => line.classList.toggle("now", Number(line.dataset.s) === at));
        cells.forEach((cell, n) => cell.classList.toggle("now", n === counts[at] - 1 && ran));
        place.dataset.at = at;
        if (at > 0) {
            history.replaceState(null, "", `#i${counts[at]}`);
        }
    }

    range.addEventListener("input", () => show(Number(range.value)));
    back.addEventListener("click", () => show(Number(range.value) - 1));
    on.addEventListener("click", () => show(Number(range.value) + 1));
    lines.forEach((line) => line.addEventListener("click", () => show(Number(line.dataset.s))));
    place.hidden = false;
    show(0);
    return {
        element: place.parentElement,
        // The state after the n-th instruction; false if there are fewer.
        address(number) {
            const at = states.findIndex((state, n) => counts[n] === number && "x" in state);
            if (at >= 0) {
                show(at);
            }
            return at >= 0;
        },
        move(by) {
            const to = Number(range.value) + by;
            if (to < 0 || to > last) {
                return false;
            }
            show(to);
            return true;
        },
    };
}

function walk() {
    const parts = [...document.querySelectorAll("main > section")];
    if (!document.querySelector("details")) {
        return;
    }
    const places = [...document.querySelectorAll(".slider")].map(slider);
    function addressed() {
        const asked = /^#i(\d+)$/.exec(location.hash);
        const place = asked && places.find((each) => each.address(Number(asked[1])));
        place?.element.querySelector(".slider").scrollIntoView(); // .controls sticks to the screen
    }
    window.addEventListener("hashchange", addressed);
    addressed();
    const slides = document.querySelector("main.slides"); // a clicker sends these two keys
    const label = make("span", { "aria-live": "polite" });
    const back = make("button", { type: "button" }, "← Back");
    const on = make("button", { type: "button" }, "Forward →");
    document.body.append(make("nav", { class: "bottom", "aria-label": "Back and forward" },
        back, label, on));
    let current = null;

    function here() {
        if (current === null) {
            current = parts.findLastIndex((part) => part.getBoundingClientRect().top < 120);
        }
        return current;
    }

    function go(to) {
        current = Math.min(Math.max(to, -1), parts.length - 1);
        const part = parts[current];
        parts.forEach((each) => each.classList.toggle("now-step", each === part));
        if (part) {
            part.scrollIntoView();
        } else {
            window.scrollTo(0, 0);
        }
        tell();
    }

    function tell() {
        const part = parts[here()];
        const title = part ? part.querySelector("h2").lastChild.textContent : "";
        label.textContent = part ? `${here() + 1} of ${parts.length}` : `${parts.length} parts`;
        label.title = title;
    }

    function sliderHere() {
        return places.find((place) => place.element === parts[here()]);
    }

    function forward() {
        const answer = parts[here()]?.querySelector(":scope > details.ask");
        if (answer && !answer.open) {
            answer.open = true;
        } else if (slides && parts[here()]?.getBoundingClientRect().bottom > 1.1 * innerHeight) {
            window.scrollBy(0, 0.8 * innerHeight); // the slide is longer than the screen
        } else if (!sliderHere()?.move(1)) {
            go(here() + 1);
        }
    }

    function backward() {
        const answer = parts[here()]?.querySelector(":scope > details.ask");
        if (answer && answer.open) {
            answer.open = false;
        } else if (!sliderHere()?.move(-1)) {
            go(here() - 1);
        }
    }

    back.addEventListener("click", backward);
    on.addEventListener("click", forward);
    for (const kind of ["wheel", "touchmove"]) {
        window.addEventListener(kind, () => { current = null; }, { passive: true });
    }
    document.addEventListener("keydown", (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input")) {
            return;
        }
        if (event.key === "ArrowRight" || (slides && event.key === "PageDown")) {
            forward();
            event.preventDefault();
        } else if (event.key === "ArrowLeft" || (slides && event.key === "PageUp")) {
            backward();
            event.preventDefault();
        }
    });

    const answers = [...document.querySelectorAll("details.ask")];
    const all = make("button", { type: "button" }, "Open all answers");
    all.addEventListener("click", () => {
        const open = answers.some((answer) => !answer.open);
        answers.forEach((answer) => { answer.open = open; });
        all.textContent = open ? "Close all answers" : "Open all answers";
    });
    document.querySelector("h1").after(make("p", { class: "all" }, all));
    tell();
}

walk();
