// Counts what differs from the preset, so that a launch holds no surprise.
(() => {
  const form = document.querySelector("[data-run-form]");
  if (!form) return;
  const fields = [...form.querySelectorAll(".settings [name]")].filter((field) => field.name.includes("."));
  const read = (field) => (field.type === "checkbox" ? field.checked : field.value);
  const initial = (field) => {
    const raw = field.closest(".field").dataset.initial;
    return field.type === "checkbox" ? raw === "True" : raw;
  };
  const same = (field) => {
    if (field.type === "checkbox" || Number.isNaN(Number(initial(field)))) return read(field) === initial(field);
    return Number(read(field)) === Number(initial(field));
  };

  function compare() {
    const changed = fields.filter((field) => !same(field));
    for (const field of fields) {
      field.closest(".field").classList.toggle("is-changed", changed.includes(field));
    }
    const line = form.querySelector("[data-changed]");
    if (changed.length === 0) line.textContent = "Exactly the preset.";
    else line.textContent = `${changed.length} differ from the preset: ${changed.map((f) => f.name.split(".")[1]).join(", ")}`;
  }
  form.addEventListener("input", compare);
  compare();
})();
