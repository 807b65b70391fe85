// One walk over the document and the frames in it that may be looked into.
//
// Ids run from 0 in document order over the innermost interactive elements that
// the mouse would reach, and over those around them that scripts listen to. A form
// (html.js, axtree.js) says what of an element is shown.
const ROOTS = new Set(["html", "body", "main"]);

const { read, number, elements, childrenOf } = (() => {
  const elements = new Map();
  // One for all texts: the document looks after each range at every change of its
  // nodes, until that is collected.
  const measured = document.createRange();
  const SKIPPED = new Set([
    "script", "style", "noscript", "template", "head", "meta", "link", "title",
    "svg", "canvas", "datalist", "option", "optgroup", "object", "embed",
  ]);
  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

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
    measured.selectNodeContents(node);
    const rect = measured.getBoundingClientRect();
    return rect.width > 0 && overlaps(rect, clip) ? node.data.replace(/\s+/g, " ") : "";
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
    return { box: frames.boxOf(el.getBoundingClientRect()) };
  }

  // Adds what a frame holds, at the frame's place, and returns how many ids that is;
  // -1 where nobody may look in. A document of another origin is asked for later.
  function walkFrame(el, tag, clip, context, out) {
    const { options, form } = context;
    const outer = frames.into(el, clip);
    const screen = options.whole ? null : outer.shown;
    const kit = frames.kitOf(el);
    if (kit) {
      frames.meet(el);
      const inside = kit.read(options, outer, screen, context.apart);
      if (inside.parts.length) out.push(form.frame(el, tag, inside.parts, options));
      return inside.count;
    }
    if (!frames.isApart(el)) return -1;
    const point = placeOf(el, [], context);
    const spare = point && form.target(el, tag, [], point, 0, options);
    if (spare) spare.target.kit = kitHere();
    out.push({ ...form.frame(el, tag, [], options), apart: context.apart.length, spare });
    const isStill = el.hasAttribute("sandbox") && !el.sandbox.contains("allow-scripts");
    const inside = { outer: { shown: outer.shown, isApart: true }, screen, isStill };
    context.apart.push({ el, own: kitHere(), inside });
    return 1;
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
    if (frames.isFrame(tag) && !isEmpty && shows && style.visibility === "visible" && overlaps(rect, clip)) {
      const held = walkFrame(el, tag, clip, context, out);
      out.glue = false;
      if (held >= 0) return held;
    }
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
        out.push(context.form.target(el, tag, parts, point, count, context.options));
        out.glue = false;
        return count + 1;
      }
    }
    context.form.wrapper(el, tag, style, parts, count, out, context.options);
    return count;
  }

  // Read this document: {parts, count}. `outer` is its view as the document around it
  // says (see frames.js), `screen` the clip, null for everything; frames of other
  // origins are added to `apart`.
  function read(options, outer, screen, apart) {
    Object.assign(view, outer, { isWhole: options.whole });
    const context = { options, screen: screen || EVERYWHERE, form: formOf(options), apart };
    const parts = [];
    const count = document.body ? walk(document.body, context.screen, true, context, parts) : 0;
    for (const target of targetsIn(parts)) target.kit ??= kitHere();
    return { parts, count };
  }

  // Give out the ids.
  function number(parts) {
    elements.clear();
    targetsIn(parts).forEach((target, id) => {
      target.id = id;
      elements.set(id, target);
    });
    return [...elements.values()];
  }

  return { read, number, elements, childrenOf };
})();
