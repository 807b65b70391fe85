// What was written and not sent, kept in this browser for each person and task, so
// that a crash, an expired lease or a closed tab costs nothing.
const DAYS = 14;

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
export function offerDrafts(desk, drafts, form) {
  const task = form?.elements.task_id.value;
  const offer = desk.querySelector("[data-draft]");
  const draft = task ? drafts.find(task) : null;
  const isNews = Boolean(draft) && !holds(form, draft);
  if (offer) {
    offer.hidden = !isNews;
    if (isNews) offer.querySelector("[data-draft-text]").textContent = sayDraft(draft);
  }
  const rest = drafts.all().filter((one) => one.task !== task);
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

export function readFields(form) {
  return {
    instruction: form.elements.instruction.value,
    note: form.elements.note.value,
    reason: form.elements.reason.value,
  };
}

function holds(form, draft) {
  const now = readFields(form);
  return Object.keys(now).every((name) => now[name] === draft[name]);
}

function sayDraft(draft) {
  return [draft.instruction, draft.note && interpolate(gettext("Note: %(note)s"), draft)].filter(Boolean).join(" · ");
}

function listDraft(draft) {
  const item = document.createElement("li");
  const words = document.createElement("span");
  words.textContent = sayDraft(draft);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-quiet";
  button.dataset.forget = draft.task;
  button.textContent = gettext("Throw away");
  item.append(words, " ", button);
  return item;
}
