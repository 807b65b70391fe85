// Scrolling: what is in the middle of the screen, else the page, else the largest
// part of it that can be seen. Distances in CSS pixels, down and right are positive.
const scrolling = (() => {
  const isRoot = (el) => el === document.body || el === document.documentElement;

  // Whether it has further to go in that direction.
  function moves(el, { x, y }) {
    const down = y > 0 ? el.scrollTop + el.clientHeight < el.scrollHeight - 1 : y < 0 && el.scrollTop > 0;
    const across = x > 0 ? el.scrollLeft + el.clientWidth < el.scrollWidth - 1 : x < 0 && el.scrollLeft > 0;
    return down || across;
  }

  function scrolls(el, by) {
    if (el.nodeType !== Node.ELEMENT_NODE || isRoot(el) || !moves(el, by)) return false;
    const { overflowX, overflowY } = getComputedStyle(el);
    return /auto|scroll/.test(by.y ? overflowY : overflowX);
  }

  // What a person would call around it: slots and shadow roots lie between.
  const around = (node) => node.assignedSlot || node.parentNode || node.host;

  // All elements as they are laid out, those of shadow roots included.
  function collect(el, found) {
    for (const child of childrenOf(el)) {
      if (child.nodeType !== Node.ELEMENT_NODE) continue;
      found.push(child);
      collect(child, found);
    }
    return found;
  }

  function largest(by, all) {
    const shown = (part) => part.localName !== "textarea" && part.localName !== "select" && findPoint(part);
    const size = (part) => part.clientWidth * part.clientHeight;
    const parts = all.filter((part) => scrolls(part, by) && shown(part));
    return parts.sort((a, b) => size(b) - size(a))[0] || null;
  }

  function move(el, by) {
    const height = Math.min(innerHeight, el.clientHeight);
    const top = by.screens ? by.y * Math.round(height * by.screens) : by.y;
    el.scrollBy({ left: by.x, top, behavior: "instant" });
    return { isDone: true };
  }

  // A frame scrolls what it holds: true when it did, its number when it must be asked.
  function moveInside(frame, by, apart) {
    const kit = frames.kitOf(frame);
    if (kit) return kit.scroll(by, []).isDone === true;
    const number = apart.findIndex((one) => one.el === frame);
    return number >= 0 ? number : false;
  }

  // `apart` are the frames of other origins that may be asked.
  function scroll(by, apart) {
    const middle = elementAt(innerWidth / 2, innerHeight / 2);
    const isHeld = (el) => frames.isFrame(el.localName) && findPoint(el);
    const tried = middle && isHeld(middle) ? [middle] : [];
    const ask = (some) => {
      for (const frame of some) {
        const done = moveInside(frame, by, apart);
        if (done !== false) return done === true ? { isDone: true } : { apart: done };
      }
      return null;
    };
    const asked = ask(tried);
    if (asked) return asked;
    for (let el = middle; el && !isRoot(el); el = around(el)) {
      if (scrolls(el, by)) return move(el, by);
    }
    const root = document.scrollingElement;
    if (root && moves(root, by)) return move(root, by);
    const all = collect(document.documentElement, []);
    const part = largest(by, all);
    if (part) return move(part, by);
    const last = ask(all.filter((one) => one !== middle && isHeld(one)));
    if (last) return last;
    const end = by.y ? (by.y > 0 ? "bottom" : "top") : (by.x > 0 ? "right end" : "left end");
    return { error: `The page is already at its ${end}.` };
  }

  return { scroll };
})();
