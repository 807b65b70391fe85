// What was written and not sent, kept in this browser for each person and task, so
// that a crash, an expired lease or a closed tab costs nothing.
import { words } from "./review_diff.js";

const DAYS = 14;
// So much of a text tells which one it is.
const LONGEST = 280;
const FIELDS = ["instruction", "note", "reason"];

export function openDrafts(person) {
  const prefix = `desk-draft:${person}:`;

  function read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  function all() {
    const found = [];
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(prefix)) continue;
      const draft = read(key);
      if (draft && Date.now() - draft.at < DAYS * 86_400_000) {
        found.push({ task: key.slice(prefix.length), ...draft });
      } else {
        localStorage.removeItem(key);
      }
    }
    return found.sort((one, other) => other.at - one.at);
  }

  return {
    all,
    find: (task) => read(prefix + task),
    forget: (task) => localStorage.removeItem(prefix + task),
    keep(task, fields) {
      try {
        localStorage.setItem(prefix + task, JSON.stringify({ at: Date.now(), ...fields }));
      } catch {
        // Storage is full or off: the page still holds the text.
      }
    },
  };
}

// Offers back what was written about the shown task, and lists what was about others.
// Returns what it offers, or null.
export function offerDrafts(desk, drafts, form) {
  const task = form?.elements.task_id.value;
  const offer = desk.querySelector("[data-draft]");
  const draft = task ? drafts.find(task) : null;
  // A reason alone is put back without asking: it replaces no words.
  if (draft && !hasWords(draft) && !form.elements.reason.value) restoreDraft(form, draft);
  const isNews = Boolean(draft) && hasWords(draft) && !holds(form, draft);
  if (offer) {
    offer.hidden = !isNews;
    if (isNews) offer.querySelector("[data-draft-text]").textContent = sayDraft(draft);
  }
  listDrafts(desk, drafts.all().filter((one) => one.task !== task && hasWords(one)));
  return isNews ? draft : null;
}

function listDrafts(desk, rest) {
  const list = desk.querySelector("[data-drafts]");
  if (!list) return;
  list.hidden = !rest.length;
  const text = ngettext("Unsent text of %(count)s other task", "Unsent text of %(count)s other tasks", rest.length);
  list.querySelector("summary").textContent = interpolate(text, { count: rest.length });
  list.querySelector("ul").replaceChildren(...rest.map(listDraft));
}

export function restoreDraft(form, draft) {
  form.elements.instruction.value = draft.instruction;
  form.elements.note.value = draft.note;
  if (draft.note) form.querySelector("[data-note]").open = true;
  for (const radio of form.querySelectorAll('[name="reason"]')) {
    radio.checked = radio.value === draft.reason;
  }
}

// Takes a draft that was thrown away out of the form again, where the browser has put it
// back by itself. What was written since stays.
export function clearDraft(form, draft) {
  const area = form.elements.instruction;
  if (area.value === draft.instruction) area.value = area.dataset.original;
  if (form.elements.note.value === draft.note) form.elements.note.value = "";
  for (const radio of form.querySelectorAll('[name="reason"]')) {
    if (radio.value === draft.reason) radio.checked = false;
  }
}

// An edit, a note and a reason are worth keeping; other spaces are not.
export function isWritten(fields) {
  return hasWords(fields) || Boolean(fields.reason);
}

function hasWords(fields) {
  const isEdited = words(fields.instruction).join(" ") !== words(fields.original).join(" ");
  return Boolean((isEdited && fields.instruction.trim()) || fields.note.trim());
}

export function readFields(form) {
  return {
    original: form.elements.instruction.dataset.original,
    instruction: form.elements.instruction.value,
    note: form.elements.note.value,
    reason: form.elements.reason.value,
  };
}

function holds(form, draft) {
  const now = readFields(form);
  return FIELDS.every((name) => now[name] === draft[name]);
}

function sayDraft(draft) {
  const parts = [];
  if (draft.instruction !== draft.original) parts.push(shorten(draft.instruction));
  if (draft.note) parts.push(interpolate(gettext("Note: %(note)s"), { note: shorten(draft.note) }));
  return parts.filter(Boolean).join(" · ");
}

function shorten(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function listDraft(draft) {
  const item = document.createElement("li");
  const words = document.createElement("span");
  words.textContent = sayDraft(draft);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-quiet";
  button.dataset.forget = draft.task;
  button.textContent = gettext("Discard");
  item.append(words, " ", button);
  return item;
}
