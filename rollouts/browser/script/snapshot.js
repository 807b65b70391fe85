// The page as one HTML file that needs nothing else: for the replay.
const snapshot = (() => {
  const REMOVED = "script,noscript,template,object,embed,base,"
    + "link:not([rel~=stylesheet]),meta[http-equiv]";
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

  // In a frame nobody moves the page for the replay: it is moved here.
  function scrolledHere() {
    const style = document.createElement("style");
    style.textContent = "html{overflow:hidden}body{position:relative!important;"
      + `left:${-Math.round(scrollX)}px!important;top:${-Math.round(scrollY)}px!important}`;
    return style;
  }

  function clean(root) {
    root.querySelectorAll(REMOVED).forEach((el) => el.remove());
    root.querySelectorAll("*").forEach((el) => {
      for (const { name, value } of [...el.attributes]) {
        if (name.startsWith("on") || /^\s*javascript:/i.test(value)) el.removeAttribute(name);
      }
    });
  }

  // `pages` are the recorded pages of frames of other origins, by their element.
  return function snapshot(limit, pages) {
    const fields = "input,textarea,select";
    const framed = "iframe,frame";
    const sheets = "link[rel~=stylesheet],style";
    const copy = document.documentElement.cloneNode(true);
    const copiedFields = copy.querySelectorAll(fields);
    document.querySelectorAll(fields).forEach((el, i) => copyField(el, copiedFields[i]));
    const copiedSheets = copy.querySelectorAll(sheets);
    document.querySelectorAll(sheets).forEach((el, i) => {
      const style = document.createElement("style");
      style.textContent = el.sheet ? rulesOf(el.sheet) : "";
      copiedSheets[i].replaceWith(style);
    });
    for (const sheet of document.adoptedStyleSheets || []) {
      const style = document.createElement("style");
      style.textContent = rulesOf(sheet);
      copy.querySelector("head")?.append(style);
    }
    const copiedFrames = copy.querySelectorAll(framed);
    document.querySelectorAll(framed).forEach((el, i) => copyFrame(el, copiedFrames[i], pages, limit));
    clean(copy);
    if (window !== window.top && (scrollX || scrollY)) copy.querySelector("body")?.append(scrolledHere());
    copy.setAttribute("data-scroll", `${Math.round(scrollX)},${Math.round(scrollY)}`);
    copy.setAttribute("data-viewport", `${innerWidth},${innerHeight}`);
    const text = `<!doctype html>\n${copy.outerHTML}`;
    return text.length > limit ? `${text.slice(0, limit)}\n<!-- cut -->` : text;
  };
})();
