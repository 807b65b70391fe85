// Compact simplified HTML, after WebRL's but shorter. Wrappers that add nothing are dropped.
const htmlForm = (() => {
  const MEANINGFUL = new Set([
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "tr", "td", "th", "dt", "dd",
    "caption", "pre", "blockquote", "legend", "figcaption",
  ]);
  const CELLS = new Set(["tr", "td", "th"]);
  const PLAIN_TEXT = new Set(["text", "search", "email", "tel", "url", ""]);
  const WITHOUT_VALUE = new Set(["checkbox", "radio", "file", "image", "password"]);

  const escape = (text) => text.replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function render(part) {
    if (isText(part)) return escape(squash(part));
    let open = part.tag;
    if (part.target) open += ` id="${part.target.id}"`;
    for (const [key, value] of part.attributes || []) {
      open += value === true ? ` ${key}` : ` ${key}="${escape(value).replace(/"/g, "&quot;")}"`;
    }
    const inner = merge(part.parts).map(render).join("");
    return inner ? `<${open}>${inner}</${part.tag}>` : `<${open}/>`;
  }

  function altText(el) {
    const image = el.matches("img,[role=img]") ? el : el.querySelector("img[alt],svg title");
    return squash(image?.getAttribute("alt") || image?.textContent);
  }

  function valueOf(el, tag) {
    if (tag === "textarea") return squash(el.value);
    if (tag !== "input") return "";
    if (el.type === "password") return el.value ? "***" : "";
    return WITHOUT_VALUE.has(el.type) ? "" : squash(el.value);
  }

  // [name, value] pairs; a value that repeats the text or an earlier one is left out.
  function attributesOf(el, tag, text, options) {
    const pairs = [];
    const seen = new Set([text.toLowerCase(), ""]);
    const add = (key, value) => {
      const short = cut(value, options.valueLimit);
      if (seen.has(short.toLowerCase())) return;
      seen.add(short.toLowerCase());
      pairs.push([key, short]);
    };
    if (tag === "input" && !PLAIN_TEXT.has(el.type)) pairs.push(["type", el.type]);
    if (tag !== "label") add("label", nameOf(el));
    add("placeholder", squash(el.getAttribute("placeholder")));
    add("title", squash(el.getAttribute("title")));
    const value = valueOf(el, tag);
    if (value) pairs.push(["value", cut(value, options.valueLimit)]);
    if (el.type === "radio" && pairs.length === 1) add("value", squash(el.value));
    const role = el.getAttribute("role");
    if ((tag === "div" || tag === "span") && CLICK_ROLES.has(role)) pairs.push(["role", role]);
    if (el.checked || el.getAttribute("aria-checked") === "true") pairs.push(["checked", true]);
    if (el.getAttribute("aria-selected") === "true") pairs.push(["selected", true]);
    if (el.matches(":disabled") || el.getAttribute("aria-disabled") === "true") {
      pairs.push(["disabled", true]);
    }
    return pairs;
  }

  // The parts of a list's first options and of those that are selected, and of what
  // says how many are left out.
  function optionParts(select, options, partOf) {
    const all = [...select.options];
    const shown = all.filter((option, index) => index < options.optionLimit || option.selected);
    const left = all.length - shown.length;
    return [...shown.map(partOf), ...(left ? [`and ${left} more options`] : [])];
  }

  const optionPart = (option, options) => ({
    tag: "option",
    attributes: option.selected ? [["selected", true]] : [],
    parts: [cut(squash(option.label || option.text), options.valueLimit)],
  });

  function interactivePart(el, tag, parts, point, count, options) {
    const text = tag === "select" || tag === "textarea" ? "" : flatten(parts) || altText(el);
    const attributes = attributesOf(el, tag, text, options);
    const known = attributes.find(([key, value]) => value !== true && key !== "type");
    const name = cut(text || known?.[1] || "", 100);
    const target = { el, tag, text: name, box: point.box, points: point.points };
    if (options.boxes) attributes.push(["data-bbox", point.box.join(",")]);
    const own = count ? parts.filter((part) => !isText(part) || squash(part)) : [text].filter(Boolean);
    const inside = tag === "select" ? optionParts(el, options, (one) => optionPart(one, options)) : own;
    return { tag, target, attributes, parts: inside };
  }

  function addWrapper(el, tag, style, parts, count, out) {
    const isInline = style.display.startsWith("inline") || style.display === "contents";
    if (tag === "label" && el.control && findPoint(el.control)) {
      parts = parts.filter((part) => !isText(part));
    }
    if (isInline && !MEANINGFUL.has(tag)) {
      for (const part of parts) {
        if (isText(part)) addText(out, part, false);
        else { out.push(part); out.glue = false; }
      }
      return;
    }
    const kept = parts.map((p) => (isText(p) ? squash(p) : p)).filter(Boolean);
    const texts = kept.filter(isText).length;
    const addsNothing = kept.length === 1 && texts === 0 && !CELLS.has(tag);
    const isGroup = kept.length > 1 && texts > 0 && (count > 0 || texts > 1);
    const keeps = MEANINGFUL.has(tag) ? !addsNothing : isGroup && !ROOTS.has(tag);
    if (kept.length && keeps) out.push({ tag, parts: kept });
    else out.push(...kept);
    out.glue = false;
  }

  // A frame is shown around what it holds.
  function frame(el, tag, parts, options) {
    return { tag: "iframe", attributes: attributesOf(el, tag, "", options), parts };
  }

  return {
    target: interactivePart,
    wrapper: addWrapper,
    frame,
    optionParts,
    render: (parts) => merge(parts).map(render).join(""),
    valueOf,
  };
})();
