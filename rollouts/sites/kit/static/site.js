// Menus that open, dialogs, tabs, lists that sort on change, suggestions.
"use strict";

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const menu = document.querySelector("[data-menu-panel]:not([hidden])");
  if (menu && !menu.contains(event.target) && !button?.hasAttribute("data-menu")) {
    setMenu(menu, false);
  }
  if (!button) return;
  if (button.dataset.menu) {
    const panel = document.getElementById(button.dataset.menu);
    setMenu(panel, panel.hidden);
  }
  if (button.dataset.dialog) document.getElementById(button.dataset.dialog).showModal();
  if (button.hasAttribute("data-close")) button.closest("dialog").close();
  if (button.role === "tab") showTab(button);
});

document.addEventListener("keydown", (event) => {
  const menu = document.querySelector("[data-menu-panel]:not([hidden])");
  if (event.key === "Escape" && menu) setMenu(menu, false);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});

function setMenu(panel, isOpen) {
  panel.hidden = !isOpen;
  document.querySelector(`[data-menu="${panel.id}"]`).setAttribute("aria-expanded", isOpen);
}

function showTab(tab) {
  for (const other of tab.parentElement.querySelectorAll("[role=tab]")) {
    other.setAttribute("aria-selected", other === tab);
    document.getElementById(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
}

const wanted = new URLSearchParams(location.search).get("tab");
const first = wanted && document.querySelector(`[role=tab][data-tab="${CSS.escape(wanted)}"]`);
if (first) showTab(first);

const box = document.querySelector("input[data-suggest]");
if (box) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.hidden = true;
  box.form.append(list);
  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 60);
  });
  document.addEventListener("click", (event) => {
    if (!box.form.contains(event.target)) list.hidden = true;
  });
  async function suggest() {
    const answer = await fetch(`${box.dataset.suggest}?q=${encodeURIComponent(box.value)}`);
    const found = await answer.json();
    list.replaceChildren(...found.map(([name, address]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = address;
      link.textContent = name;
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
  }
}
