// course.js - predictions are typed, judged and stored in this browser; addresses
"use strict";

(() => {
    const NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen "
        + "fourteen fifteen sixteen").split(" ");
    const KEPT = "tollgate:";

    function make(name, attributes, ...inside) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) {
            made.setAttribute(key, value);
        }
        made.append(...inside);
        return made;
    }

    // 51, 0x33, 33h or three, as a BigInt; null if it is not a number.
    function number(text) {
        const typed = text.trim().toLowerCase();
        if (NUMBERS.includes(typed)) {
            return BigInt(NUMBERS.indexOf(typed));
        }
        const hex = /^([0-9][0-9a-f]*)h$/.exec(typed);
        const plain = hex ? `0x${hex[1]}` : typed;
        return /^(0x[0-9a-f]+|[0-9]+)$/.test(plain) ? BigInt(plain) : null;
    }

    function kept(page) {
        try {
            return JSON.parse(localStorage.getItem(KEPT + page)) || {};
        } catch {
            return {};
        }
    }

    function keep(page, all) {
        try {
            localStorage.setItem(KEPT + page, JSON.stringify(all));
        } catch {
            // This browser stores nothing: the page also works without storage.
        }
    }

    // Tries: typed answers, at most two; right: whether the last one was.
    function question(section, page, all, counted) {
        const { step, answer } = section.dataset;
        const choices = section.dataset.choices ? section.dataset.choices.split("|") : [];
        const details = section.querySelector("details.ask");
        const question = section.querySelector(".question");
        const asked = question.textContent.replace(/^Predict:\s*/, "");
        const said = make("p", { class: "verdict", role: "status" });
        const form = make("form", { class: "predict" });
        const most = choices.length === 2 ? 1 : 2;
        const box = choices.length ? null : make("input", {
            type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            "aria-label": `Your prediction: ${asked}`, placeholder: "51, 0x33 or twelve", enterkeyhint: "go",
        });
        if (box) {
            form.append(box, make("button", {}, "Predict"));
        } else {
            form.setAttribute("aria-label", `Your prediction, step ${step}: ${asked}`);
            choices.forEach((choice) => form.append(make("button", { value: choice }, choice)));
        }
        question.after(form, said);

        function isRight(typed) {
            return choices.length ? typed === answer : number(typed) === number(answer);
        }

        function show(open) {
            const { tries = [] } = all[step] || {};
            if (!tries.length) {
                return;
            }
            const last = tries[tries.length - 1];
            const right = isRight(last);
            const over = right || tries.length >= most;
            const more = choices.length ? "" : number(answer) > number(last) ? " It is more." : " It is less.";
            said.textContent = right ? `${last}: right${tries.length > 1 ? ", at the second try" : ""}.`
                : over ? `You said ${last}; it is ${answer}.` : `${last} is not it.${more} You have a second try.`;
            said.classList.toggle("right", right);
            if (over) {
                form.querySelectorAll("input, button").forEach((each) => { each.disabled = true; });
                details.open = details.open || open;
            }
        }

        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const typed = box ? box.value.trim() : event.submitter.value;
            if (box && number(typed) === null) {
                said.textContent = "The answer is a number, such as 51, 0x33, 33h or twelve.";
                return;
            }
            const tries = [...(all[step]?.tries || []), typed];
            all[step] = { tries, right: isRight(typed) };
            keep(page, all);
            show(true);
            counted();
            if (box) {
                box.select();
            }
        });
        show(false);
    }

    function questions() {
        const sections = [...document.querySelectorAll("section[data-answer]")];
        if (!sections.length) {
            return;
        }
        const page = location.pathname.split("/").pop();
        const all = kept(page);
        const count = make("p", { class: "count", "aria-live": "polite" });
        const forget = make("button", { type: "button" }, "Forget my predictions");

        function counted() {
            const done = Object.values(all);
            const right = done.filter((each) => each.right && each.tries.length === 1).length;
            const second = done.filter((each) => each.right && each.tries.length > 1).length;
            const more = second ? `, ${second} at the second try` : "";
            count.firstChild.textContent = done.length
                ? `${done.length} of ${sections.length} predicted, ${right} right${more}. `
                : `${sections.length} predictions to make. `;
            forget.hidden = !done.length;
        }
        count.append("", forget);
        forget.addEventListener("click", () => {
            keep(page, {});
            location.reload();
        });
        document.querySelector("h1").after(count);
        sections.forEach((section) => question(section, page, all, counted));
        counted();
    }

    // What was predicted on the pages of the lessons in the first page's list.
    function progress() {
        for (const link of document.querySelectorAll(".lessons a")) {
            const done = Object.values(kept(link.getAttribute("href")));
            if (done.length) {
                const right = done.filter((each) => each.right).length;
                const kernel = link.getAttribute("href").replace(/^.*-|\.html$/g, "");
                link.closest("li").lastChild.append(` · ${kernel}: ${done.length} predicted, ${right} right`);
            }
        }
    }

    // #int, #int-step-3 and #int-i12 on the first page lead to these places.
    function lead() {
        const asked = /^#([a-z_]+)(?:-(i\d+|step-\d+))?$/.exec(location.hash);
        const pages = asked && [...document.querySelectorAll(".lessons a")]
            .map((link) => link.getAttribute("href")).filter((href) => href.startsWith(`${asked[1]}-`));
        if (pages?.length) {
            const page = pages.find((href) => href.includes("-amd64.")) || pages[0];
            location.replace(page + (asked[2] ? `#${asked[2]}` : ""));
        }
    }

    questions();
    progress();
    window.addEventListener("hashchange", lead);
    lead();
})();
