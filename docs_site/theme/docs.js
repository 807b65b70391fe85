// The dashboard's theme, and a search that loads when somebody turns to it.
(() => {
  window.base_url = document.currentScript.dataset.base;
  const theme = document.cookie.match(/(?:^|; )theme=(light|dark)/);
  if (theme) document.documentElement.dataset.theme = theme[1];

  document.addEventListener("DOMContentLoaded", () => {
    const pages = document.querySelector(".nav details");
    if (window.innerWidth < 860) pages.open = false;
    const form = document.querySelector(".search");
    // A page that was opened from a disk may not start the search's worker.
    if (!window.location.protocol.startsWith("http")) return;
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("focusin", () => {
      const script = document.createElement("script");
      script.src = `${window.base_url}/search/main.js`;
      document.head.append(script);
    }, { once: true });
  });
})();
