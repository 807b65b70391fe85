// The page as one HTML file that needs nothing else: for the replay.
const snapshot = (() => {
  const REMOVED = "script,noscript,template,object,embed,base,"
    + "link:not([rel~=stylesheet]),meta[http-equiv]";
  const SHEET = "data-recorded-sheet";
  const SHORT_SHEET = 500;
  const styleTexts = new WeakMap();

  function rulesOf(sheet) {
    const known = styleTexts.get(sheet);
    try {
      if (known && known.count === sheet.cssRules.length) return known.text;
      const lines = [];
      for (const rule of sheet.cssRules) {
        lines.push(rule.styleSheet ? rulesOf(rule.styleSheet) : rule.cssText);
      }
      const text = lines.join("\n").replace(/<\//g, "<\\/");
      styleTexts.set(sheet, { count: sheet.cssRules.length, text });
      return text;
    } catch {
      return "";
    }
  }

  function copyField(from, to) {
    if (from.localName === "textarea") to.textContent = from.value;
    else if (from.localName === "select") {
      [...to.options].forEach((option, index) => {
        option.toggleAttribute("selected", from.options[index].selected);
      });
    } else if (from.type === "checkbox" || from.type === "radio") {
      to.toggleAttribute("checked", from.checked);
    } else if (from.type === "password") {
      to.setAttribute("value", from.value && "********");
    } else if (from.type !== "file") to.setAttribute("value", from.value);
  }

  const NOTICE = "<!doctype html><body style='margin:0;display:grid;place-items:center;height:100vh;"
    + "box-sizing:border-box;border:2px dashed #888;font:14px sans-serif;color:#555'>This frame was not recorded.";
  const KEPT = ["id", "class", "style", "width", "height", "title", "frameborder", "scrolling"];

  // A frame becomes one that holds its own page as text, or says that it cannot.
  // Each is built anew: what the page itself wrote there is not kept.
  function copyFrame(from, to, pages, limit) {
    const frame = document.createElement("iframe");
    for (const name of KEPT) {
      if (to.hasAttribute(name)) frame.setAttribute(name, to.getAttribute(name));
    }
    const kit = frames.kitOf(from);
    frame.setAttribute("data-recorded", "");
    frame.setAttribute("sandbox", "");
    frame.setAttribute("srcdoc", kit ? kit.snapshot(limit, pages) : pages.get(from) || NOTICE);
    to.replaceWith(frame);
  }

  // A dialog or popover of the top layer is centred by the browser, from its state
  // alone. The copy has no such state, so it carries the box that was seen.
  const ON_TOP = ":modal,:popover-open";
  const LAST_LAYER = 2147483647;

  function pinToSeenBox(from, to) {
    const box = from.getBoundingClientRect();
    const { display, boxShadow } = getComputedStyle(from);
    const backdrop = `0 0 0 200vmax ${getComputedStyle(from, "::backdrop").backgroundColor}`;
    const style = {
      display, position: "fixed", inset: "auto", left: `${box.left}px`, top: `${box.top}px`,
      width: `${box.width}px`, height: `${box.height}px`, "max-width": "none", "max-height": "none",
      margin: "0", transform: "none", "box-sizing": "border-box", "z-index": LAST_LAYER,
      "box-shadow": boxShadow === "none" ? backdrop : `${boxShadow}, ${backdrop}`,
    };
    for (const [name, value] of Object.entries(style)) to.style.setProperty(name, value, "important");
  }

  // Both have the same elements, in the same order.
  function pinTopLayer(from, to) {
    const seen = [...from.querySelectorAll(ON_TOP)];
    if (!seen.length) return;
    const all = "dialog,[popover]";
    const copies = to.querySelectorAll(all);
    from.querySelectorAll(all).forEach((el, i) => {
      if (seen.includes(el)) pinToSeenBox(el, copies[i]);
    });
  }

  // In a frame nobody moves the page for the replay: it is moved here.
  function scrolledHere() {
    const style = document.createElement("style");
    style.textContent = "html{overflow:hidden}body{position:relative!important;"
      + `left:${-Math.round(scrollX)}px!important;top:${-Math.round(scrollY)}px!important}`;
    return style;
  }

  // Written out, an attribute that runs something looks like one of these; where
  // nothing does, no element need be visited.
  const RUNS = /\son[^\s=]*="|javascript:/i;

  function dropHandlers(root) {
    root.querySelectorAll("*").forEach((el) => {
      if (el instanceof HTMLTemplateElement) dropHandlers(el.content);
      for (const name of el.getAttributeNames()) {
        const runs = /^on/i.test(name) || /^\s*javascript:/i.test(el.getAttribute(name));
        if (runs) el.removeAttribute(name);
      }
    });
  }

  function write(root) {
    const text = root.outerHTML;
    if (!RUNS.test(text)) return text;
    dropHandlers(root);
    return root.outerHTML;
  }

  // Names a text: two sums of 32 bits and its length.
  function nameOf(text) {
    let one = 0x811c9dc5;
    let other = 0x2545f491;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul((other << 5) ^ (other >>> 7) ^ code, 0x85ebca6b);
    }
    return [one, other, text.length].map((n) => (n >>> 0).toString(16)).join("-");
  }

  // The sheet for the copy. Short ones, and all where nobody collects the texts, are
  // written out; of the others the copy holds the name, and `told` what is new.
  function copySheet(sheet, told) {
    const style = document.createElement("style");
    const text = sheet ? rulesOf(sheet) : "";
    const kept = text.length > SHORT_SHEET && styleTexts.get(sheet);
    if (!told || !kept) {
      style.textContent = text;
      return style;
    }
    kept.name ??= nameOf(text);
    style.setAttribute(SHEET, kept.name);
    told.length += text.length;
    if (!told.known.has(kept.name)) told.texts[kept.name] = text;
    return style;
  }

  // Elements with an open shadow root, by their place among all. A form has a field of
  // its own where one is called "shadowRoot".
  function hostsIn(root) {
    const hosts = new Map();
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let i = 0; walker.nextNode(); i += 1) {
      const el = walker.currentNode;
      if (el.shadowRoot && el.shadowRoot instanceof ShadowRoot) hosts.set(i, el);
    }
    return hosts;
  }

  // A copy has the same elements as what it is of, and becomes what was seen of them.
  function complete(from, to, record) {
    const { limit, pages, told } = record;
    const fields = "input,textarea,select";
    const framed = "iframe,frame";
    const sheets = "link[rel~=stylesheet],style";
    const hosts = hostsIn(from);
    const copies = hosts.size ? to.querySelectorAll("*") : [];
    const copiedFields = to.querySelectorAll(fields);
    from.querySelectorAll(fields).forEach((el, i) => copyField(el, copiedFields[i]));
    const copiedSheets = to.querySelectorAll(sheets);
    from.querySelectorAll(sheets).forEach((el, i) => copiedSheets[i].replaceWith(copySheet(el.sheet, told)));
    pinTopLayer(from, to);
    const copiedFrames = to.querySelectorAll(framed);
    from.querySelectorAll(framed).forEach((el, i) => copyFrame(el, copiedFrames[i], pages, limit));
    to.querySelectorAll(REMOVED).forEach((el) => el.remove());
    for (const [i, host] of hosts) copies[i].prepend(copyShadow(host.shadowRoot, record));
  }

  const copySheets = (root, told) => [...root.adoptedStyleSheets || []].map((sheet) => copySheet(sheet, told));

  // A shadow root as the template of which a browser makes one where it reads it.
  function copyShadow(root, record) {
    const template = document.createElement("template");
    const { content } = template;
    template.setAttribute("shadowrootmode", "open");
    for (const child of root.childNodes) content.append(content.ownerDocument.importNode(child, true));
    complete(root, content, record);
    content.append(...copySheets(root, record.told));
    return template;
  }

  // `pages` are the recorded pages of frames of other origins, by their element. The
  // copy is of a document that shows nothing: there no element of the page's own runs.
  function copyPage(limit, pages, told) {
    const blank = document.implementation.createHTMLDocument("");
    const copy = blank.importNode(document.documentElement, true);
    complete(document.documentElement, copy, { limit, pages, told });
    copy.querySelector("head")?.append(...copySheets(document, told));
    if (window !== window.top && (scrollX || scrollY)) copy.querySelector("body")?.append(scrolledHere());
    copy.setAttribute("data-scroll", `${Math.round(scrollX)},${Math.round(scrollY)}`);
    copy.setAttribute("data-viewport", `${innerWidth},${innerHeight}`);
    return `<!doctype html>\n${write(copy)}`;
  }

  function snapshot(limit, pages) {
    const text = copyPage(limit, pages, null);
    return text.length > limit ? `${text.slice(0, limit)}\n<!-- cut -->` : text;
  }

  // The page with the names of its style sheets instead of their texts, and those
  // texts that are not `known` by name. A page that has to be cut has them all inside.
  snapshot.withNames = (limit, pages, known) => {
    const told = { known: new Set(known), texts: {}, length: 0 };
    const text = copyPage(limit, pages, told);
    if (text.length + told.length > limit) return { text: snapshot(limit, pages), sheets: {} };
    return { text, sheets: told.texts };
  };
  return snapshot;
})();
