"use strict";
const openTerminal = window.onload;
const key = window.localStorage.getItem("ceopt-key");

// The terminal opens the connection; the key goes with it as a protocol, since addresses end up in logs.
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address, ["ceopt", key]);
  }
};

window.onload = async (event) => {
  document.querySelector("#again").addEventListener("click", () => window.location.reload());
  if (key === null) {
    document.body.classList.add("-locked");
    return;
  }
  // The terminal measures its cells as it opens, so its font has to be there by then.
  await Promise.allSettled(["", "bold ", "italic "].map((style) => document.fonts.load(`${style}16px "Roboto Mono"`)));
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
