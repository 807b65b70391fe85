// Marks, counts and lists what differs from the preset or the parent run: the bar and
// the list are made from one comparison, so that they say the same at every key.
(() => {
  const form = document.querySelector("[data-run-form]");
  if (!form || form.elements.view.value === "json") return;
  const inputs = [...form.querySelectorAll(".settings [name]")].filter(
    // A sweep is of the launch and no setting of a run.
    (input) => input.name !== "name" && !input.closest("[data-sweep]"),
  );
  // A setting is one input, or several ticks of one name.
  const settings = [...new Set(inputs.map((input) => input.name))].map((name) => {
    const own = inputs.filter((input) => input.name === name);
    const box = own[0].closest(".field");
    return { name, own, box, initial: box.dataset.initial.trim(), isList: Boolean(own[0].closest("fieldset")) };
  });
  const ticked = (own) => own.filter((input) => input.checked).map((input) => input.value).sort().join(" ");

  function same({ own, initial, isList }) {
    const [input] = own;
    if (isList) return ticked(own) === initial.split(" ").filter(Boolean).sort().join(" ");
    if (input.type === "checkbox") return input.checked === (initial === "True");
    const value = input.value.trim();
    if (!value || Number.isNaN(Number(initial))) return value === initial;
    return Number(value) === Number(initial);
  }

  // As the server writes values: config_diff.show.
  const asList = (names) => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
  const asText = (text) => (text && Number.isSafeInteger(Number(text)) ? String(Number(text)) : text);
  function before({ own, initial, isList }) {
    if (isList) return asList(initial.split(" ").filter(Boolean));
    return own[0].type === "checkbox" ? String(initial === "True") : asText(initial);
  }
  function after({ own, isList }) {
    if (isList) return asList(own.filter((input) => input.checked).map((input) => input.value));
    return own[0].type === "checkbox" ? String(own[0].checked) : asText(own[0].value.trim());
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }
  function list(changed) {
    const place = form.querySelector("[data-differences]");
    if (!place) return;
    if (!changed.length) {
      place.replaceChildren(element("p", "muted small", gettext("Only the name.")));
      return;
    }
    const lines = element("ul", "differences", "");
    for (const setting of changed) {
      const line = document.createElement("li");
      const arrow = element("span", "", "→");
      arrow.ariaHidden = "true";
      line.append(
        element("span", "mono", setting.name), " ", element("del", "mono", before(setting)), " ",
        element("span", "visually-hidden", gettext("becomes")), arrow, " ", element("ins", "mono", after(setting)),
      );
      lines.append(line);
    }
    place.replaceChildren(lines);
  }

  function compare() {
    const changed = settings.filter((setting) => !same(setting));
    for (const setting of settings) setting.box.classList.toggle("is-changed", changed.includes(setting));
    const line = form.querySelector("[data-changed]");
    const names = changed.map((setting) => setting.name.split(".").pop()).join(", ");
    const differ = ngettext("%(count)s differs from %(base)s: %(names)s", "%(count)s differ from %(base)s: %(names)s", changed.length);
    const text = changed.length ? differ : gettext("Every setting is as in %(base)s.");
    line.textContent = interpolate(text, { count: changed.length, base: form.dataset.base, names });
    list(changed);
  }
  // What is wrong changes with each check: the fields say the same as the list above them.
  function mark() {
    const links = [...form.querySelectorAll("#problems a")];
    for (const box of form.querySelectorAll(".settings > .field")) {
      const field = box.querySelector("fieldset, [name]");
      const own = links.filter((link) => link.hash.slice(1) === field.id);
      for (const stale of box.querySelectorAll("[aria-invalid]")) stale.removeAttribute("aria-invalid");
      if (own.length) field.setAttribute("aria-invalid", "true");
      tell(box, field, own.map((link) => link.parentElement.querySelector("[data-message]").textContent));
    }
  }
  function tell(box, field, messages) {
    const name = `${field.id}_error`;
    const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== name);
    box.querySelector(".errorlist")?.remove();
    if (messages.length) {
      const list = element("ul", "errorlist", "");
      list.id = name;
      list.append(...messages.map((message) => element("li", "", message)));
      box.append(list);
      others.push(name);
    }
    if (others.length) field.setAttribute("aria-describedby", others.join(" "));
    else field.removeAttribute("aria-describedby");
  }
  form.addEventListener("htmx:afterSettle", () => {
    mark();
    compare();
  });
  form.addEventListener("input", compare);
  compare();
})();
