// A part that is fetched anew takes what had the focus with it: then the same control
// of the new part gets it, or the heading of the section that the control stood in.
(() => {
  const STOPS = "a, button, summary, input, select, textarea, [tabindex]";
  // A request may disable the button that sent it, which loses the focus at once.
  const senders = new WeakMap();
  let lost = null;

  const isFree = () => document.activeElement === document.body || !document.activeElement;
  const nameOf = (stop) =>
    stop.id || stop.getAttribute("href") || stop.getAttribute("popovertarget") ||
    stop.getAttribute("aria-label") || stop.textContent.trim();
  const namesakes = (part, name) => [...part.querySelectorAll(STOPS)].filter((stop) => nameOf(stop) === name);

  function restore() {
    if (!lost || !isFree()) return;
    const part = lost.part.isConnected ? lost.part : document.getElementById(lost.part.id);
    if (!part) return;
    const title = document.getElementById(lost.title);
    if (title) title.tabIndex = -1;
    const found = namesakes(part, lost.name)[lost.index] ?? title ?? part.querySelector('h2[tabindex="-1"]');
    found?.focus({ preventScroll: true });
  }

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!isFree() && event.detail.elt.contains(document.activeElement)) {
      senders.set(event.detail.xhr, document.activeElement);
    }
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { shouldSwap, target, xhr } = event.detail;
    const stop = isFree() ? senders.get(xhr) : document.activeElement;
    if (!shouldSwap || !stop || !target.contains(stop)) return;
    const name = nameOf(stop);
    const title = stop.closest("[aria-labelledby]")?.getAttribute("aria-labelledby");
    lost = { part: target, name, title, index: namesakes(target, name).indexOf(stop) };
  });
  document.addEventListener("htmx:afterSwap", restore);
  document.addEventListener("htmx:afterRequest", (event) => {
    const sender = senders.get(event.detail.xhr);
    if (isFree() && sender?.isConnected && sender.matches("button")) sender.focus({ preventScroll: true });
  });
  // Until then: a control may come back later, as when a worker has done what it was told.
  document.addEventListener("focusin", () => {
    lost = null;
  });
})();
