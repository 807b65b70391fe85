// What is still going on in this page, so that one evaluate can wait for quiet.
//
// Counted: navigations, fetch, XMLHttpRequest, short timers that follow directly
// from an action, and the fast intervals by which older libraries animate. Not
// counted: endless timers, sockets, animations of style sheets.
const activity = (() => {
  const SHORT_TIMER_MS = 500;
  const DEEPEST_TIMER = 3;
  const FAST_INTERVAL_MS = 50;
  const later = window.setTimeout.bind(window);
  const state = {
    requests: new Set(), timers: new Set(), navigating: false, isShown: false, isLoaded: false,
    opened: 0,
  };
  let depth = 0;

  function track(promise) {
    const ended = () => { state.requests.delete(promise); };
    state.requests.add(promise);
    promise.then(ended, ended);
    return promise;
  }

  const realFetch = window.fetch;
  window.fetch = function fetch(...args) {
    return track(realFetch.apply(this, args));
  };
  for (const name of ["arrayBuffer", "blob", "formData", "json", "text"]) {
    const read = Response.prototype[name];
    Response.prototype[name] = function readBody(...args) {
      return track(read.apply(this, args));
    };
  }

  const realSend = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function send(...args) {
    const ended = () => { state.requests.delete(this); };
    state.requests.add(this);
    this.addEventListener("loadend", ended, { once: true });
    try {
      return realSend.apply(this, args);
    } catch (error) {
      ended();
      throw error;
    }
  };

  // Either clears what the other has set.
  for (const name of ["clearTimeout", "clearInterval"]) {
    const realClear = window[name];
    window[name] = function clear(id) {
      state.timers.delete(id);
      return realClear.call(window, id);
    };
  }

  const realInterval = window.setInterval;
  window.setInterval = function setInterval(handler, delay, ...args) {
    const id = realInterval.call(window, handler, delay, ...args);
    if (!(delay > FAST_INTERVAL_MS)) state.timers.add(id);
    return id;
  };

  window.setTimeout = function setTimeout(handler, delay, ...args) {
    const isShort = !(delay > SHORT_TIMER_MS) && depth < DEEPEST_TIMER;
    if (typeof handler !== "function" || !isShort) {
      return later(handler, delay, ...args);
    }
    const level = depth + 1;
    const id = later(() => {
      const before = depth;
      state.timers.delete(id);
      depth = level;
      try { handler.apply(window, args); } finally { depth = before; }
    }, delay);
    state.timers.add(id);
    return id;
  };

  if (window.navigation) {
    navigation.addEventListener("navigate", (event) => {
      const { url, sameDocument } = event.destination;
      if (event.downloadRequest !== null) notes.add("download");
      const leaves = !event.hashChange && !sameDocument && event.downloadRequest === null;
      if (leaves && /^https?:/.test(url)) state.navigating = true;
    });
    const stopped = () => { state.navigating = false; };
    navigation.addEventListener("navigatesuccess", stopped);
    navigation.addEventListener("navigateerror", stopped);
  }

  const realOpen = window.open;
  window.open = function open(...args) {
    state.opened += 1;
    return realOpen.apply(this, args);
  };
  const realClose = window.close;
  window.close = function close() {
    state.navigating = true;
    later(() => { state.navigating = false; }, 300); // The browser may refuse.
    return realClose.call(this);
  };
  const OWN_TARGETS = new Set(["", "_self", "_parent", "_top"]);

  // Whether a frame of the page, or the tab itself, has this name.
  function isNamed(name, win) {
    try {
      if (win.name === name) return true;
    } catch { /* It has another origin. */ }
    return [...Array(win.length).keys()].some((index) => isNamed(name, win[index]));
  }

  const targetOf = (el) => el.getAttribute("target") ?? document.querySelector("base[target]")?.target ?? "";

  // In the first phase, so that no listener keeps the event from us; what follows from
  // it is known after the last one.
  function watch(type, findTarget) {
    window.addEventListener(type, async (event) => {
      const target = findTarget(event);
      if (target === undefined) return;
      await idleTask();
      if (!event.defaultPrevented) followed(target);
    }, true);
  }

  watch("click", (event) => {
    const link = event.composedPath().find((el) => el.matches?.("a[href],area[href]"));
    return link && targetOf(link);
  });
  watch("submit", ({ submitter, target }) => submitter?.getAttribute("formtarget") ?? targetOf(target));

  const realSubmit = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function submit() {
    followed(targetOf(this));
    return realSubmit.call(this);
  };

  function followed(name) {
    const target = name.toLowerCase();
    if (target === "_blank" || (!OWN_TARGETS.has(target) && !isNamed(name, window.top))) state.opened += 1;
    // A frame is not told when the pages around it are about to go.
    if ((target !== "_top" && target !== "_parent") || window === window.top) return;
    state.navigating = true;
    later(() => { state.navigating = false; }, 300);
  }

  // Resolves once the tasks that are already queued have run (a form is
  // submitted in a task of its own after the click).
  function idleTask() {
    return new Promise((resolve) => {
      if (window.scheduler) scheduler.postTask(resolve);
      else later(resolve, 0);
    });
  }

  // The same in the frames of our own origin.
  const inside = () => frames.kits().map((kit) => kit.activity);

  // What the page still waits for: the name of its limit, or "".
  function reason() {
    if (state.navigating) return "navigation";
    if (!state.isShown && document.readyState === "loading") return "document";
    if (!state.isLoaded && document.readyState !== "complete") return "load";
    if (state.requests.size > 0) return "network";
    if (state.timers.size > 0) return "timers";
    return inside().map((one) => one.reason()).find(Boolean) || "";
  }

  // How many tabs the page and its frames have opened.
  const opened = () => inside().reduce((sum, one) => sum + one.opened(), state.opened);

  // What has taken too long once is not waited for again.
  function giveUp(name) {
    if (name === "navigation") notes.add("late");
    if (name === "document") notes.add("slow");
    if (name === "navigation") state.navigating = false;
    else if (name === "document") state.isShown = true;
    else if (name === "load") state.isLoaded = true;
    else if (name === "network") state.requests.clear();
    else state.timers.clear();
    inside().forEach((one) => one.giveUp(name));
  }

  const loaded = new Promise((resolve) => {
    window.addEventListener("load", resolve, { once: true });
  });

  // Resolves a little later, or as soon as the page has loaded.
  function moment() {
    const pause = new Promise((resolve) => { later(resolve, 4); });
    return document.readyState === "complete" ? pause : Promise.race([pause, loaded]);
  }

  // limits: milliseconds for navigation, load, network and timers; `least` is
  // how long to wait in any case. A document may take as long as a navigation.
  async function settle(limits) {
    const start = performance.now();
    await idleTask();
    for (;;) {
      const elapsed = performance.now() - start;
      const first = reason();
      const limit = limits[first === "document" ? "navigation" : first];
      if (first && elapsed >= limit) {
        giveUp(first);
        if (first === "navigation" && document.readyState === "loading") break;
      } else if (!first && elapsed >= limits.least) {
        await idleTask();
        if (!reason()) break;
      } else {
        await moment();
      }
    }
    return performance.now() - start;
  }

  // A navigation was none: it has brought a file.
  function stay() {
    state.navigating = false;
  }

  return { settle, reason, giveUp, opened, stay };
})();
