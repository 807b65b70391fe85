// Says that a decision is being saved where the answer takes longer than a moment.
const SLOW_MS = 500;

export function sayWhenSlow(desk) {
  const SAVING = gettext("Saving…");
  const line = () => desk.querySelector("[data-said]");
  let timer = 0;

  // What comes in place of the desk has its own news.
  document.body.addEventListener("htmx:beforeSwap", () => clearTimeout(timer));
  return (isSaving) => {
    clearTimeout(timer);
    if (isSaving) {
      timer = setTimeout(() => {
        line().textContent = SAVING;
      }, SLOW_MS);
    } else if (line().textContent === SAVING) {
      line().textContent = "";
    }
  };
}
