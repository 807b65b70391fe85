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
    if (isRoot(el) || !moves(el, by)) return false;
    const { overflowX, overflowY } = getComputedStyle(el);
    return /auto|scroll/.test(by.y ? overflowY : overflowX);
  }

  function largest(by) {
    const shown = (part) => part.localName !== "textarea" && part.localName !== "select" && findPoint(part);
    const size = (part) => part.clientWidth * part.clientHeight;
    const parts = [...document.querySelectorAll("body *")].filter((part) => scrolls(part, by) && shown(part));
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
    const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    const held = [...document.querySelectorAll("iframe,frame")].filter((one) => findPoint(one));
    const tried = held.includes(middle) ? [middle] : [];
    const ask = (some) => {
      for (const frame of some) {
        const done = moveInside(frame, by, apart);
        if (done !== false) return done === true ? { isDone: true } : { apart: done };
      }
      return null;
    };
    const asked = ask(tried);
    if (asked) return asked;
    for (let el = middle; el && !isRoot(el); el = el.parentElement) {
      if (scrolls(el, by)) return move(el, by);
    }
    const root = document.scrollingElement;
    if (root && moves(root, by)) return move(root, by);
    const part = largest(by);
    if (part) return move(part, by);
    const last = ask(held.filter((one) => !tried.includes(one)));
    if (last) return last;
    const end = by.y ? (by.y > 0 ? "bottom" : "top") : (by.x > 0 ? "right end" : "left end");
    return { error: `The page is already at its ${end}.` };
  }

  return { scroll };
})();
