// Which elements a script listens to for clicks: many show it in no other way.
const hasClickListener = (() => {
  const CLICKS = new Set(["click", "dblclick"]);
  const listened = new WeakSet();
  const realAdd = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(type, ...rest) {
    if (CLICKS.has(type) && this instanceof Element) listened.add(this);
    return realAdd.call(this, type, ...rest);
  };
  return (el) => listened.has(el);
})();
