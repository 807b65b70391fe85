// The review desk by keyboard. Keys do nothing while a person types, while a task loads,
// while a dialog is open, with modifiers, and while a key is held down.
import { diff, words } from "./review_diff.js";
import { clearDraft, isWritten, offerDrafts, openDrafts, readFields, restoreDraft } from "./review_drafts.js";
import { sayWhenSlow } from "./review_busy.js";
import { keepLease } from "./review_lease.js";
import { startStopwatch } from "./review_time.js";

(() => {
  const desk = document.querySelector("[data-desk]");
  if (!desk) return;
  let isRejecting = false;
  // A decision that waits for its note.
  let pending = "";
  let isLoading = false;
  const watch = startStopwatch();
  const drafts = openDrafts(desk.dataset.person);
  // Key to action; each person may have chosen their own.
  const actions = Object.fromEntries(
    Object.entries(JSON.parse(desk.dataset.keys)).map(([action, key]) => [key, action]),
  );
  let shown = "";
  let warming = 0;
  // What was written before and is offered back; typing meanwhile does not change it.
  let offered = null;
  // The task about which a decision or a flag is under way.
  let sent = "";
  const form = () => desk.querySelector("[data-review-form]");
  const text = () => desk.querySelector("#id_instruction");
  const NO_ANSWER = gettext("The server did not answer. Nothing was saved; your text is still here. Try again.");
  const lease = keepLease(desk, form, fail);
  const saySaving = sayWhenSlow(desk);

  // What went wrong looks other than what went well, which is no longer news either.
  function fail() {
    desk.querySelector("[data-said]").textContent = "";
    const line = desk.querySelector("[data-failed]");
    line.hidden = false;
    line.querySelector("p").textContent = NO_ANSWER;
    line.scrollIntoView({ block: "nearest" });
  }

  function forgetFailure() {
    desk.querySelector("[data-failed]").hidden = true;
  }

  // A desk that only looks whether a task has come saves nothing.
  function setLoading(value) {
    isLoading = value;
    saySaving(value && !desk.querySelector("[data-empty]"));
    desk.toggleAttribute("data-busy", value);
  }

  // ----- what the task's form does -----
  const isEdited = (area) => words(area.value).join(" ") !== words(area.dataset.original).join(" ");

  function showDiff() {
    const area = text();
    if (!area) return;
    const line = desk.querySelector("[data-diff]");
    const isChanged = isEdited(area);
    line.hidden = !isChanged;
    desk.querySelector("[data-original-text]").hidden = !isChanged;
    line.replaceChildren();
    if (isChanged) {
      for (const [tag, word] of diff(area.dataset.original, area.value)) {
        const piece = document.createElement(tag);
        piece.textContent = word;
        line.append(piece, " ");
      }
    }
    const label = desk.querySelector("[data-accept-label]");
    label.dataset.plain ??= label.textContent;
    label.textContent = isChanged ? gettext("Accept the edit") : label.dataset.plain;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }

  // A question stands beside what answers it; the top may be out of sight.
  function ask(place, question) {
    for (const line of desk.querySelectorAll("[data-ask]")) {
      line.textContent = line.dataset.ask === place ? question : "";
    }
  }

  function answer(place) {
    desk.querySelector(`[data-ask="${place}"]`).textContent = "";
  }

  function setRejecting(value) {
    isRejecting = value;
    form()?.classList.toggle("is-rejecting", value);
    ask("reason", value ? REASON_WANTED : "");
    if (value) desk.querySelector(".reasons").scrollIntoView({ block: "nearest" });
  }

  // Who has no keyboard is told of no keys.
  const isTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
  const REASON_WANTED = isTouch
    ? gettext("Choose the reason; then it is rejected.")
    : gettext("Choose the reason: 1 to 8, or Esc.");
  const NOTHING_DECIDED = gettext("Nothing is decided yet about this task: there is nothing to undo.");
  const EMPTY = gettext("The instruction is empty; write one or restore the original.");
  const NEEDS_NOTE = isTouch
    ? {
      others: gettext("Write why you leave it to others, then press the button again."),
      drop: gettext("Write why it is not for you, then press the button again."),
      flag: gettext("Write what a researcher should look at, then press the button again."),
    }
    : {
      others: gettext("Write why you leave it to others, then Ctrl+Enter."),
      drop: gettext("Write why it is not for you, then Ctrl+Enter."),
      flag: gettext("Write what a researcher should look at, then Ctrl+Enter."),
    };

  function askForNote(decision) {
    const isAgain = pending === decision;
    pending = decision;
    const note = desk.querySelector("[data-note]");
    note.open = true;
    const wanted = NEEDS_NOTE[decision];
    ask("note", isAgain ? interpolate(gettext("The note is empty. %(wanted)s"), { wanted }) : wanted);
    desk.querySelector("#id_note").focus();
    note.scrollIntoView({ block: "nearest" });
  }

  // Sends from inside the note what was chosen before it was written.
  function sendChosen() {
    const area = text();
    const hasReason = Boolean(form().elements.reason.value);
    if (pending) send(pending);
    else if (isRejecting || (hasReason && !isEdited(area))) send("reject");
    else if (isEdited(area) && !hasReason) send("accept");
    else ask("note", gettext("Nothing is chosen yet: leave the note and accept, reject or skip."));
  }

  function send(decision) {
    const button = form()?.querySelector(`button[name="decision"][value="${decision}"]`);
    if (button && !button.disabled) button.click();
  }

  function begin() {
    // The same task again, as after a first decision, goes on being timed.
    const task = form()?.elements.task_id.value ?? "";
    if (task !== shown) watch.reset();
    shown = task;
    isRejecting = false;
    pending = "";
    showDiff();
    offer();
    lease.begin();
    warmNext();
  }

  // The next task's surroundings are looked up while this one is read.
  function warmNext() {
    clearTimeout(warming);
    if (form()) {
      warming = setTimeout(() => fetch(desk.dataset.warm).catch(() => {}), 400);
    }
  }

  // An empty desk wakes up by itself, but only where somebody is to see it: the task
  // that comes is theirs at once.
  const WAKE_MS = 15_000;
  setInterval(() => {
    const empty = desk.querySelector("[data-empty]");
    const isHere = document.visibilityState === "visible" && document.hasFocus() && !lease.isAway();
    // Not from under somebody's finger: a button of the desk that has the focus.
    const isInUse = Boolean(desk.querySelector("a:focus, button:focus, summary:focus"));
    if (!empty || isLoading || !isHere || isInUse) return;
    window.htmx.ajax("GET", empty.dataset.empty, { source: desk, target: desk, swap: "innerHTML" })
      .catch(() => {});
  }, WAKE_MS);

  function keepDraft() {
    const review = form();
    const fields = readFields(review);
    if (isWritten(fields)) drafts.keep(shown, fields);
    else drafts.forget(shown);
  }

  function offer() {
    offered = offerDrafts(desk, drafts, form());
  }

  function takeOriginal() {
    text().value = text().dataset.original;
    answer("text");
    showDiff();
    keepDraft();
    text().focus();
  }

  function takeUp() {
    restoreDraft(form(), offered);
    showDiff();
    keepDraft();
  }

  function throwAway() {
    clearDraft(form(), offered);
    showDiff();
    keepDraft();
  }

  // ----- events -----
  desk.addEventListener("input", (event) => {
    if (event.target === text()) {
      showDiff();
      answer("text");
    }
    if (form()?.contains(event.target)) keepDraft();
  });
  desk.addEventListener("click", (event) => {
    if (event.target.closest("[data-edit]")) {
      text().focus();
      text().setSelectionRange(text().value.length, text().value.length);
    }
    if (event.target.closest("[data-original-text]")) takeOriginal();
    if (event.target.closest("[data-restore]")) takeUp();
    if (event.target.closest("[data-throw]")) throwAway();
    const thrown = event.target.closest("[data-forget]");
    if (thrown) drafts.forget(thrown.dataset.forget);
    if (event.target.closest("[data-restore], [data-throw], [data-forget]")) offer();
  });
  // Who points at a reason after Reject has said all; who walks through them by arrow
  // keys has not.
  let isPointing = false;
  desk.addEventListener("pointerdown", () => {
    isPointing = true;
  });
  document.addEventListener("keydown", () => {
    isPointing = false;
  }, true);
  desk.addEventListener("change", (event) => {
    if (!isRejecting || event.target.name !== "reason") return;
    if (!isPointing) ask("reason", gettext("Now press Reject."));
    else if (!isLoading) send("reject");
  });
  desk.addEventListener("submit", (event) => {
    const review = form();
    if (event.target !== review) return;
    const decision = event.submitter?.value;
    if (decision === "reject" && !review.elements.reason.value) {
      event.preventDefault();
      event.stopImmediatePropagation();
      setRejecting(true);
      review.querySelector('[name="reason"]').focus();
      return;
    }
    if (decision === "accept" && !text().value.trim()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      ask("text", EMPTY);
      text().focus();
      return;
    }
    if (decision in NEEDS_NOTE && !review.elements.note.value.trim()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      askForNote(decision);
      return;
    }
    review.elements.seconds_spent.value = watch.seconds();
  }, true);
  desk.addEventListener("htmx:configRequest", (event) => {
    const review = form();
    sent = event.detail.elt === review ? shown : "";
    if (sent) {
      event.detail.parameters.seconds_spent = watch.seconds();
    }
  });
  // Loading lasts until the new task is in place and its buttons work.
  document.body.addEventListener("htmx:beforeRequest", () => {
    forgetFailure();
    setLoading(true);
  });
  document.body.addEventListener("htmx:afterSettle", () => setLoading(false));
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) return;
    setLoading(false);
    // 401: signed out, which the page says by itself.
    if (![401, 409].includes(event.detail.xhr.status)) fail();
  });
  // The next task is read first: keys must not fall into its text. After a problem
  // the focus stays where somebody was typing.
  document.body.addEventListener("htmx:afterSwap", (event) => {
    // What went through leaves no draft; what was refused does.
    const isDone = Boolean(desk.querySelector("[data-said]").textContent);
    if (sent && isDone) drafts.forget(sent);
    const isSame = sent === form()?.elements.task_id.value;
    begin();
    // What stands in the form again, as after a flag or an undone decision, is unsent.
    if (form() && (isSame ? isDone : form().hasAttribute("data-restored"))) {
      keepDraft();
      offer();
    }
    const isStillEmpty = event.detail.requestConfig?.elt === desk && !form();
    if (isStillEmpty) return;
    revealNext();
    desk.querySelector("[data-next]")?.focus({ preventScroll: true });
    if (desk.querySelector('[role="alert"]:not([hidden])')) return;
    desk.querySelector("h1").focus({ preventScroll: true });
  });

  // On a telephone the buttons are a screen below the words: what is to be read next
  // comes into sight, and nobody accepts what they have not seen.
  function revealNext() {
    const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const alert = desk.querySelector('[role="alert"]:not([hidden])');
    const part = alert ?? desk.querySelector("[data-first]") ?? text() ?? desk;
    const { top, bottom } = part.getBoundingClientRect();
    if (top >= bar && bottom <= innerHeight) return;
    const isNear = bottom - desk.getBoundingClientRect().top <= innerHeight - bar;
    (isNear ? desk : part).scrollIntoView({ block: "start", behavior: "instant" });
  }

  const areKeysOn = () => localStorage.getItem("desk-keys") !== "off";
  const box = document.querySelector("[data-keys-on]");
  if (box) {
    box.checked = areKeysOn();
    box.addEventListener("change", () => {
      localStorage.setItem("desk-keys", box.checked ? "on" : "off");
    });
  }

  function isTyping(target) {
    return target.matches('textarea, select, input:not([type="radio"]):not([type="checkbox"])');
  }

  const clickable = {
    edit: "[data-edit]",
    undo: "[data-undo]",
    watch: "[data-watch]",
    try: "[data-try]",
  };

  // Does what a key stands for; says whether it stands for anything.
  function act(action) {
    if (!action) return false;
    if (action === "undo" && !desk.querySelector("[data-undo]") && form()?.hasAttribute("data-looked")) {
      desk.querySelector("[data-said]").textContent = NOTHING_DECIDED;
    } else if (action in clickable) desk.querySelector(clickable[action])?.click();
    else if (action === "reject" && form() && !form().elements.reason.value) setRejecting(true);
    else send(action);
    return true;
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (isTyping(target)) target.blur();
      setRejecting(false);
      pending = "";
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "id_note") {
      event.preventDefault();
      if (!isLoading) sendChosen();
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target === text()) {
      event.preventDefault();
      if (!isLoading) send("accept");
      return;
    }
    if (isTyping(target) || isLoading || event.repeat || !areKeysOn()) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (/^[1-8]$/.test(key) && form()) {
      const reasons = form().querySelectorAll('[name="reason"]');
      reasons[Number(key) - 1].checked = true;
      keepDraft();
      if (isRejecting) send("reject");
    } else if (key === "?") {
      document.getElementById("desk-help").showModal();
    } else if (!act(actions[key])) {
      return;
    }
    event.preventDefault();
  });

  window.addEventListener("beforeunload", (event) => {
    const area = text();
    if (area && !isLoading && area.value !== area.dataset.original) event.preventDefault();
  });
  // Who comes back by the browser's history finds their words in the form again, put
  // there after this script began.
  window.addEventListener("pageshow", () => {
    if (!form()) return;
    if (form().elements.note.value) desk.querySelector("[data-note]").open = true;
    showDiff();
    offer();
  });
  begin();
})();
