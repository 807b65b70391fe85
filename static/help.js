// Words of the glossary open by hover and by focus, beside their word.
// Taps, Enter and Escape are the browser's own; each word works without this file.
(() => {
  const OPEN_MS = 150;
  const CLOSE_MS = 250; // long enough to move the pointer onto the note
  let timer = 0;
  let openedAt = 0;

  const noteOf = (word) => document.getElementById(word.getAttribute("popovertarget"));
  const wordOf = (node) => node.closest?.("[data-term]");
  const later = (act, wait) => {
    clearTimeout(timer);
    timer = setTimeout(act, wait);
  };

  function show(word) {
    const note = noteOf(word);
    clearTimeout(timer);
    if (!note || !word.isConnected || note.matches(":popover-open")) return;
    note.classList.add("is-placed");
    note.showPopover();
    openedAt = performance.now();
    place(word.getBoundingClientRect(), note);
  }

  function place(at, note) {
    const size = note.getBoundingClientRect();
    const left = Math.min(at.left, window.innerWidth - size.width - 8);
    const below = at.bottom + 6;
    const fits = below + size.height + 8 <= window.innerHeight;
    note.style.left = `${Math.max(8, left)}px`;
    note.style.top = `${fits ? below : Math.max(8, at.top - size.height - 6)}px`;
  }

  const openNote = () => document.querySelector(".term-note:popover-open");
  const close = () => openNote()?.hidePopover();

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const word = wordOf(event.target);
    if (word) later(() => show(word), OPEN_MS);
    else if (event.target.closest?.(".term-note")) clearTimeout(timer);
    else if (!openNote()) clearTimeout(timer);
    else if (!wordOf(document.activeElement)) later(close, CLOSE_MS);
  });
  document.addEventListener("focusin", (event) => {
    const word = wordOf(event.target);
    if (word && word.matches(":focus-visible")) show(word);
  });
  document.addEventListener("focusout", (event) => {
    if (wordOf(event.target)) close();
  });
  // A click on what hover or focus has just opened must not close it again.
  document.addEventListener("click", (event) => {
    const word = wordOf(event.target);
    if (!word) return;
    event.preventDefault();
    if (!noteOf(word).matches(":popover-open")) show(word);
    else if (performance.now() - openedAt > 600) close();
  });
  // Focus may scroll the page: the note goes along with its word.
  function follow() {
    const note = openNote();
    const word = note && document.querySelector(`[popovertarget="${note.id}"]`);
    if (word) place(word.getBoundingClientRect(), note);
  }
  document.addEventListener("scroll", follow, { capture: true, passive: true });
})();
