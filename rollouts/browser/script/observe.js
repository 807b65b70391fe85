// The page as simplified HTML in WebRL's format, in one walk over the document.
//
// Ids run from 0 in document order over the innermost interactive elements that
// the mouse would reach, and over those around them that scripts listen to.
// Wrappers that add nothing are dropped.
const { observe, elements } = (() => {
  const elements = new Map();
  const SKIPPED = new Set([
    "script", "style", "noscript", "template", "head", "meta", "link", "title",
    "svg", "canvas", "datalist", "option", "optgroup", "object", "embed",
  ]);
  const MEANINGFUL = new Set([
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "tr", "td", "th", "dt", "dd",
    "caption", "pre", "blockquote", "legend", "figcaption",
  ]);
  const CELLS = new Set(["tr", "td", "th"]);
  const ROOTS = new Set(["html", "body", "main"]);
  const PLAIN_TEXT = new Set(["text", "search", "email", "tel", "url", ""]);
  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const WITHOUT_VALUE = new Set(["checkbox", "radio", "file", "image", "password"]);

  const cut = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}...` : text);
  const escape = (text) => text.replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const isText = (part) => typeof part === "string";

  function flatten(parts) {
    return squash(parts.map((p) => (isText(p) ? p : flatten(p.parts))).join(" "));
  }

  function merge(parts) {
    const merged = [];
    for (const part of parts) {
      if (!isText(part)) merged.push(part);
      else if (isText(merged.at(-1))) merged.push(`${merged.pop()} ${part}`);
      else if (part) merged.push(part);
    }
    return merged;
  }

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

  function optionParts(select, options) {
    return [...select.options].slice(0, options.optionLimit).map((option) => ({
      tag: "option",
      attributes: option.selected ? [["selected", true]] : [],
      parts: [cut(squash(option.label || option.text), options.valueLimit)],
    }));
  }

  function interactivePart(el, tag, parts, point, count, options) {
    const text = tag === "select" || tag === "textarea" ? "" : flatten(parts) || altText(el);
    const attributes = attributesOf(el, tag, text, options);
    const known = attributes.find(([key, value]) => value !== true && key !== "type");
    const target = { el, tag, text: cut(text || known?.[1] || "", 100), box: point.box };
    if (options.boxes) attributes.push(["data-bbox", point.box.join(",")]);
    const own = count ? parts.filter((part) => !isText(part) || squash(part)) : [text].filter(Boolean);
    const inside = tag === "select" ? optionParts(el, options) : own;
    return { tag, target, attributes, parts: inside };
  }

  function targetsIn(parts) {
    return parts.flatMap((part) => {
      if (isText(part)) return [];
      return [...(part.target ? [part.target] : []), ...targetsIn(part.parts)];
    });
  }

  function* childrenOf(el) {
    if (el.localName === "slot" && el.assignedNodes().length) yield* el.assignedNodes();
    else yield* (el.shadowRoot || el).childNodes;
  }

  function overlaps(rect, clip) {
    return rect.right > clip.left && rect.left < clip.right
      && rect.bottom > clip.top && rect.top < clip.bottom;
  }

  function narrow(rect, clip) {
    return {
      left: Math.max(rect.left, clip.left), right: Math.min(rect.right, clip.right),
      top: Math.max(rect.top, clip.top), bottom: Math.min(rect.bottom, clip.bottom),
    };
  }

  function textPart(node, clip) {
    if (!/\S/.test(node.data)) return node.data ? " " : "";
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    return rect.width > 0 && overlaps(rect, clip) ? node.data.replace(/\s+/g, " ") : "";
  }

  function addText(out, text, isNewPiece) {
    if (!text) return;
    if (!isNewPiece && out.glue && isText(out.at(-1))) out.push(out.pop() + text);
    else out.push(text);
    out.glue = true;
  }

  // The part of the clip that the content of `el` is shown in.
  function clipInside(tag, style, rect, clip, context) {
    if (style.position === "fixed") return context.screen;
    if (style.overflow === "visible" || ROOTS.has(tag)) return clip;
    if (context.options.whole && /auto|scroll/.test(style.overflow)) return clip;
    return narrow(rect, clip);
  }

  // On the whole page, what is off the screen cannot be hit, but scrolled to.
  function placeOf(el, inner, context) {
    const point = findPoint(el, {}, inner);
    if (point || !context.options.whole || isOnScreen(el)) return point;
    const { left, top, width, height } = el.getBoundingClientRect();
    return { box: [left, top, width, height].map(Math.round) };
  }

  // Appends what `el` adds to `out` and returns how many ids it holds.
  function walk(el, clip, isShown, context, out) {
    const tag = el.localName;
    if (SKIPPED.has(tag)) return 0;
    const rect = el.getBoundingClientRect();
    const isEmpty = rect.width === 0 || rect.height === 0;
    const isAway = rect.top >= innerHeight || rect.bottom <= 0;
    if (!isEmpty && isAway && !context.options.whole) return 0;
    const style = getComputedStyle(el);
    if (style.display === "none") return 0;
    const inner = clipInside(tag, style, rect, clip, context);
    const shows = isShown && isOpaque(style);
    const parts = [];
    let count = 0;
    for (const child of childrenOf(el)) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (shows && style.visibility === "visible") addText(parts, textPart(child, inner), false);
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        count += walk(child, inner, shows, context, parts);
      }
    }
    const isTarget = count ? isClickedItself(el) && parts.some((part) => isText(part) && squash(part))
      : isInteractive(el, tag, style);
    if (!isEmpty && overlaps(rect, clip) && isTarget && style.visibility === "visible") {
      const inner = targetsIn(parts).map((target) => target.el);
      const point = placeOf(el, inner, context);
      if (point) {
        out.push(interactivePart(el, tag, parts, point, count, context.options));
        out.glue = false;
        return count + 1;
      }
    }
    addWrapper(el, tag, style, parts, count, out);
    return count;
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

  function observe(options) {
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const context = { options, screen: options.whole ? EVERYWHERE : screen };
    const parts = [];
    elements.clear();
    elements.isWhole = options.whole;
    if (document.body) walk(document.body, context.screen, true, context, parts);
    const table = targetsIn(parts);
    table.forEach((target, id) => {
      target.id = id;
      elements.set(id, target.el);
    });
    const text = cut(merge(parts).map(render).join(""), options.textLimit);
    return { text, elements: table.map(({ id, tag, text: name, box }) => ({ id, tag, text: name, box })) };
  }

  return { observe, elements };
})();
