// A press on the picture chooses an element and what one does with it; a click is
// carried out at once. Without scripts the links choose and the form does the rest.
(() => {
  const find = (id) => document.getElementById(id);

  function show() {
    const action = find("wish-action");
    if (!action) return;
    const wants = (action.selectedOptions[0]?.dataset.wants || "").split(" ");
    find("wish-element").disabled = !wants.includes("element");
    document.querySelector("[data-argument]").hidden = !wants.includes("argument");
    const chosen = find("wish-element").disabled ? "" : find("wish-element").value;
    for (const mark of document.querySelectorAll("[data-mark]"))
      mark.classList.toggle("is-chosen", mark.dataset.mark === chosen);
  }

  function choose(element, action) {
    find("wish-element").disabled = false;
    find("wish-element").value = element;
    find("wish-action").value = action;
    show();
  }

  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-mark]");
    if (!mark || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(mark.dataset.mark, mark.dataset.action);
    find("wish-line").value = "";
    if (mark.dataset.action === "Click") document.querySelector("[data-wish]").requestSubmit();
    else find("wish-argument").focus();
  });

  document.addEventListener("change", (event) => {
    if (event.target.id === "wish-element") {
      const fitting = event.target.selectedOptions[0]?.dataset.action;
      if (fitting) find("wish-action").value = fitting;
    }
    if (event.target.id.startsWith("wish-")) show();
  });

  function prepare() {
    const element = find("wish-element");
    const fitting = element?.selectedOptions[0]?.dataset.action;
    if (fitting && !document.querySelector("[data-wish] [role=alert]"))
      find("wish-action").value = fitting;
    show();
    until = null;
    count();
  }

  let until = null;
  function count() {
    const left = document.querySelector("[data-seconds-left]");
    if (!left) return;
    until ??= Date.now() + 1000 * Number(left.dataset.secondsLeft);
    const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
    const rest = String(seconds % 60).padStart(2, "0");
    left.textContent = `${Math.floor(seconds / 60)}:${rest}`;
  }

  document.addEventListener("htmx:afterSettle", prepare);
  setInterval(count, 1000);
  prepare();
})();
