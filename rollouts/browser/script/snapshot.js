// The page as one HTML file that needs nothing else: for the replay.
const snapshot = (() => {
  const REMOVED = "script,noscript,template,iframe,frame,object,embed,base,"
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

  function clean(root) {
    root.querySelectorAll(REMOVED).forEach((el) => el.remove());
    root.querySelectorAll("*").forEach((el) => {
      for (const { name, value } of [...el.attributes]) {
        if (name.startsWith("on") || /^\s*javascript:/i.test(value)) el.removeAttribute(name);
      }
    });
  }

  function snapshot(limit) {
    const fields = "input,textarea,select";
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
    clean(copy);
    copy.setAttribute("data-scroll", `${Math.round(scrollX)},${Math.round(scrollY)}`);
    copy.setAttribute("data-viewport", `${innerWidth},${innerHeight}`);
    const text = `<!doctype html>\n${copy.outerHTML}`;
    return text.length > limit ? `${text.slice(0, limit)}\n<!-- cut -->` : text;
  }

  return snapshot;
})();
