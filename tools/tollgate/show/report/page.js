"use strict";
// Without scripts all is there but this: tables that are sorted, rows that are found, folds that
// open when a link leads into them (browsers open most of them by themselves).

const all = (what, from = document) => [...from.querySelectorAll(what)];
const bar = document.querySelector("nav.bar");

// The head of a column becomes a button that sorts.
for (const table of all("table")) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 3) continue;
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const figure = text.replace(/[,\u2009]/g, "").replace("\u2212", "-");
    return /^-?\d/.test(figure) ? parseFloat(figure) : text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
    return typeof a === "number" ? -1 : 1;
  };
  heads.forEach((head, column) => {
    const words = head.textContent;
    if (!words) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows];
      rows.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    });
  });
}

// An address opens what it names.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  document.querySelector(".menu[open]")?.removeAttribute("open");
  let closed = false;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    closed ||= !fold.open;
    fold.open = true;
  }
  if (closed) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("DOMContentLoaded", reveal);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")) setTimeout(reveal); // the same address once more
});

// A box that leaves only the rows with all of its words; the words of a table's caption count.
const folds = all("details.chapter");
const lines = all("tbody tr, .inner details:not(:has(table, details))").map((line) => {
  const caption = line.closest("table")?.caption;
  return { line, words: `${caption?.textContent ?? ""} ${line.textContent}`.toLowerCase() };
});
if (bar && lines.length > 2) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  const said = document.createElement("output");
  box.type = "search";
  box.placeholder = "such as: syscall standard";
  label.append("Find rows ", box);
  bar.append(label, said);
  let before = null;
  const find = () => {
    const asked = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const finding = asked.length > 0;
    if (finding && !before) before = all("details").map((fold) => [fold, fold.open]);
    document.body.classList.toggle("finding", finding);
    let found = 0;
    for (const { line, words } of lines) {
      const there = asked.every((word) => words.includes(word));
      line.classList.toggle("gone", !there);
      found += there;
    }
    for (const table of all("table")) {
      const empty = !table.tBodies[0]?.querySelector("tr:not(.gone)");
      table.parentElement.classList.toggle("gone", finding && empty);
    }
    for (const fold of folds) {
      const some = fold.querySelector("tbody tr:not(.gone), .inner details:not(.gone):not(:has(table))");
      fold.classList.toggle("gone", finding && !some);
      if (!finding) continue;
      fold.open = Boolean(some);
      all(".inner details:has(table)", fold).forEach((inner) => (inner.open = true));
    }
    if (!finding && before) {
      for (const [fold, open] of before) fold.open = open;
      before = null;
    }
    said.textContent = finding ? `${found} of ${lines.length} rows` : "";
  };
  box.addEventListener("input", find);
}

// What a chapter of the paper has folded is open on it.
addEventListener("beforeprint", () => {
  for (const fold of all("details.paper:not([open])")) {
    fold.open = true;
    fold.dataset.printed = "";
  }
});
addEventListener("afterprint", () => {
  for (const fold of all("details[data-printed]")) {
    fold.open = false;
    delete fold.dataset.printed;
  }
});
