// The page as WebRL's released models read it, before webrl_form.py writes it: the
// document's own tags with what was observed of each, on which an HTML parser then works.
//
// The released observer writes its attributes into the page and leaves them there, so
// that what an element no longer says is still told at later looks. Here they are
// remembered beside the page, which stays as it is.
const webrlForm = (() => {
  const ROLES = new Set([
    "button", "tab", "link", "checkbox", "menuitem", "menuitemcheckbox", "menuitemradio", "radio",
  ]);
  const TAGS = new Set([
    "input", "textarea", "select", "button", "a", "iframe", "video", "object", "embed", "details",
  ]);
  const KEPT = [
    "title", "value", "type", "placeholder", "selected", "data-value", "data-text", "data-testid",
    "data-label", "data-bbox", "data-status", "data-label-id", "aria-hidden",
  ];
  const FORGOTTEN = [
    "data-value", "data-text", "data-label", "data-bbox", "data-status", "data-label-id",
  ];
  const WITHOUT_END = new Set([
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
  ]);
  const UNESCAPED = new Set([
    "style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript",
  ]);
  // Levels of nesting; an HTML parser takes no more.
  const MAX_DEPTH = 2000;
  const CHARACTERS = { "&": "&amp;", "\u00a0": "&nbsp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

  // What earlier looks have written, by element; null stands for an attribute taken away.
  const written = new WeakMap();
  let numbered = [];

  function write(el, name, value) {
    if (!written.has(el)) written.set(el, new Map());
    written.get(el).set(name, value);
  }

  function attributeOf(el, name) {
    const told = written.get(el);
    return told?.has(name) ? told.get(name) : el.getAttribute(name);
  }

  const roundedBox = ({ left, top, right, bottom }) => {
    const [x, y, across, down] = [left, top, right, bottom].map(Math.round);
    return [x, y, across - x, down - y].join(",");
  };

  const ownTexts = (el) => [...el.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.textContent.trim().replace(/\s{2,}/g, " ")).filter(Boolean);

  function describeState(el) {
    const [rect] = el.getClientRects();
    if (rect) write(el, "data-bbox", roundedBox(rect));
    if (el.hasChildNodes()) write(el, "data-text", ownTexts(el).join(","));
    if (el instanceof HTMLSelectElement) {
      const option = el.options[el.selectedIndex];
      write(el, "data-value", el.value);
      write(el, "data-text", option?.text || "");
      if (option) write(option, "data-status", "selected");
    }
    if (el instanceof HTMLInputElement && el.getAttribute("type") === "checkbox") {
      write(el, "data-status", el.checked ? "checked" : "not-checked");
    }
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) write(el, "data-value", el.value);
  }

  // "event:namespace.action", or an action alone; a namespace "none" does nothing.
  function listensByJsaction(el) {
    return (el.getAttribute("jsaction") ?? "").split(";").some((rule) => {
      const parts = rule.trim().split(":");
      if (parts.length > 2) return false;
      const [event, called] = parts.length === 2 ? parts : ["click", parts[0]];
      const [namespace, action] = called.trim().split(".");
      return event === "click" && namespace !== "none" && action !== undefined && action !== "_";
    });
  }

  function isMapped(el) {
    const name = el.localName === "img" && el.getAttribute("usemap")?.replace(/^#/, "");
    return Boolean(name) && document.querySelector(`map[name="${CSS.escape(name)}"]`) !== null
      && el.getClientRects().length > 0;
  }

  function isClickable(el) {
    const tag = el.localName;
    if (el.onclick || getComputedStyle(el).cursor === "pointer" || isMapped(el)) return true;
    if (ROLES.has(el.getAttribute("role")?.toLowerCase())) return true;
    if (["", "contenteditable", "true"].includes(el.getAttribute("contenteditable")?.toLowerCase())) return true;
    if (listensByJsaction(el) || TAGS.has(tag)) return true;
    if (tag === "label" && el.control && !el.control.disabled) return true;
    if (tag === "img" && ["zoom-in", "zoom-out"].includes(el.style.cursor)) return true;
    if (el.getAttribute("class")?.toLowerCase().includes("button")) return true;
    return parseInt(el.getAttribute("tabindex"), 10) >= 0;
  }

  function clipped(rect) {
    const width = Math.min(rect.right, innerWidth) - Math.max(rect.left, 0);
    return { width, height: Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0) };
  }

  // CSS pixels on the screen of those of its line boxes whose centre is its own.
  function shownArea(el) {
    return [...el.getClientRects()].reduce((sum, rect) => {
      const hit = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
      const { width, height } = clipped(rect);
      return hit && el.contains(hit) ? sum + width * height : sum;
    }, 0);
  }

  // The innermost ones; what follows an element in the document and lies in it comes next.
  function findClickable(all) {
    const found = all.filter((el) => isClickable(el) && shownArea(el) >= 1);
    return found.filter((el, index) => !found[index + 1] || !el.contains(found[index + 1]));
  }

  function giveLabels(clickable) {
    numbered = clickable;
    const seen = clickable.filter((el) => {
      const { width, height } = clipped(el.getClientRects()[0]);
      return width > 0 || height > 0;
    });
    seen.forEach((el, id) => write(el, "data-label-id", String(id)));
    return seen;
  }

  function read() {
    for (const el of numbered) FORGOTTEN.forEach((name) => write(el, name, null));
    const all = [...document.querySelectorAll("*")];
    all.forEach(describeState);
    Object.assign(view, { left: 0, top: 0, scale: 1, shown: null, coverAt: null, isApart: false, isWhole: false });
    return giveLabels(findClickable(all)).map((el) => {
      const text = cut(squash(el.innerText || el.value || nameOf(el)), 100);
      const box = frames.boxOf(el.getBoundingClientRect());
      return { tag: el.localName, target: { el, tag: el.localName, text, box, kit: kitHere() }, parts: [] };
    });
  }

  const escape = (text, expression) => text.replace(expression, (character) => CHARACTERS[character]);

  // Comments, scripts and styles are cut out of the text by its reader, which takes
  // what looks like one for one. Only then do they have to be told.
  function hasTraps() {
    const isNamedAlike = (el) => /^(style|script)./.test(el.localName);
    return [...document.querySelectorAll("*")].some((el) => isNamedAlike(el)
      || (UNESCAPED.has(el.localName) && /<!--|<style|<script/.test(el.textContent)));
  }

  function startTag(el) {
    const names = el.localName === "meta" ? el.getAttributeNames() : KEPT;
    const attributes = names.map((name) => [name, attributeOf(el, name)]).filter(([, value]) => value !== null);
    return `<${el.localName}${attributes.map(([name, value]) => ` ${name}="${escape(value, /[&\u00a0<>"]/g)}"`).join("")}>`;
  }

  function textOf({ parentNode, data }) {
    const isRaw = parentNode instanceof HTMLElement && UNESCAPED.has(parentNode.localName);
    return isRaw ? data : escape(data, /[&\u00a0<>]/g);
  }

  // Appends a node's text to `pieces`; what lies too deep or is too much is left out.
  function serialize(node, context, depth = 0) {
    const { pieces, isFull } = context;
    if (context.left < 0 || depth > MAX_DEPTH) return;
    const tag = node.localName;
    const add = (piece) => { pieces.push(piece); context.left -= piece.length; };
    if (node.nodeType === Node.TEXT_NODE) add(textOf(node));
    if (node.nodeType === Node.COMMENT_NODE && isFull) add(`<!--${node.data}-->`);
    if (node.nodeType !== Node.ELEMENT_NODE || (!isFull && (tag === "style" || tag === "script"))) return;
    add(startTag(node));
    if (WITHOUT_END.has(tag)) return;
    for (const child of (node.content instanceof DocumentFragment ? node.content : node).childNodes) {
      serialize(child, context, depth + 1);
    }
    add(`</${tag}>`);
  }

  function render(parts, options) {
    const context = { pieces: [], left: options.textLimit, isFull: hasTraps() };
    serialize(document.documentElement, context);
    return context.pieces.join("");
  }

  return { read, render };
})();
