// Before the first paint, so that a dark page is never white for a moment.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("holdfast.theme");
  } catch (e) {
    // The browser keeps nothing for us; then the system decides.
  }
  var asked = new URLSearchParams(location.search).get("theme");
  var system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  var theme = asked || chosen || system;
  document.documentElement.dataset.theme = theme === "dark" ? "dark" : "light";
})();
