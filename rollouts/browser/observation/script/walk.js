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
  const NOWHERE = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  // CSS pixels by which letters and inline boxes may leave the box around them.
  const STRAY_PX = 8;
  const TEXTLESS = ":empty:not(br, script, style, option), select, textarea";

  function* childrenOf(el) {
    if (el.localName === "slot" && el.assignedNodes().length) yield* el.assignedNodes();
    else yield* (el.shadowRoot || el).childNodes;
  }

  // The same without what a closed <details> or `hidden=until-found` keeps back: it has
  // boxes, but is not painted.
  function* paintedIn(el, tag, style) {
    if (style.contentVisibility === "hidden") return;
    const isClosed = tag === "details" && !el.open;
    for (const child of childrenOf(el)) {
      if (!isClosed || (child.nodeType === Node.ELEMENT_NODE && child.checkVisibility())) yield child;
    }
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

  const isEmptyBox = (rect) => rect.width === 0 || rect.height === 0;
  const isOffScreen = (rect, margin = 0) => rect.top >= innerHeight - margin || rect.bottom <= margin;
  const isSeen = (rect) => !isEmptyBox(rect) && !isOffScreen(rect, STRAY_PX);

  // All that is around the elements on the screen. One of it that is off the screen
  // itself holds what overflows its box, or is fixed. Texts are left to `holdsShown`,
  // which measures many in one call; slots move them, so there each element counts.
  function findHolders(context) {
    const all = [...document.querySelectorAll("*")];
    const hosts = all.filter((el) => el.shadowRoot);
    const found = new Set();
    context.hasHosts = hosts.length > 0;
    addAround(hosts.length ? all : document.querySelectorAll(TEXTLESS), found);
    for (const host of hosts) addInside(host.shadowRoot, found);
    return found;
  }

  function addInside(root, found) {
    const all = [...root.querySelectorAll("*")];
    addAround(all, found);
    for (const el of all) if (el.shadowRoot) addInside(el.shadowRoot, found);
  }

  function addAround(all, found) {
    const around = (node) => node.assignedSlot || node.parentNode || node.host;
    for (const el of all) {
      if (!isSeen(el.getBoundingClientRect())) continue;
      for (let node = around(el); node && !found.has(node); node = around(node)) found.add(node);
    }
  }

  // Below the screen usually lies all that follows in the parent: it is measured once.
  function isRestBare(el, { bareBelow, hasHosts }) {
    const parent = el.parentNode;
    if (hasHosts) return false;
    if (!bareBelow.has(parent)) {
      measured.setStartBefore(el);
      measured.setEndAfter(parent.lastChild);
      bareBelow.set(parent, !isSeen(measured.getBoundingClientRect()));
    }
    return bareBelow.get(parent);
  }

  // Whether an element off the screen may hold something on it.
  function holdsShown(el, rect, context) {
    context.holders ??= findHolders(context);
    if (context.holders.has(el)) return true;
    if (rect.top >= innerHeight && isRestBare(el, context)) return false;
    measured.selectNodeContents(el);
    return isSeen(measured.getBoundingClientRect());
  }

  const isAway = (rect, context) => !context.options.whole && !isEmptyBox(rect) && isOffScreen(rect);

  // Of the text of an element off the screen only what clearly overflows.
  const textClip = (clip) => ({ ...clip, top: clip.top + STRAY_PX, bottom: clip.bottom - STRAY_PX });

  // The part of the clip that the content of `el` is shown in.
  function clipInside(tag, style, rect, clip, context) {
    if (style.position === "fixed") return context.screen;
    if (style.overflow === "visible" || ROOTS.has(tag)) return clip;
    if (isAway(rect, context)) return style.overflowY === "visible" ? clip : NOWHERE;
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
    const isEmpty = isEmptyBox(rect);
    const away = isAway(rect, context);
    if (away && !holdsShown(el, rect, context)) return 0;
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
    const textArea = away ? textClip(inner) : inner;
    for (const child of paintedIn(el, tag, style)) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (shows && style.visibility === "visible") addText(parts, textPart(child, textArea), false);
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        count += walk(child, inner, shows, context, parts);
      }
    }
    if (away && parts.every((part) => isText(part) && !squash(part))) return 0;
    const isTarget = count ? isClickedItself(el) && parts.some((part) => isText(part) && squash(part))
      : isInteractive(el, tag, style);
    const outer = style.position === "fixed" ? context.screen : clip;
    if (!isEmpty && overlaps(rect, outer) && isTarget && style.visibility === "visible") {
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
    const context = {
      options, screen: screen || EVERYWHERE, form: formOf(options), apart, holders: null, bareBelow: new Map(),
    };
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
