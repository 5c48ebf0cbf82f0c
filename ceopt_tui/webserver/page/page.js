"use strict";
const openTerminal = window.onload;

window.onload = async (event) => {
  // The terminal measures its cells as it opens, so its font has to be there by then.
  await Promise.allSettled(["", "bold ", "italic "].map((style) => document.fonts.load(`${style}16px "Roboto Mono"`)));
  document.querySelector("#again").addEventListener("click", () => window.location.reload());
  // The terminal says at once that it has the keyboard, so it may have it only once the app can be told.
  const connected = new MutationObserver(() => {
    if (document.body.classList.contains("-loaded")) {
      connected.disconnect();
      document.querySelector(".xterm-helper-textarea").focus();
    }
  });
  connected.observe(document.body, { attributeFilter: ["class"] });
  openTerminal(event);
};
