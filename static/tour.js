// The tour: a dialog that leaves the page usable and points at one element after
// another. It moves nothing on the page; that it was ended is kept by the server.
(() => {
  const tour = document.querySelector("[data-tour]");
  const form = tour.querySelector("form");
  const stops = [...tour.querySelectorAll("[data-stop]")];
  const [back, next] = tour.querySelectorAll("[data-move]");
  const done = tour.querySelector("[data-done]");
  let at = 0;

  const isSeen = (element) => element?.checkVisibility();

  function findTarget() {
    const found = document.querySelector(stops[at].dataset.stop);
    if (isSeen(found)) return found.closest(".card, .call") ?? found;
    // It lies in a closed menu: the person's own, or the bar's on small screens.
    const summary = found?.closest("details")?.querySelector("summary");
    const menu = document.querySelector("[data-nav-toggle]");
    return [summary, menu].find(isSeen) ?? null;
  }

  function point() {
    const target = findTarget();
    for (const old of document.querySelectorAll(".tour-target")) {
      if (old !== target) old.classList.remove("tour-target");
    }
    target?.classList.add("tour-target");
    return target;
  }

  function place() {
    if (!tour.open) return;
    const target = point();
    if (!target) return;
    const box = target.getBoundingClientRect();
    const size = tour.getBoundingClientRect();
    const below = box.bottom + 12;
    const above = box.top - size.height - 12;
    const lowest = window.innerHeight - size.height - 8;
    const top = below <= lowest ? below : above >= 8 ? above : lowest;
    const left = Math.min(box.left, document.documentElement.clientWidth - size.width - 8);
    tour.style.top = `${Math.max(8, top)}px`;
    tour.style.left = `${Math.max(8, left)}px`;
    makeRoom(document.activeElement);
  }

  // Never over what has the focus: then at the other end of the window.
  function makeRoom(element) {
    if (!tour.open || tour.contains(element) || element === document.body) return;
    const box = element.getBoundingClientRect();
    const own = tour.getBoundingClientRect();
    const isBeside = box.right < own.left || box.left > own.right;
    if (isBeside || box.bottom < own.top || box.top > own.bottom) return;
    const isLow = box.top + box.bottom > window.innerHeight;
    const top = isLow ? 8 : window.innerHeight - own.height - 8;
    tour.style.top = `${top}px`;
  }

  function show(number) {
    const held = tour.contains(document.activeElement);
    at = number;
    stops.forEach((stop, i) => { stop.hidden = i !== at; });
    const isLast = at === stops.length - 1;
    back.disabled = at === 0;
    next.hidden = isLast;
    done.hidden = !isLast;
    if (held) (isLast ? done : next).focus();
    point()?.scrollIntoView({ block: "nearest" });
    place();
  }

  function end() {
    for (const old of document.querySelectorAll(".tour-target")) {
      old.classList.remove("tour-target");
    }
    tour.close();
  }

  tour.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) show(at + Number(button.dataset.move));
  });
  form.addEventListener("submit", end);
  document.addEventListener("keydown", (event) => {
    if (!tour.open || event.defaultPrevented) return;
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
    if (event.key === "Escape") form.requestSubmit();
    else if (tour.contains(event.target) && way && stops[at + way]) show(at + way);
  });
  document.addEventListener("focusin", (event) => makeRoom(event.target));
  window.addEventListener("resize", place);
  document.addEventListener("scroll", place, { capture: true, passive: true });
  document.addEventListener("htmx:afterSwap", place);

  tour.show();
  show(0);
})();
