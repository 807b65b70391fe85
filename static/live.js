// The socket only says "news up to id N"; the page then fetches its own part.
// Without a socket the part is fetched now and then, and a badge says so.
(() => {
  const QUIET_MS = 250;
  const POLL_MS = 5000;
  // Signed out, or the phase is gone: asking again would change nothing.
  const FINAL_CODES = [4401, 4404];

  for (const part of document.querySelectorAll("[data-live]")) follow(part);

  function follow(part) {
    let known = Number(part.dataset.lastId || 0);
    let wanted = known;
    let pause = 500;
    let timer = 0;
    let isOpen = false;
    let isFinal = false;
    let isBusy = false;

    function ask() {
      if (timer || document.hidden) return;
      timer = setTimeout(() => {
        timer = 0;
        if (isBusy) return;
        isBusy = true;
        known = wanted;
        window.htmx.ajax("GET", part.getAttribute("hx-get"), { target: part, swap: "innerHTML" })
          .catch(() => {})
          .finally(() => {
            isBusy = false;
            if (wanted > known) ask();
          });
      }, QUIET_MS);
    }

    function connect() {
      const scheme = location.protocol === "https:" ? "wss:" : "ws:";
      const socket = new WebSocket(`${scheme}//${location.host}${part.dataset.live}`);
      socket.addEventListener("open", () => {
        isOpen = true;
        pause = 500;
        part.removeAttribute("data-stale");
      });
      socket.addEventListener("message", (event) => {
        const news = JSON.parse(event.data);
        if (news.last_id > wanted) {
          wanted = news.last_id;
          ask();
        }
      });
      socket.addEventListener("close", (event) => {
        isOpen = false;
        isFinal = FINAL_CODES.includes(event.code);
        const said = isFinal ? gettext("Not connected") : gettext("Not connected: refreshed every few seconds instead.");
        part.setAttribute("data-stale", said);
        if (isFinal) return;
        setTimeout(connect, pause);
        pause = Math.min(pause * 2, 15000);
      });
    }

    setInterval(() => {
      if (!isOpen && !isFinal) ask();
    }, POLL_MS);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) ask();
    });

    // A refresh keeps the place in a long list.
    let tops = [];
    part.addEventListener("htmx:beforeSwap", () => {
      tops = [...part.querySelectorAll(".log")].map((log) => log.scrollTop);
    });
    part.addEventListener("htmx:afterSwap", () => {
      [...part.querySelectorAll(".log")].forEach((log, i) => {
        log.scrollTop = tops[i] || 0;
      });
    });
    connect();
  }
})();
