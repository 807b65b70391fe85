// The lease on the shown task: renewed while somebody is there. A tab that was left
// open must not keep a task from the others.

// Long enough for a replay or a trial in another tab, shorter than a lunch break.
const AWAY_MS = 10 * 60_000;
const SIGNS = ["pointermove", "pointerdown", "wheel", "scroll", "keydown"];

// Returns `begin`, for each task that is shown, and `isAway`. `form` gives the task's
// form or null; `fail` is told when the server does not answer a press.
export function keepLease(desk, form, fail) {
  let seen = Date.now();
  let renewed = 0;
  let beat = 0;
  const part = (name) => desk.querySelector(`[data-${name}]`);
  const isHeld = () => Boolean(form()) && !form().hasAttribute("data-is-lost") && part("lost").hidden;
  const isAway = () => Date.now() - seen >= AWAY_MS;
  const isOver = () => Date.now() - renewed >= Number(form().dataset.lease) * 1000;

  // Returns whether the task is held; null where nobody said so.
  async function ask() {
    const review = form();
    const data = new FormData();
    for (const name of ["task_id", "token", "csrfmiddlewaretoken"]) {
      data.append(name, review.elements[name].value);
    }
    const sent = Date.now();
    let answer;
    try {
      answer = await fetch(review.dataset.renew, { method: "POST", body: data });
    } catch {
      return null; // Offline for a moment: the lease outlives several beats.
    }
    if (!answer.ok || answer.redirected) return null; // Signed out: no JSON.
    const said = await answer.json();
    if (review !== form()) return null;
    if (said.is_lost) lose(said.message);
    else renewed = sent;
    return !said.is_lost;
  }

  function lose(message) {
    clearInterval(beat);
    part("away").hidden = true;
    part("lost-text").textContent = message;
    part("lost").hidden = false;
  }

  function letGo() {
    clearInterval(beat);
    part("away").hidden = false;
  }

  function look() {
    if (!isAway()) ask();
    else if (isOver()) letGo();
  }

  function start() {
    clearInterval(beat);
    beat = setInterval(look, Number(form().dataset.heartbeat) * 1000);
  }

  function see() {
    const wasAway = isAway();
    seen = Date.now();
    if (!wasAway || !isHeld()) return;
    // A machine that slept has missed its beats.
    if (isOver()) letGo();
    else ask();
  }

  for (const sign of SIGNS) {
    document.addEventListener(sign, see, { passive: true, capture: true });
  }
  window.addEventListener("focus", see);

  // The same token takes the task again unless somebody else has it by now.
  desk.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-again]")) return;
    const isTaken = await ask();
    if (isTaken === null) fail();
    if (!isTaken) return;
    part("away").hidden = true;
    start();
    desk.querySelector("h1").focus({ preventScroll: true });
  });

  return {
    isAway,
    begin() {
      clearInterval(beat);
      if (!isHeld()) return;
      renewed = Date.now();
      start();
    },
  };
}
