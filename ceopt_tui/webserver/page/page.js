"use strict";
// The terminal measures its cells as it opens, so its font has to be there by then.
const openTerminal = window.onload;
window.onload = async (event) => {
  await Promise.allSettled(["", "bold ", "italic "].map((style) => document.fonts.load(`${style}16px "Roboto Mono"`)));
  openTerminal(event);
  document.querySelector(".xterm-helper-textarea").focus();
  document.querySelector("#again").addEventListener("click", () => window.location.reload());
};
