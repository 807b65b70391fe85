// The replay: one step at a time, by keyboard, scrubber, film or address. Each step
// has an address; its part of the page is fetched once, and the next two ahead.
// Without this script the film's links lead from step to step.
(() => {
  const root = document.querySelector("[data-replay]");
  if (!root) return;
  const STEP_MS = 1500;
  // A side that is not shown is loaded once its step has been looked at for so long.
  const LINGER_MS = 300;
  // The first page has the server and the browser to itself for so long at most.
  const ALONE_MS = 300;
  const panels = root.querySelector("[data-panels]");
  const scrubber = root.querySelector("[data-scrubber]");
  const position = root.querySelector("[data-position]");
  const speed = root.querySelector("[data-speed]");
  const TABS = [...panels.querySelectorAll("[data-tab]")].map((tab) => tab.dataset.tab);
  const width = Number(root.dataset.width);
  const loading = new Map();
  let current = 0;
  let timer = 0;
  let linger = 0;
  let isPlaying = false;
  let isOpen = false;

  const store = {
    // A bundle that is opened from a disk may have no storage.
    get(name) {
      try { return localStorage.getItem(name); } catch { return null; }
    },
    set(name, value) {
      try { localStorage.setItem(name, value); } catch { /* it is a comfort only */ }
    },
  };

  // Without its strips the film leaves the window to the page; kept for every replay.
  function foldStrips(isFolded) {
    root.toggleAttribute("data-without-strips", isFolded);
    root.querySelector("[data-strips]")?.setAttribute("aria-pressed", String(!isFolded));
    store.set("replay-strips", isFolded ? "folded" : "shown");
  }
  if (store.get("replay-strips") === "folded") foldStrips(true);

  const count = () => root.querySelectorAll("a[data-go]").length;
  const linkOf = (number) => root.querySelector(`a[data-go="${number}"]`);
  const panelOf = (number) => panels.querySelector(`:scope > [data-step="${number}"]`);
  const shownPanel = () => panels.querySelector(":scope > .is-current");

  // ----- the parts -----
  // A recorded page keeps the size it had for the agent and is scaled to fit.
  const fit = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (contentRect.width) target.style.setProperty("--scale", contentRect.width / width);
    }
  });

  // Pages wait until they are seen, unless it is known that they will be.
  function loadSoon(panel, isAll) {
    const shown = root.dataset.shown;
    for (const lazy of panel.querySelectorAll('[loading="lazy"]')) {
      const side = lazy.closest("[data-side]")?.dataset.side;
      if (isAll || shown === "both" || !side || side === shown) lazy.loading = "eager";
    }
  }

  function prepare(panel) {
    loadSoon(panel, false);
    for (const frame of panel.querySelectorAll("[data-frame]")) fit.observe(frame);
    for (const tab of panel.querySelectorAll("[role=tab]")) {
      const isChosen = tab.dataset.tab === root.dataset.tab;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    for (const button of panel.querySelectorAll("[data-show]")) {
      button.setAttribute("aria-pressed", String(button.dataset.show === root.dataset.shown));
    }
    for (const button of panel.querySelectorAll("[data-zoom]")) {
      button.setAttribute("aria-pressed", String("zoomed" in root.dataset));
    }
    for (const box of panel.querySelectorAll("[data-changes]")) {
      box.checked = "onlyChanges" in root.dataset;
    }
  }

  // In full size a page is larger than its frame, which then scrolls; on a telephone a
  // page that is scaled to fit cannot be read.
  function zoom(isOn) {
    root.toggleAttribute("data-zoomed", isOn);
    prepareAll();
    showTarget(panelOf(current));
  }

  function showTarget(panel) {
    if (!("zoomed" in root.dataset)) return;
    const target = panel?.querySelector(".target rect");
    const frame = target?.closest("[data-frame]");
    if (!frame) return;
    const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(target.getAttribute(name)));
    frame.scrollTo(x + w / 2 - frame.clientWidth / 2, y + h / 2 - frame.clientHeight / 2);
  }

  const prepareAll = () => panels.querySelectorAll(":scope > [data-step]").forEach(prepare);

  async function fetchPanel(number) {
    const link = linkOf(number);
    const answer = await fetch(link.href, { headers: { "HX-Request": "true" } });
    if (answer.status === 401) location.assign(link.href); // signed out meanwhile
    if (!answer.ok) throw new Error(interpolate(gettext("The server answered %(status)s"), answer));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const panel = document.adoptNode(page.querySelector("[data-step]"));
    prepare(panel);
    panelOf(number)?.remove();
    panels.append(panel);
    return panel;
  }

  function load(number) {
    const known = panelOf(number);
    if (known) return Promise.resolve(known);
    if (!loading.has(number)) {
      loading.set(number, fetchPanel(number).finally(() => loading.delete(number)));
    }
    return loading.get(number);
  }

  // ----- where we are -----
  function reveal(cell) {
    const film = cell.closest("[data-film]");
    const label = film.querySelector(".film-label").offsetWidth;
    const left = cell.offsetLeft - label;
    const right = cell.offsetLeft + cell.offsetWidth - film.clientWidth;
    if (left < film.scrollLeft) film.scrollLeft = left;
    else if (right > film.scrollLeft) film.scrollLeft = right;
  }

  function mark() {
    for (const cell of root.querySelectorAll("[data-col]")) {
      cell.classList.toggle("is-current", Number(cell.dataset.col) === current);
    }
    for (const link of root.querySelectorAll("a[data-go]")) {
      const isHere = Number(link.dataset.go) === current;
      if (isHere) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
      if (isHere) reveal(link.closest("[data-col]"));
    }
    scrubber.max = count();
    scrubber.value = current;
    scrubber.setAttribute("aria-valuetext", interpolate(gettext("Step %(number)s of %(count)s"), { number: current, count: count() }));
    position.textContent = `${current} / ${count()}`;
    const kept = document.querySelector('.verdict-form [name="step"]');
    if (kept) kept.value = current;
  }

  async function go(number, { remember = true } = {}) {
    const next = Math.min(Math.max(number, 1), count());
    if (next === current) return;
    const by = next < current ? -1 : 1;
    current = next;
    mark();
    if (remember) {
      const href = linkOf(current).getAttribute("href");
      history.replaceState(null, "", href.startsWith("#") ? href : href + location.search);
    }
    root.toggleAttribute("data-busy", !panelOf(current));
    try {
      await load(next);
    } catch (error) {
      if (next === current) fail(error);
      return;
    }
    if (next !== current) return;
    root.removeAttribute("data-busy");
    const hadFocus = shownPanel()?.contains(document.activeElement);
    for (const panel of panels.children) {
      panel.classList.toggle("is-current", Number(panel.dataset.step) === current);
    }
    // What is hidden cannot keep the focus.
    if (hadFocus) shownPanel()?.querySelector("[role=tab][aria-selected=true]")?.focus({ preventScroll: true });
    showTarget(panelOf(next));
    clearTimeout(linger);
    linger = setTimeout(() => panelOf(next) && loadSoon(panelOf(next), true), LINGER_MS);
    if (!isOpen) await whenSeen(panelOf(next));
    isOpen = true;
    // Who keeps a key down is shown a step while the server makes the one after next.
    for (const near of [current + by, current + 2 * by, current - by]) {
      if (linkOf(near)) load(near).catch(() => {});
    }
  }

  function whenSeen(panel) {
    const side = root.dataset.shown === "after" ? "after" : "before";
    const frame = panel.querySelector(`[data-side="${side}"] :is(iframe, img)`);
    return new Promise((resolve) => {
      if (!frame || frame.complete) resolve();
      else frame.addEventListener("load", resolve, { once: true });
      setTimeout(resolve, ALONE_MS);
    });
  }

  function fail(error) {
    root.removeAttribute("data-busy");
    play(false);
    const text = gettext("Step %(number)s could not be loaded: %(reason)s.");
    const said = interpolate(text, { number: current, reason: error.message });
    // Back at the step that is shown: whoever asks for the other one again gets it.
    current = Number(shownPanel()?.dataset.step ?? 0);
    mark();
    position.textContent = said;
  }

  // ----- what is shown -----
  function choose(name, value) {
    root.dataset[name] = value;
    store.set(`replay-${name}`, value);
    prepareAll();
  }

  const show = (side) => choose("shown", side);
  const openTab = (name) => choose("tab", name);

  function play(isOn) {
    clearTimeout(timer);
    isPlaying = isOn;
    const button = root.querySelector("[data-play]");
    button.setAttribute("aria-pressed", String(isOn));
    root.querySelector("[data-play-label]").textContent = isOn ? gettext("Pause") : gettext("Play");
    if (!isOn) return;
    if (current === count()) go(1);
    timer = setTimeout(tick, STEP_MS / Number(speed.value));
  }

  async function tick() {
    if (!isPlaying) return;
    if (current === count()) {
      play(false);
      return;
    }
    await go(current + 1);
    if (isPlaying) timer = setTimeout(tick, STEP_MS / Number(speed.value));
  }

  function changeSpeed(by) {
    const index = speed.selectedIndex + by;
    if (index < 0 || index >= speed.options.length) return;
    speed.selectedIndex = index;
    store.set("replay-speed", speed.value);
  }

  function fromAddress() {
    const match = /^#step-(\d+)$/.exec(location.hash);
    return go(match ? Number(match[1]) : Number(root.dataset.current), { remember: false });
  }

  // ----- events -----
  root.addEventListener("click", (event) => {
    const target = event.target;
    const column = target.closest("[data-go], td[data-col]");
    const mover = target.closest("[data-move]");
    const side = target.closest("[data-show]");
    const tab = target.closest("[role=tab]");
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (column && isPlain) {
      event.preventDefault();
      go(Number(column.dataset.go || column.dataset.col));
    } else if (mover) go(current + Number(mover.dataset.move));
    else if (side) show(side.dataset.show);
    else if (tab) openTab(tab.dataset.tab);
    else if (target.closest("[data-play]")) play(!isPlaying);
    else if (target.closest("[data-zoom]")) zoom(!("zoomed" in root.dataset));
    else if (target.closest("[data-numbers]")) {
      const isOn = root.toggleAttribute("data-with-numbers");
      target.closest("[data-numbers]").setAttribute("aria-pressed", String(isOn));
    } else if (target.closest("[data-strips]")) {
      foldStrips(!root.hasAttribute("data-without-strips"));
    }
  });
  document.querySelector("[data-jump]")?.addEventListener("click", (event) => {
    event.preventDefault();
    go(Number(event.target.dataset.jump));
  });
  root.addEventListener("change", (event) => {
    if (event.target.matches("[data-changes]")) {
      root.toggleAttribute("data-only-changes", event.target.checked);
      prepareAll();
    } else if (event.target === speed) store.set("replay-speed", speed.value);
  });
  scrubber.addEventListener("input", () => go(Number(scrubber.value)));
  window.addEventListener("hashchange", fromAddress);

  // A running episode has gone on: the film is new, and the page after what was the
  // last step is known by now. Who was at the end stays at the end.
  root.addEventListener("replay:news", (event) => {
    const last = event.detail.steps;
    const wasLast = current === last;
    const stale = panelOf(last);
    if (count() > last && stale) {
      if (wasLast) fetchPanel(last).then((panel) => {
        panel.classList.toggle("is-current", current === last);
      }).catch(() => {});
      else stale.remove();
    }
    mark();
    if (wasLast) go(count());
  });

  // ----- keys: they do nothing while a person types, in a dialog and with modifiers -----
  const areKeysOn = () => store.get("desk-keys") !== "off";
  const box = document.querySelector("[data-keys-on]");
  if (box) {
    box.checked = areKeysOn();
    box.addEventListener("change", () => store.set("desk-keys", box.checked ? "on" : "off"));
  }

  const isTyping = (target) => target.matches(
    'textarea, select, input:not([type="radio"]):not([type="checkbox"]):not([type="range"])',
  );

  function moveTab(target, by) {
    const next = TABS[(TABS.indexOf(target.dataset.tab) + by + TABS.length) % TABS.length];
    openTab(next);
    target.parentElement.querySelector(`[data-tab="${next}"]`).focus();
  }

  const KEYS = {
    ArrowRight: () => go(current + 1),
    l: () => go(current + 1),
    ArrowLeft: () => go(current - 1),
    h: () => go(current - 1),
    Home: () => go(1),
    0: () => go(1),
    End: () => go(count()),
    $: () => go(count()),
    b: () => show(root.dataset.shown === "before" ? "after" : "before"),
    " ": () => play(!isPlaying),
    "<": () => changeSpeed(-1),
    ">": () => changeSpeed(1),
    H: () => document.querySelector('[data-episode="before"]')?.click(),
    L: () => document.querySelector('[data-episode="after"]')?.click(),
    v: () => document.querySelector(".verdict-form button")?.focus(),
    "?": () => document.getElementById("replay-help")?.showModal(),
  };
  TABS.forEach((name, i) => { KEYS[i + 1] = () => openTab(name); });
  // Holding a key down may run through the steps, and does nothing else.
  const REPEATED = new Set(["ArrowRight", "ArrowLeft", "l", "h"]);

  function isOwnKey(target, key) {
    if (target.matches('input[type="range"], input[type="radio"]')) return /^(Arrow|Home|End)/.test(key);
    if (target.matches("pre, .lines")) return key === "Home" || key === "End" || key === " ";
    return key === " " && target.matches("button, a, summary, input");
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isTyping(target)) target.blur();
    if (isTyping(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat && !REPEATED.has(event.key)) return;
    if (target.matches('[role="tab"]') && /^Arrow(Left|Right)$/.test(event.key)) {
      event.preventDefault();
      moveTab(target, event.key === "ArrowRight" ? 1 : -1);
      return;
    }
    const isNamed = event.key.length > 1;
    if (!KEYS[event.key] || isOwnKey(target, event.key) || (!isNamed && !areKeysOn())) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // ----- begin -----
  // What was chosen last, where this screen has it.
  const known = (name, choices) => {
    const kept = store.get(`replay-${name}`);
    return choices.includes(kept) ? kept : choices[0];
  };
  const sides = [...panels.querySelectorAll("[data-show]")].map((one) => one.dataset.show);
  root.dataset.shown = known("shown", sides);
  root.dataset.tab = known("tab", TABS);
  if (store.get("replay-speed")) speed.value = store.get("replay-speed");
  root.style.setProperty("--page-width", `${width}px`);
  root.classList.add("is-stepping");
  prepareAll();
  fromAddress();
})();
