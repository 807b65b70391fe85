// What the browser's driver asks of this document, and what it answers, as JSON.

// Text of a page that any database and any file takes: no half characters, no NUL.
const tidy = (text) => String(text).toWellFormed().replaceAll("\0", "");

const formOf = ({ form }) => ({ compact: htmlForm, webrl: webrlForm, accessibility_tree: treeForm })[form];

// What documents of the same origin ask of each other.
const kit = {
  read, act, into: frames.into, renew: frames.renew, pass: frames.pass, coverOf: frames.coverOf,
  scroll: scrolling.scroll, snapshot, activity, notes,
};
const kitHere = () => kit;

// What parts hold for our own use; the page's objects may hold anything.
const OURS = new Set(["el", "kit", "spare"]);

// Reads each value itself: libraries such as Prototype 1.6 give arrays and texts a
// toJSON of their own, which writes something else.
function asItIs(key) {
  return this[key];
}

function withoutObjects(key) {
  return OURS.has(key) ? undefined : this[key];
}

Object.defineProperty(window, "__webrl", {
  value: (() => {
    // The last look, until the frames of other origins in it are known.
    let looked = null;

    async function look(options, inside = null) {
      // Where no script may run, no timer would end the wait.
      const settle = inside?.isStill ? 0 : await activity.settle(options.limits);
      const start = performance.now();
      const apart = [];
      const parts = readPage(options, inside, apart);
      looked = { options, settle, start, apart, parts, isInside: Boolean(inside), pages: new Map() };
      if (!apart.length) return complete([]);
      return JSON.stringify({ apart: apart.map(({ inside: told }) => told) }, asItIs);
    }

    // WebRL's form shows frames as elements and never looks into them.
    function readPage(options, inside, apart) {
      if (options.form === "webrl") return webrlForm.read();
      const screen = options.whole ? null : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
      return read(options, inside?.outer || {}, inside ? inside.screen : screen, apart).parts;
    }

    // Put in what the frames of other origins said (null: nothing) and answer.
    function complete(insides) {
      const { options, apart } = looked;
      insides.forEach((inside, index) => {
        if (inside) looked.pages.set(apart[index].el, inside.snapshot);
      });
      if (apart.length) looked.parts = graft(looked.parts, insides, apart);
      const table = number(looked.parts);
      if (looked.isInside) return JSON.stringify(describeInside(), withoutObjects);
      return JSON.stringify(describePage(table), asItIs);

      function describeInside() {
        return {
          parts: looked.parts, url: location.href, opened: activity.opened(), notes: notes.take(),
          snapshot: recorded(),
        };
      }

      function describePage() {
        return {
          viewport: [innerWidth, innerHeight],
          text: tidy(cut(formOf(options).render(looked.parts, options), options.textLimit)),
          elements: table.map(({ id, tag, text, box }) => ({ id, tag, text: tidy(text), box })),
          url: tidy(location.href).slice(0, 4000),
          title: tidy(document.title || "").slice(0, 300),
          ...recordedByName(),
          status: performance.getEntriesByType("navigation")[0]?.responseStatus || 0,
          opened: activity.opened() + insides.reduce((sum, one) => sum + (Number(one?.opened) || 0), 0),
          notes: [notes.take(), ...insides.map((one) => one?.notes || [])].flat().map(String),
          told: options.asksEnding && window.__webrlEnding ? [window.__webrlEnding()] : [],
          settle: looked.settle,
          observe: performance.now() - looked.start,
        };
      }

      // Style sheets that the driver has from earlier looks are not told again.
      function recordedByName() {
        if (!options.snapshotLimit) return { snapshot: "", sheets: {}, origin: "" };
        const { origin } = location;
        const known = options.knownSheets?.[origin] || [];
        const { text, sheets } = snapshot.withNames(options.snapshotLimit, looked.pages, known);
        for (const name of Object.keys(sheets)) sheets[name] = tidy(sheets[name]);
        return { snapshot: tidy(text), sheets, origin };
      }

      function recorded() {
        return options.snapshotLimit ? tidy(snapshot(options.snapshotLimit, looked.pages)) : "";
      }
    }

    function noElement(id, shownId) {
      if (shownId !== null) return { error: `Element ${shownId} is gone since the page was observed.` };
      const last = elements.size - 1;
      return { error: last < 0 ? "This page has no elements with an id."
        : `There is no element ${id} on this page; ids run from 0 to ${last}.` };
    }

    // Do something with an element; one in a frame of another origin is its document's.
    // `shownId` is what the agent calls it, null where that is its id here.
    function onElement(name, id, shownId, ...args) {
      const target = elements.get(id);
      if (!target) return noElement(id, shownId);
      if (target.apart !== undefined) return { apart: target.apart, inner: target.inner };
      target.kit.renew();
      const others = [...elements.values()].map((one) => one.el).filter(Boolean);
      return target.kit.act[name]({ el: target.el, id: shownId ?? id, others }, ...args);
    }

    // Before an element in a frame of another origin is used: show the frame.
    function showFrame(number) {
      const { el, own } = looked.apart[number];
      if (!el.isConnected) return { isGone: true };
      if (view.isWhole && !isOnScreen(el)) {
        el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      }
      own.renew();
      return { shown: own.into(el).shown };
    }

    // Then: where its points are from here, or what covers them.
    function passPoints(number, found, shownId) {
      const { el, own } = looked.apart[number];
      const passed = own.pass(el, found);
      if (!passed) return { error: `Element ${shownId} is covered by ${describe(own.coverOf(el, found.points[0]))}.` };
      return { x: passed.points[0][0], y: passed.points[0][1], ...passed };
    }

    function act(name, ...args) {
      const calls = {
        onElement, showFrame, passPoints,
        setShown: (shown) => { view.shown = shown; return {}; },
        scroll: (by, asksFrames) => scrolling.scroll(by, asksFrames ? looked?.apart || [] : []),
      };
      return JSON.stringify(calls[name](...args), asItIs);
    }

    return Object.freeze({ act, look, complete, settle: activity.settle, stay: activity.stay, frameAt: (number) => looked.apart[number].el, kit });
  })(),
});
