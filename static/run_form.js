// Marks and counts what differs from the preset or the parent run; the server lists it.
(() => {
  const form = document.querySelector("[data-run-form]");
  if (!form || form.elements.view.value === "json") return;
  const inputs = [...form.querySelectorAll(".settings [name]")].filter((input) => input.name.includes("."));
  // A setting is one input, or several ticks of one name.
  const settings = [...new Set(inputs.map((input) => input.name))].map((name) => {
    const own = inputs.filter((input) => input.name === name);
    const box = own[0].closest(".field");
    return { name, own, box, initial: box.dataset.initial, isList: Boolean(own[0].closest("fieldset")) };
  });
  const ticked = (own) => own.filter((input) => input.checked).map((input) => input.value).sort().join(" ");

  function same({ own, initial, isList }) {
    const [input] = own;
    if (isList) return ticked(own) === initial.split(" ").filter(Boolean).sort().join(" ");
    if (input.type === "checkbox") return input.checked === (initial === "True");
    if (Number.isNaN(Number(initial))) return input.value === initial;
    return Number(input.value) === Number(initial);
  }

  function compare() {
    const changed = settings.filter((setting) => !same(setting));
    for (const setting of settings) setting.box.classList.toggle("is-changed", changed.includes(setting));
    const line = form.querySelector("[data-changed]");
    const names = changed.map((setting) => setting.name.split(".")[1]).join(", ");
    const differ = ngettext("%(count)s differs from %(base)s: %(names)s", "%(count)s differ from %(base)s: %(names)s", changed.length);
    const text = changed.length ? differ : gettext("Every setting is as in %(base)s.");
    line.textContent = interpolate(text, { count: changed.length, base: form.dataset.base, names });
  }
  // What is wrong changes with each check: the fields say the same as the list above them.
  function mark() {
    const wrong = new Set([...form.querySelectorAll("#problems a")].map((link) => link.hash.slice(1)));
    for (const box of form.querySelectorAll(".settings > .field")) {
      const field = box.querySelector("fieldset, [name]");
      if (wrong.has(field.id)) field.setAttribute("aria-invalid", "true");
      else for (const stale of box.querySelectorAll("[aria-invalid]")) stale.removeAttribute("aria-invalid");
      if (!wrong.has(field.id)) box.querySelector(".errorlist")?.remove();
    }
  }
  form.addEventListener("htmx:afterSettle", mark);
  form.addEventListener("input", compare);
  compare();
})();
