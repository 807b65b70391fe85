// What the agent should be told of its last action, until the next look takes it:
// "late": a page did not come in time. "slow": it has begun to come. "download": the
// page saves a file. "file": the page asked for a file, and a file
// cannot be given, so what would choose one is stopped.
const notes = (() => {
  const noted = new Set();
  const asksFile = (el) => el instanceof HTMLInputElement && el.type === "file";

  window.addEventListener("click", (event) => {
    if (!asksFile(event.composedPath()[0])) return;
    event.preventDefault();
    noted.add("file");
  }, true);

  // An input that is in no document tells nobody of its clicks.
  for (const [kind, name] of [[HTMLElement, "click"], [HTMLInputElement, "showPicker"]]) {
    const real = kind.prototype[name];
    kind.prototype[name] = function pick(...args) {
      if (!asksFile(this) || (name === "click" && this.isConnected)) return real.apply(this, args);
      noted.add("file");
      return undefined;
    };
  }

  if (window.showOpenFilePicker) {
    window.showOpenFilePicker = () => {
      noted.add("file");
      return Promise.reject(new DOMException("The user aborted a request.", "AbortError"));
    };
  }

  function take() {
    const taken = [...noted];
    noted.clear();
    return [...taken, ...frames.kits().flatMap((kit) => kit.notes.take())];
  }

  return { add: (note) => noted.add(note), take };
})();
