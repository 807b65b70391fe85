
// Suggestions that fill a field of a form with a whole name.
for (const field of document.querySelectorAll("input[data-fill]")) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.hidden = true;
  field.closest(".ask").append(list);
  const hide = () => { list.hidden = true; };
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(offer, 60);
  });
  document.addEventListener("focusin", (event) => {
    if (!field.parentElement.parentElement.contains(event.target)) hide();
  });
  async function offer() {
    const answer = await fetch(`${field.dataset.fill}?q=${encodeURIComponent(field.value)}`);
    const names = (await answer.json()).map(([name]) => name.split(",")[0]);
    list.replaceChildren(...names.map((name) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => { field.value = name; hide(); });
      item.append(button);
      return item;
    }));
    const isWhole = names.some((name) => name.toLowerCase() === field.value.trim().toLowerCase());
    list.hidden = isWhole || names.length === 0 || document.activeElement !== field;
  }
}
