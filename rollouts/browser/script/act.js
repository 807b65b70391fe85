// The hit test before an action, and the actions that need no mouse.
const act = (() => {
  const NOT_TEXT = new Set([
    "button", "submit", "reset", "checkbox", "radio", "file", "image", "hidden",
  ]);
  const SET_BY_VALUE = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);
  const failure = (error) => ({ error });

  function locate(id) {
    const el = elements.get(id);
    if (!el) {
      const last = elements.size - 1;
      return failure(last < 0 ? "This page has no elements with an id."
        : `There is no element ${id} on this page; ids run from 0 to ${last}.`);
    }
    if (!el.isConnected) return failure(`Element ${id} is gone since the page was observed.`);
    if (el.matches(":disabled") || el.getAttribute("aria-disabled") === "true") {
      return failure(`Element ${id} (${describe(el)}) is disabled.`);
    }
    // Only an observation of the whole page names what is off the screen.
    if (elements.isWhole && !isOnScreen(el)) {
      el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    }
    const report = {};
    const inner = [...elements.values()].filter((one) => one !== el && el.contains(one));
    const point = findPoint(el, report, inner);
    if (point) return { el, ...point };
    if (!el.getClientRects().length) return failure(`Element ${id} is hidden now.`);
    if (!report.cover) return failure(`Element ${id} is outside the visible part of the page; scroll first.`);
    return failure(`Element ${id} is covered by ${describe(report.cover)}.`);
  }

  // Where to click, or why not.
  function pointAt(id, isClick) {
    const found = locate(id);
    if (found.error) return found;
    if (isClick && found.el.localName === "select") {
      return failure(`Element ${id} is a drop-down list; use "Select Dropdown Option" with one of: ${optionNames(found.el)}.`);
    }
    if (isClick && found.el.type === "file") return failure(`Element ${id} asks for a file, which cannot be given.`);
    return { x: found.x, y: found.y, box: found.box };
  }

  function setValue(el, value) {
    const kind = Object.getPrototypeOf(el);
    Object.getOwnPropertyDescriptor(kind, "value").set.call(el, value);
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Focus a field with its text selected, ready for the keyboard.
  function edit(id, text) {
    const found = locate(id);
    if (found.error) return found;
    const { el, box } = found;
    const isField = el.localName === "textarea"
      || (el.localName === "input" && !NOT_TEXT.has(el.type)) || el.isContentEditable;
    if (!isField) return failure(`Element ${id} (${describe(el)}) takes no text.`);
    if (el.readOnly) return failure(`Element ${id} (${describe(el)}) is read-only.`);
    el.focus({ preventScroll: true });
    if (SET_BY_VALUE.has(el.type)) {
      setValue(el, text);
      if (el.value !== text) return failure(`Element ${id} (type ${el.type}) does not accept "${text}".`);
      return { box, isDone: true };
    }
    if (el.isContentEditable) getSelection().selectAllChildren(el);
    else el.select();
    return { box };
  }

  const optionName = (option) => squash(option.label || option.text);
  const optionNames = (select) => [...select.options].slice(0, 30).map((o) => `"${optionName(o)}"`).join(", ");

  function select(id, wanted) {
    const found = locate(id);
    if (found.error) return found;
    const { el, box } = found;
    if (el.localName !== "select") return failure(`Element ${id} (${describe(el)}) is not a drop-down list.`);
    const name = squash(wanted).toLowerCase();
    const options = [...el.options].filter((o) => !o.disabled);
    const option = options.find((o) => optionName(o).toLowerCase() === name)
      || (name && options.find((o) => optionName(o).toLowerCase().includes(name)))
      || options.find((o) => o.value.toLowerCase() === name);
    if (!option) return failure(`Element ${id} has no option "${wanted}"; it has: ${optionNames(el)}.`);
    el.focus({ preventScroll: true });
    if (!option.selected) {
      option.selected = true;
      el.dispatchEvent(new Event("input", { bubbles: true }));
      el.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return { box, isDone: true };
  }

  // What is in the middle of the screen, else the page, else the largest part of it.
  function scrollable(direction) {
    const moves = (el) => (direction > 0
      ? el.scrollTop + el.clientHeight < el.scrollHeight - 1 : el.scrollTop > 0);
    const isRoot = (el) => el === document.body || el === document.documentElement;
    const scrolls = (el) => !isRoot(el) && moves(el)
      && /auto|scroll/.test(getComputedStyle(el).overflowY);
    let el = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    for (; el && !isRoot(el); el = el.parentElement) {
      if (scrolls(el)) return el;
    }
    const root = document.scrollingElement;
    if (root && moves(root)) return root;
    const shown = (part) => part.localName !== "textarea" && part.localName !== "select" && findPoint(part);
    const size = (part) => part.clientWidth * part.clientHeight;
    const parts = [...document.querySelectorAll("body *")].filter((part) => scrolls(part) && shown(part));
    return parts.sort((a, b) => size(b) - size(a))[0] || null;
  }

  function scroll(direction) {
    const el = scrollable(direction);
    if (!el) return failure(`The page is already at its ${direction > 0 ? "bottom" : "top"}.`);
    const height = Math.min(innerHeight, el.clientHeight);
    el.scrollBy({ top: direction * Math.round(height * 2 / 3), behavior: "instant" });
    return { isDone: true };
  }

  return { pointAt, edit, select, scroll };
})();

// Text of a page that any database and any file takes: no half characters, no NUL.
const tidy = (text) => String(text).toWellFormed().replaceAll("\0", "");

// Wait for quiet, then return the observation (and the snapshot) as JSON.
async function look(options) {
  const settle = await activity.settle(options.limits);
  const start = performance.now();
  const seen = observe(options);
  const entry = performance.getEntriesByType("navigation")[0];
  return JSON.stringify({
    text: tidy(seen.text),
    elements: seen.elements.map((el) => ({ ...el, text: tidy(el.text) })),
    url: tidy(location.href).slice(0, 4000),
    title: tidy(document.title || "").slice(0, 300),
    snapshot: options.snapshotLimit ? tidy(snapshot(options.snapshotLimit)) : "",
    status: entry?.responseStatus || 0,
    opened: activity.state.opened,
    told: options.asksEnding && window.__webrlEnding ? [window.__webrlEnding()] : [],
    settle,
    observe: performance.now() - start,
  });
}

Object.defineProperty(window, "__webrl", {
  value: Object.freeze({
    act: (name, ...args) => JSON.stringify(act[name](...args)),
    look,
  }),
});
