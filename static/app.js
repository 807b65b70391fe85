// Small comforts that every page shares; each page works without them.
(() => {
  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-nav-toggle]");
    if (toggle) {
      const nav = document.getElementById(toggle.getAttribute("aria-controls"));
      const isOpen = nav.classList.toggle("is-open");
      toggle.setAttribute("aria-expanded", String(isOpen));
    }
    const opener = event.target.closest("[data-dialog]");
    if (opener) document.getElementById(opener.dataset.dialog).showModal();
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  });

  // Filters apply as soon as a choice is pointed at, or by their button: by keyboard each
  // arrow key is a choice, and where they are folded away several are chosen at a time.
  // Empty ones stay out of the address.
  let isByKey = false;
  document.addEventListener("keydown", () => {
    isByKey = true;
  }, true);
  document.addEventListener("pointerdown", () => {
    isByKey = false;
  }, true);
  document.addEventListener("change", (event) => {
    const form = event.target.closest("[data-filter-form]");
    const isFolded = form?.closest("details")?.querySelector("summary").checkVisibility();
    if (form && !isFolded && !isByKey && event.target.matches("select")) form.requestSubmit();
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-filter-form]")) {
      for (const field of event.target.elements) {
        if (field.name && !field.value) field.disabled = true;
      }
    }
    const question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });
  window.addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("[data-filter-form] :disabled")) {
      field.disabled = false;
    }
  });

  // Where a part cannot be had, the whole page says why.
  for (const name of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(name, (event) => {
      if (event.detail.xhr.status === 401) tellSignedOut(event.detail.xhr.responseText);
      else if (event.target.matches("form[data-or-page]")) event.target.submit();
      // The desk says it beside its own buttons; what only looks had nothing to save.
      else if (event.target.matches("form[hx-post]") && !event.target.closest("[data-desk]")) tellUnsaved();
    });
  }

  function tellUnsaved() {
    const line = document.createElement("div");
    line.className = "notice notice-bad";
    line.dataset.unsaved = "";
    line.textContent = gettext("Not saved. Try again.");
    forgetUnsaved();
    document.getElementById("toasts").append(line);
  }
  function forgetUnsaved() {
    document.querySelector("[data-unsaved]")?.remove();
  }

  // A session that is over: the page stays with what was typed, and says so once.
  function tellSignedOut(notice) {
    const place = document.getElementById("signed-out");
    if (place.firstElementChild) return;
    place.replaceChildren(...new DOMParser().parseFromString(notice, "text/html").body.childNodes);
  }
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) return;
    document.getElementById("signed-out").replaceChildren();
    if (event.detail.requestConfig.verb !== "get") forgetUnsaved();
  });

  // Signing in, as in another tab, ends the tokens that the forms of this page were sent.
  function renewTokens() {
    const token = document.cookie.match(/(?:^|; )webrl_csrf=([^;]+)/)?.[1];
    if (!token) return;
    for (const field of document.getElementsByName("csrfmiddlewaretoken")) field.value = token;
    document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
  }
  window.addEventListener("focus", renewTokens);
  document.addEventListener("submit", renewTokens, true);
  document.addEventListener("htmx:confirm", renewTokens);

  // What is said in one line in parts of the page that are fetched anew. A screen reader
  // is told when that changes; of a part that holds it each fetching would be news.
  const told = new WeakMap();
  function readLine(region) {
    const places = [...document.querySelectorAll(region.dataset.tells)];
    return places.map((place) => place.textContent.trim().replace(/\s+/g, " ")).join(" ");
  }
  function tellChanges() {
    for (const region of document.querySelectorAll("[data-tells]")) {
      const line = readLine(region);
      if (line !== told.get(region)) region.textContent = line;
      told.set(region, line);
    }
  }

  // Times in the reader's own zone and language; the server wrote UTC.
  function localise(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([data-done])")) {
      const moment = new Date(time.dateTime);
      time.dataset.done = "";
      time.title = time.dateTime;
      const isToday = moment.toDateString() === new Date().toDateString();
      const day = isToday ? {} : { month: "short", day: "numeric" };
      const options = time.dataset.short !== undefined
        ? { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit" }
        : { dateStyle: "medium", timeStyle: "short" };
      time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, options).format(moment);
    }
  }
  document.addEventListener("DOMContentLoaded", () => {
    localise(document);
    for (const region of document.querySelectorAll("[data-tells]")) told.set(region, readLine(region));
  });
  document.addEventListener("htmx:afterSwap", () => {
    localise(document);
    tellChanges();
  });
  // Scripts that put a part of a page in place by themselves tell of it.
  document.addEventListener("partchange", () => localise(document));
})();
