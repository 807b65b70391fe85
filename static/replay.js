// The replay: one step at a time, by keyboard, scrubber, list, strip or address.
// Without it all steps stand one below the other, and the addresses still work.
(() => {
  const root = document.querySelector("[data-replay]");
  if (!root) return;
  const steps = [...root.querySelectorAll("[data-step]")];
  const scrubber = root.querySelector("[data-scrubber]");
  const position = root.querySelector("[data-position]");
  const playButton = root.querySelector("[data-play]");
  const width = Number(root.dataset.width);
  let current = 0;
  let timer = 0;
  let shown = localStorage.getItem("replay-shown") || "before";

  root.classList.add("is-stepping");

  // A recorded page keeps the size it had for the agent and is scaled to fit.
  const fit = new ResizeObserver((entries) => {
    for (const entry of entries) {
      entry.target.style.setProperty("--scale", entry.contentRect.width / width);
    }
  });
  for (const frame of root.querySelectorAll("[data-frame]")) fit.observe(frame);

  // Scrolls the list alone: scrollIntoView would move the whole page.
  function reveal(link) {
    const list = link.closest(".step-list");
    const top = link.offsetTop - list.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    const bottom = top + link.offsetHeight - list.clientHeight;
    if (bottom > list.scrollTop) list.scrollTop = bottom;
  }

  function go(number, { remember = true } = {}) {
    const next = Math.min(Math.max(number, 1), steps.length);
    if (next === current) return;
    current = next;
    steps.forEach((step, i) => step.classList.toggle("is-current", i + 1 === current));
    for (const link of root.querySelectorAll(".step-list a")) {
      const isHere = Number(link.dataset.go) === current;
      if (isHere) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
      if (isHere) reveal(link);
    }
    for (const bar of root.querySelectorAll("[data-bar]")) {
      bar.classList.toggle("is-current", Number(bar.dataset.bar) === current);
    }
    scrubber.value = current;
    scrubber.setAttribute("aria-valuetext", `Step ${current} of ${steps.length}`);
    position.textContent = `${current} / ${steps.length}`;
    if (remember) history.replaceState(null, "", `#step-${current}`);
  }

  function show(side) {
    shown = side;
    localStorage.setItem("replay-shown", side);
    root.dataset.shown = side;
    for (const button of root.querySelectorAll("[data-show]")) {
      button.setAttribute("aria-pressed", String(button.dataset.show === side));
    }
  }

  function play(isOn) {
    clearInterval(timer);
    timer = 0;
    playButton.setAttribute("aria-pressed", String(isOn));
    if (!isOn) return;
    if (current === steps.length) go(1);
    timer = setInterval(() => {
      if (current === steps.length) play(false);
      else go(current + 1);
    }, 1500);
  }

  function fromAddress() {
    const match = /^#step-(\d+)$/.exec(location.hash);
    go(match ? Number(match[1]) : 1, { remember: false });
  }

  root.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    const mover = event.target.closest("[data-move]");
    const side = event.target.closest("[data-show]");
    if (link) {
      event.preventDefault();
      go(Number(link.dataset.go));
    } else if (mover) go(current + Number(mover.dataset.move));
    else if (side) show(side.dataset.show);
    else if (event.target.closest("[data-play]")) play(!timer);
  });
  scrubber.addEventListener("input", () => go(Number(scrubber.value)));
  window.addEventListener("hashchange", fromAddress);

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const scrolls = target.matches("pre");
    if (event.key === "ArrowRight" || event.key === "l") go(current + 1);
    else if (event.key === "ArrowLeft" || event.key === "h") go(current - 1);
    else if (event.key === "Home" && !scrolls) go(1);
    else if (event.key === "End" && !scrolls) go(steps.length);
    else if (event.key === "b") show(shown === "before" ? "after" : "before");
    else if (event.key === " " && !target.matches("button, a, summary, pre")) play(!timer);
    else if (event.key === "[") document.querySelector('[data-episode="before"]')?.click();
    else if (event.key === "]") document.querySelector('[data-episode="after"]')?.click();
    else return;
    event.preventDefault();
  });

  show(shown);
  fromAddress();
})();
