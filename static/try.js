// Counts the seconds of a trial by hand; does nothing where there is none.
(() => {
  const clock = document.querySelector("[data-seconds]");
  if (!clock) return;
  const since = Date.now() - 1000 * Number(clock.dataset.seconds);
  const show = () => {
    const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
    const minutes = Math.floor(seconds / 60);
    clock.textContent = minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  };
  show();
  setInterval(show, 1000);
})();
