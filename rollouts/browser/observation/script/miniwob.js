// The life of one MiniWoB++ episode, in the page: begun with a seed, and how it ended.
(() => {
  const MAX_WAIT_MS = 20000;
  const NEVER_MS = 2e9; // The page's own clock must not end what we time ourselves.
  const OURS_ALONE = `#query, #query * { visibility: hidden !important; }
    #reward-display, #click-canvas, #sync-task-cover { display: none !important; }`;

  async function isSoon(test) {
    const start = performance.now();
    while (!test()) {
      if (performance.now() - start > MAX_WAIT_MS) return false;
      await new Promise((resolve) => { setTimeout(resolve, 4); });
    }
    return true;
  }

  function isLoaded() {
    const entry = performance.getEntriesByType("navigation")[0];
    return document.readyState === "complete" && (!entry || entry.loadEventEnd > 0);
  }

  // Pictures that are a style sheet's `content` give their elements their size: they
  // are fetched beforehand, or else what can be seen and clicked would be a race.
  const pictures = [];
  function loadPictures() {
    const addresses = new Set();
    for (const sheet of document.styleSheets) {
      for (const { cssText } of sheet.cssRules) {
        for (const [, path] of cssText.matchAll(/content: url\("([^"]+)"\)/g)) {
          addresses.add(new URL(path, sheet.href || document.baseURI).href);
        }
      }
    }
    return Promise.all([...addresses].map((address) => new Promise((resolve) => {
      const picture = new Image();
      picture.onload = picture.onerror = resolve;
      picture.src = address;
      pictures.push(picture);
    })));
  }

  async function load() {
    if (!await isSoon(isLoaded)) throw new Error("it does not load");
    if (!window.core?.cover_div) throw new Error("it is no page of the suite");
  }

  async function start(seed) {
    Math.seedrandom(seed);
    core.EPISODE_MAX_TIME = NEVER_MS;
    core.startEpisodeReal();
    if (!await isSoon(() => WOB_TASK_READY)) throw new Error("it is not ready");
    const goal = core.getUtterance();
    return String(goal?.utterance ?? goal);
  }

  // For the one who acts, the goal is the instruction, and rewards come later.
  function hide() {
    const style = document.createElement("style");
    style.textContent = OURS_ALONE;
    document.head.append(style);
  }

  async function begin(seed) {
    await load();
    await loadPictures();
    const goal = await start(seed);
    hide();
    Object.defineProperty(window, "__webrlBegun", { value: true });
    // Each look at the page takes its ending along.
    Object.defineProperty(window, "__webrlEnding", { value: ending });
    return { goal };
  }

  // What the page would ask for with each of the seeds.
  async function goals(seeds) {
    await load();
    const found = [];
    for (const seed of seeds) found.push(await start(seed));
    return { goals: found };
  }

  function ending() {
    if (!window.__webrlBegun) return { isLeft: true };
    if (!WOB_DONE_GLOBAL) return null;
    const reward = Number(WOB_RAW_REWARD_GLOBAL);
    const reason = WOB_REWARD_REASON ?? "";
    return {
      reward: Number.isFinite(reward) ? reward : 0,
      reason: typeof reason === "string" ? reason : JSON.stringify(reason),
    };
  }

  const told = (work) => async (argument) => {
    try {
      return JSON.stringify(await work(argument));
    } catch (error) {
      return JSON.stringify({ error: error.message ?? String(error) });
    }
  };

  return { begin: told(begin), goals: told(goals), ending: told(ending) };
})()
