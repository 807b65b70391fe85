// The page as an accessibility tree: one line an element, `[id] role 'name', state`,
// indented below what holds it; plain text is StaticText. Roles and names are those
// of ARIA, by the vendored library (names.js).
const treeForm = (() => {
  // Says nothing by itself: only what is in it is shown.
  const PASSED = new Set([
    "generic", "none", "presentation", "paragraph", "strong", "emphasis", "superscript", "subscript",
    "deletion", "insertion", "document", "rowgroup",
  ]);
  // Named by their text where they hold nothing else.
  const NAMED_BY_TEXT = new Set([
    "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "term", "definition",
    "caption", "legend", "tooltip", "alert", "status",
  ]);
  const OTHER_ROLES = {
    iframe: "Iframe", frame: "Iframe", label: "LabelText", summary: "button", legend: "legend", caption: "caption",
  };
  const FLAGS = ["checked", "selected", "expanded", "pressed", "required", "invalid", "current"];

  const TRUTHS = new Map([["true", true], ["false", false]]);

  const short = (text, options) => cut(squash(text), options.valueLimit);

  function roleOf(el, tag) {
    if (tag === "input" && el.type === "password") return "textbox";
    const role = names.roleOf(el) || OTHER_ROLES[tag] || "generic";
    return role === "img" ? "image" : role;
  }

  const hasOwnName = (el) => el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby")
    || el.hasAttribute("title");
  const nameAs = (el, options) => short(names.nameOf(el), options);

  // [name, value] pairs, as BrowserGym writes them; true stands for the bare name.
  function statesOf(el, tag, role, options) {
    const states = [];
    const value = htmlForm.valueOf(el, tag);
    if (value && role !== "button") states.push(["value", cut(value, options.valueLimit)]);
    if (role === "heading") {
      states.push(["level", Number(el.getAttribute("aria-level")) || Number(tag.slice(1)) || 2]);
    }
    if (role === "generic") states.push(["clickable", true]);
    if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) states.push(["checked", el.checked]);
    if (el.matches("details > summary")) states.push(["expanded", el.parentElement.open]);
    if (el.required) states.push(["required", true]);
    for (const name of FLAGS) {
      const told = el.getAttribute(`aria-${name}`);
      if (told && !states.some(([known]) => known === name)) states.push([name, TRUTHS.get(told) ?? told]);
    }
    if (el.hasAttribute("aria-haspopup")) states.push(["hasPopup", el.getAttribute("aria-haspopup") || "menu"]);
    if (el.matches(":disabled") || el.getAttribute("aria-disabled") === "true") states.push(["disabled", true]);
    if (el.readOnly && value) states.push(["readonly", true]);
    return states;
  }

  const optionPart = (option, options) => ({
    role: "option",
    name: short(option.label || option.text, options),
    states: option.selected ? [["selected", true]] : [],
    parts: [],
  });

  // What an interactive element holds besides the text that is its name.
  function target(el, tag, parts, point, count, options) {
    const same = htmlForm.target(el, tag, parts, point, count, { ...options, boxes: false });
    const role = roleOf(el, tag);
    const name = (count ? hasOwnName(el) && nameAs(el, options) : nameAs(el, options))
      || (role === "textbox" ? "" : short(flatten(parts.filter((part) => isText(part) || !part.target)), options))
      || same.target.text;
    const states = statesOf(el, tag, role, options);
    if (options.boxes) states.push(["box", point.box.join(",")]);
    const inside = tag === "select" ? htmlForm.optionParts(el, options, (one) => optionPart(one, options))
      : parts.filter((part) => !isText(part) && count);
    return { tag, role, name, states, target: same.target, parts: inside };
  }

  function wrapper(el, tag, style, parts, count, out, options) {
    const role = roleOf(el, tag);
    if (tag === "img" || role === "image") {
      const name = nameAs(el, options);
      if (name) out.push({ tag, role, name, states: [], parts: [] });
      out.glue = false;
      return;
    }
    if (tag === "label" && el.control && findPoint(el.control)) parts = parts.filter((part) => !isText(part));
    const isPassed = PASSED.has(role) || role === "LabelText";
    const isInline = style.display.startsWith("inline") || style.display === "contents";
    if (isPassed && isInline) {
      for (const part of parts) {
        if (isText(part)) addText(out, part, false);
        else { out.push(part); out.glue = false; }
      }
      return;
    }
    const kept = parts.map((part) => (isText(part) ? squash(part) : part)).filter(Boolean);
    out.glue = false;
    if (isPassed) out.push(...kept);
    else if (kept.length) out.push(groupOf(el, tag, role, kept, options));
  }

  function groupOf(el, tag, role, kept, options) {
    const states = role === "heading" ? statesOf(el, tag, role, options) : [];
    const isPlain = kept.every(isText);
    if (NAMED_BY_TEXT.has(role) && isPlain) {
      return { tag, role, name: short(kept.join(" "), options), states, parts: [] };
    }
    const name = hasOwnName(el) || tag === "table" || tag === "fieldset" ? nameAs(el, options) : "";
    return { tag, role, name, states, parts: kept };
  }

  function frame(el, tag, parts, options) {
    return { tag, role: "Iframe", name: nameAs(el, options), states: [], parts };
  }

  const quoted = (text) => `'${squash(String(text)).replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;

  function stateText([name, value]) {
    if (value === true) return `, ${name}`;
    return typeof value === "string" ? `, ${name}=${quoted(value)}` : `, ${name}=${value}`;
  }

  function lineOf(part) {
    if (isText(part)) return `StaticText ${quoted(part)}`;
    const id = part.target ? `[${part.target.id}] ` : "";
    return `${id}${part.role} ${quoted(part.name)}${part.states.map(stateText).join("")}`;
  }

  function linesOf(parts, indent) {
    return parts.flatMap((part) => {
      if (isText(part) && !squash(part)) return [];
      const line = "\t".repeat(indent) + lineOf(part);
      return isText(part) ? [line] : [line, ...linesOf(part.parts, indent + 1)];
    });
  }

  const render = (parts) => [`RootWebArea ${quoted(cut(document.title, 300))}`, ...linesOf(parts, 1)].join("\n");

  return { target, wrapper, frame, render };
})();
