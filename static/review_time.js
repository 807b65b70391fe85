// A stopwatch that runs only while the page is in front and has the focus.
export function startStopwatch() {
  let gathered = 0;
  let since = null;
  const isWatched = () => document.visibilityState === "visible" && document.hasFocus();

  function look() {
    const now = Date.now();
    if (since !== null) gathered += now - since;
    since = isWatched() ? now : null;
  }

  document.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
  window.addEventListener("blur", look);
  look();
  return {
    reset() {
      gathered = 0;
      since = null;
      look();
    },
    seconds() {
      look();
      return (gathered / 1000).toFixed(1);
    },
  };
}
