// Documents within the document. Each runs this script; where one lies on the screen
// and what covers it is known to the document around it, which says so before each use.
//
// left, top, scale: its corner in the top page. shown: the part of its window that is
// seen, null for all of it. coverAt: what lies over one of its points, outside of it.
// isApart: the documents around it have another origin; they judge its points.
const view = {
  left: 0, top: 0, scale: 1, shown: null, coverAt: null, isApart: false, isWhole: false,
};

const frames = (() => {
  const isFrame = (tag) => tag === "iframe" || tag === "frame";

  // What a document of our own origin offers to the one around it, else null.
  function kitOf(frame) {
    try {
      return frame.contentWindow.__webrl.kit;
    } catch {
      return null;
    }
  }

  const isApart = (frame) => Boolean(frame.contentWindow) && !frame.contentDocument;

  // Frames in shadow roots, which no selector finds, as the walk meets them.
  const hidden = new Set();

  function meet(frame) {
    if (frame.getRootNode() !== document) hidden.add(frame);
  }

  function kits() {
    if (!window.length && !hidden.size) return [];
    for (const frame of hidden) {
      if (!frame.isConnected || frame.getRootNode() === document) hidden.delete(frame);
    }
    return [...document.querySelectorAll("iframe,frame"), ...hidden].map(kitOf).filter(Boolean);
  }

  const windowArea = () => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  const shownArea = () => view.shown || windowArea();

  // A rectangle of this document, in CSS pixels of the top page.
  function boxOf({ left, top, width, height }) {
    const { scale } = view;
    return [view.left + left * scale, view.top + top * scale, width * scale, height * scale].map(Math.round);
  }

  const pointOf = (x, y) => [view.left + x * view.scale, view.top + y * view.scale];

  // The view of the document in a frame, of which no more than the clip is seen.
  function into(frame, clip = shownArea()) {
    const rect = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    const padding = (side) => parseFloat(style[`padding${side}`]) || 0;
    const scale = rect.width / frame.offsetWidth || 1;
    const left = rect.left + (frame.clientLeft + padding("Left")) * scale;
    const top = rect.top + (frame.clientTop + padding("Top")) * scale;
    const width = frame.clientWidth - padding("Left") - padding("Right");
    const height = frame.clientHeight - padding("Top") - padding("Bottom");
    const seen = shownArea();
    const shown = {
      left: Math.max((Math.max(clip.left, seen.left) - left) / scale, 0),
      top: Math.max((Math.max(clip.top, seen.top) - top) / scale, 0),
      right: Math.min((Math.min(clip.right, seen.right) - left) / scale, width),
      bottom: Math.min((Math.min(clip.bottom, seen.bottom) - top) / scale, height),
    };
    const coverAt = (x, y) => {
      const [across, down] = [left + x * scale, top + y * scale];
      const hit = elementAt(across, down);
      return hit === frame ? view.coverAt?.(across, down) : hit || frame;
    };
    const [x, y] = pointOf(left, top);
    return {
      left: x, top: y, scale: view.scale * scale, shown, coverAt,
      isApart: view.isApart, isWhole: view.isWhole,
    };
  }

  // Ask the documents around this one where it lies by now.
  function renew() {
    let frame = null;
    try {
      frame = window.frameElement;
    } catch { /* Those around it have another origin and have said it. */ }
    if (!frame) return;
    const outer = window.parent.__webrl.kit;
    outer.renew();
    Object.assign(view, outer.into(frame));
  }

  // Of an element in a frame of another origin: which of its points are not covered
  // here, and its box, moved from the frame's coordinates to ours; or null.
  function pass(frame, { points, box }) {
    const { left, top, scale, coverAt } = into(frame);
    const moved = [left + box[0] * scale, top + box[1] * scale, box[2] * scale, box[3] * scale];
    const free = points && points.filter(([x, y]) => !coverAt(x, y));
    if (free && !free.length) return null;
    return {
      points: free?.map(([x, y]) => [left + x * scale, top + y * scale]),
      box: moved.map(Math.round),
    };
  }

  const coverOf = (frame, [x, y]) => into(frame).coverAt(x, y);

  return {
    isFrame, isApart, kitOf, kits, meet, shownArea, boxOf, pointOf, into, renew, pass, coverOf,
  };
})();
