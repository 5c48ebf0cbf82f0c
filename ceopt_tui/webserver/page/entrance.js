"use strict";
// Other servers of this host see the cookie, but not what the page keeps: that is for this port alone.
window.localStorage.setItem("ceopt-key", document.documentElement.dataset.key);
window.location.replace("/");
