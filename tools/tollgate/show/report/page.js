"use strict";
// Only this needs scripts: folds open when a link leads into them (browsers open
// most of them by themselves).

const all = (what, from = document) => [...from.querySelectorAll(what)];

// Opens the element that an address names.
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
  if (event.target.closest?.("a[href^='#']")) setTimeout(reveal); // the same address again
});
