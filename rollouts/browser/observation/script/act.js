// The hit test before an action, and the actions that need no mouse.
const act = (() => {
  const NOT_TEXT = new Set([
    "button", "submit", "reset", "checkbox", "radio", "file", "image", "hidden",
  ]);
  const SET_BY_VALUE = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);
  const MAX_NAMED_OPTIONS = 30;
  const BLACK = /^(black|#000(000)?)$/i;
  const failure = (error) => ({ error });

  const gone = (id) => failure(`Element ${id} is gone since the page was observed.`);

  function locate({ el, id, others }) {
    if (!el.isConnected || !el.ownerDocument.defaultView) return gone(id);
    if (el.matches(":disabled") || el.getAttribute("aria-disabled") === "true") {
      return failure(`Element ${id} (${describe(el)}) is disabled.`);
    }
    // Only an observation of the whole page names what is off the screen.
    if (view.isWhole && !isOnScreen(el)) {
      el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      frames.renew();
    }
    const report = {};
    const inner = others.filter((one) => one !== el && el.contains(one));
    const point = findPoint(el, report, inner);
    if (point) return { el, ...point };
    if (!el.getClientRects().length) return failure(`Element ${id} is hidden now.`);
    if (!report.cover) return failure(`Element ${id} is outside the visible part of the page; scroll first.`);
    return failure(`Element ${id} is covered by ${describe(report.cover)}.`);
  }

  // Where to click, or why not.
  function pointAt(item, isClick) {
    const found = locate(item);
    if (found.error) return found;
    const { id } = item;
    if (isClick && found.el.localName === "select") {
      return failure(`Element ${id} is a drop-down list; use "Select Dropdown Option" with one of: ${optionNames(found.el)}.`);
    }
    if (isClick && found.el.type === "file") return failure(`Element ${id} asks for a file, which cannot be given.`);
    return { x: found.x, y: found.y, box: found.box, points: found.points };
  }

  const write = (el, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(el, value);
  };

  // What the browser makes of a text in such a field, null where it takes it for none:
  // it then empties the field, makes it black or puts the slider elsewhere.
  function accepted(el, text) {
    const copy = el.cloneNode();
    write(copy, text);
    const { type, value } = copy;
    if (type === "color") return value !== "#000000" || BLACK.test(text.trim()) ? value : null;
    if (type === "range") return text.trim() && Number(value) === Number(text) ? value : null;
    return value || !text ? value : null;
  }

  function setValue(el, value) {
    write(el, value);
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Focus a field with its text selected, ready for the keyboard. Typed by keys, the
  // text goes to whatever a click on the element gives the focus: it need be no field.
  function edit(item, text, isByKeys) {
    const found = locate(item);
    if (found.error) return found;
    const { el, box } = found;
    const { id } = item;
    const isSet = el.localName === "input" && SET_BY_VALUE.has(el.type) && !el.readOnly;
    if (isByKeys && !isSet) return { box };
    const isField = el.localName === "textarea"
      || (el.localName === "input" && !NOT_TEXT.has(el.type)) || el.isContentEditable;
    if (!isField) return failure(`Element ${id} (${describe(el)}) takes no text.`);
    if (el.readOnly) return failure(`Element ${id} (${describe(el)}) is read-only.`);
    el.focus({ preventScroll: true });
    if (SET_BY_VALUE.has(el.type)) {
      const value = accepted(el, text);
      if (value !== null) setValue(el, value);
      if (el.value !== value) return failure(`Element ${id} (type ${el.type}) does not accept "${text}".`);
      return { box, isDone: true };
    }
    if (el.isContentEditable) getSelection().selectAllChildren(el);
    else el.select();
    return { box };
  }

  // Give it the keyboard; what takes none says so.
  function focus(item) {
    const found = locate(item);
    if (found.error) return found;
    const { el, box } = found;
    el.focus({ preventScroll: true });
    const active = el.getRootNode().activeElement;
    if (active !== el && !el.contains(active)) return failure(`Element ${item.id} (${describe(el)}) takes no keys.`);
    return { box };
  }

  const optionName = (option) => squash(option.label || option.text);
  // Those that a person could choose: none that is disabled, or in a disabled group.
  const choicesOf = (select) => [...select.options].filter((option) => !option.matches(":disabled"));

  // The first ones, and how many are left out.
  function optionNames(select) {
    const all = choicesOf(select);
    const named = all.slice(0, MAX_NAMED_OPTIONS).map((o) => `"${optionName(o)}"`);
    const left = all.length - named.length;
    return [...named, ...(left ? [`and ${left} more options`] : [])].join(", ");
  }

  // By its name, else its value, else a part of its name.
  function optionOf(select, wanted) {
    const name = squash(wanted).toLowerCase();
    const options = choicesOf(select);
    return options.find((o) => optionName(o).toLowerCase() === name)
      || options.find((o) => o.value.toLowerCase() === name)
      || (name && options.find((o) => optionName(o).toLowerCase().includes(name)));
  }

  function select(item, wanted) {
    const found = locate(item);
    if (found.error) return found;
    const { el, box } = found;
    const { id } = item;
    if (el.localName !== "select") return failure(`Element ${id} (${describe(el)}) is not a drop-down list.`);
    const option = optionOf(el, wanted);
    if (!option) return failure(`Element ${id} has no option "${wanted}"; it has: ${optionNames(el)}.`);
    el.focus({ preventScroll: true });
    // In a list of several the others stay: an action names one.
    if (!option.selected) {
      option.selected = true;
      el.dispatchEvent(new Event("input", { bubbles: true }));
      el.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return { box, isDone: true };
  }

  return { pointAt, edit, select, focus };
})();
