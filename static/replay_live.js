// A running episode: the socket says that it has gone on, and the changed parts of
// the page are fetched. Without a socket they are fetched now and then.
(() => {
  const POLL_MS = 5000;
  const STALE_MS = 20000;
  // Signed out, or the episode is gone: asking again would change nothing.
  const FINAL_CODES = [4401, 4404];
  const line = () => document.querySelector('[data-part="live"]');
  const root = document.querySelector("[data-replay]");
  const first = line();
  if (!first || "over" in first.dataset) return;
  let heard = Date.now();
  let isOpen = false;
  let isBusy = false;
  let isFinal = false;
  let pause = 500;

  const attempt = (version) => version.split(".")[0];

  function show() {
    const now = line();
    const badge = now?.querySelector("[data-live-badge]");
    if (!badge) return;
    const quiet = Math.round((Date.now() - heard) / 1000);
    const isStale = Date.now() - heard > STALE_MS;
    const state = isFinal ? "ended" : isOpen ? "live" : "lost";
    now.dataset.state = isStale && isOpen ? "stale" : state;
    if (state === "ended") badge.textContent = gettext("Not connected");
    else if (!isOpen) badge.textContent = gettext("Asking every 5 s");
    else if (now.dataset.episode !== "running") return; // the server has said what it is
    else if (isStale) badge.textContent = interpolate(gettext("Nothing new for %(seconds)s s"), { seconds: quiet });
    else badge.textContent = gettext("Live");
    badge.classList.toggle("badge-live", isOpen && !isStale);
    badge.classList.toggle("badge-warn", !isOpen || isStale);
    badge.classList.toggle("badge-accent", isOpen && !isStale);
  }

  function place(name, page) {
    const old = document.querySelector(name);
    const fresh = page.querySelector(name);
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }

  async function refresh() {
    if (isBusy || isFinal || document.hidden) return;
    isBusy = true;
    try {
      const answer = await fetch(line().dataset.fetch, { headers: { "HX-Request": "true" } });
      if (!answer.ok || answer.redirected) throw new Error("no answer");
      take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // Offline for a moment: the next round asks again.
    } finally {
      isBusy = false;
      show();
    }
  }

  function take(page) {
    const old = line().dataset;
    const fresh = page.querySelector('[data-part="live"]').dataset;
    if (fresh.version === old.version) return;
    heard = Date.now();
    const steps = Number(old.steps);
    // The first step, another attempt, or a failure with its reason: nothing can stay.
    if (!root || attempt(fresh.version) !== attempt(old.version) || fresh.episode === "failed") {
      location.reload();
      return;
    }
    place('[data-part="badges"]', page);
    place('[data-part="live"]', page);
    place("#verdicts", page);
    place("[data-film] > table", page);
    if ("over" in fresh) isFinal = true;
    window.htmx?.process(document.querySelector("#verdicts"));
    document.dispatchEvent(new CustomEvent("partchange"));
    root.dispatchEvent(new CustomEvent("replay:news", { detail: { steps } }));
  }

  function connect() {
    if (isFinal) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${first.dataset.live}`);
    socket.addEventListener("open", () => {
      isOpen = true;
      pause = 500;
      show();
    });
    socket.addEventListener("message", (event) => {
      if (JSON.parse(event.data).version !== line().dataset.version) refresh();
    });
    socket.addEventListener("close", (event) => {
      isOpen = false;
      if (FINAL_CODES.includes(event.code)) isFinal = true;
      show();
      if (isFinal) return;
      setTimeout(connect, pause);
      pause = Math.min(pause * 2, 15000);
    });
  }

  setInterval(() => {
    if (!isOpen) refresh();
  }, POLL_MS);
  setInterval(show, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refresh();
  });
  connect();
})();
