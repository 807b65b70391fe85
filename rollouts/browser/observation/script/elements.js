// Which elements a person could use, and whether the mouse would reach them.
const {
  CLICK_ROLES, isInteractive, isClickedItself, isOpaque, isOnScreen, elementAt, findPoint, nameOf, squash,
  describe,
} = (() => {
  const CLICK_ROLES = new Set([
    "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem",
    "menuitemcheckbox", "menuitemradio", "option", "radio", "searchbox", "slider",
    "spinbutton", "switch", "tab", "textbox", "treeitem",
  ]);
  const NATIVE = new Set(["button", "select", "textarea", "summary", "iframe"]);

  const squash = (text) => (text || "").replace(/\s+/g, " ").trim();

  // A script listens to clicks on it. A listener on the whole page, or on most of
  // the screen, serves what lies there, or closes something.
  function isClickedItself(el) {
    if (!hasClickListener(el) || el === document.body || el === document.documentElement) return false;
    const { width, height } = el.getBoundingClientRect();
    return width * height <= innerWidth * innerHeight / 2;
  }

  function isInteractive(el, tag, style) {
    if (NATIVE.has(tag)) return true;
    if (tag === "input") return el.type !== "hidden";
    if (tag === "a" && el.hasAttribute("href")) return true;
    if (tag === "label") return el.control !== null && !findPoint(el.control);
    if (el.onclick || el.hasAttribute("jsaction")) return true;
    const role = el.getAttribute("role");
    if (role && CLICK_ROLES.has(role)) return true;
    if (el.isContentEditable) return !el.parentElement?.isContentEditable;
    const tabindex = el.getAttribute("tabindex");
    if (tabindex !== null && Number(tabindex) >= 0) return true;
    if (isClickedItself(el)) return true;
    if (style.cursor !== "pointer" || !el.parentElement) return false;
    return getComputedStyle(el.parentElement).cursor !== "pointer";
  }

  const isOpaque = (style) => style.opacity !== "0";

  function elementAt(x, y) {
    let found = document.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  }

  function contains(el, inner) {
    for (let node = inner; node; node = node.parentNode || node.host) {
      if (node === el) return true;
    }
    return false;
  }

  // True where a click on `hit` is a click on `el`; a frame keeps its clicks.
  function reaches(el, hit) {
    if (hit !== el && frames.isFrame(hit?.localName)) return false;
    if (contains(el, hit)) return true;
    const label = hit?.closest?.("label");
    return Boolean(label && label.control === el);
  }

  function visiblePart(rect) {
    const area = frames.shownArea();
    const left = Math.max(rect.left, area.left);
    const top = Math.max(rect.top, area.top);
    const width = Math.min(rect.right, area.right) - left;
    const height = Math.min(rect.bottom, area.bottom) - top;
    return width >= 1 && height >= 1 ? { left, top, width, height } : null;
  }

  const isOnScreen = (el) => [...el.getClientRects()].some(visiblePart);

  // Where a box is tried, as shares of its size: its centre, then its sides.
  const PLACES = [0.5, 0.25, 0.75, 0.1, 0.9].flatMap((x) => [0.5, 0.2, 0.8].map((y) => [x, y]));

  // The point to click, or null: {x, y, box} of the first visible line box of which
  // some place belongs to the element, though its centre may be covered. `report`
  // learns what is in the way. Clicks on the elements `inner` would mean them. Apart
  // from the page (see frames.js) the point comes with all others, `points`.
  function findPoint(el, report = {}, inner = []) {
    let found = null;
    for (const rect of el.getClientRects()) {
      const part = visiblePart(rect);
      if (!part) continue;
      for (const [across, down] of PLACES) {
        const x = part.left + part.width * across;
        const y = part.top + part.height * down;
        const hit = elementAt(x, y);
        const isOurs = hit && reaches(el, hit) && !inner.some((one) => reaches(one, hit));
        const cover = isOurs ? view.coverAt?.(x, y) : hit;
        if (isOurs && !cover) {
          const point = frames.pointOf(x, y);
          found ??= { x: point[0], y: point[1], box: frames.boxOf(rect), points: [] };
          if (!view.isApart) return found;
          found.points.push(point);
        }
        report.cover ??= cover;
      }
    }
    return found;
  }

  function labelOf(el) {
    const texts = [...(el.labels || [])].map((label) => {
      if (!label.contains(el)) return label.textContent;
      const copy = label.cloneNode(true);
      copy.querySelectorAll("input,select,textarea,script,style").forEach((n) => n.remove());
      return copy.textContent;
    });
    const ids = (el.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
    for (const id of ids) texts.push(document.getElementById(id)?.textContent);
    return squash(texts.join(" "));
  }

  const nameOf = (el) => labelOf(el) || squash(el.getAttribute("aria-label"));

  function describe(el) {
    if (!el) return "nothing";
    const text = squash(el.innerText || el.value || nameOf(el)).slice(0, 40);
    return text ? `<${el.localName}> "${text}"` : `<${el.localName}>`;
  }

  return {
    CLICK_ROLES, isInteractive, isClickedItself, isOpaque, isOnScreen, elementAt, findPoint, nameOf, squash,
    describe,
  };
})();
