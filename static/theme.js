// Runs before the first paint: says that scripts work, and remembers the theme in a
// cookie that the server writes into <html data-theme>.
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  const order = ["auto", "light", "dark"];
  const names = () => ({
    auto: gettext("Theme: auto"),
    light: gettext("Theme: light"),
    dark: gettext("Theme: dark"),
  });
  const current = () => root.dataset.theme || "auto";

  function show() {
    for (const label of document.querySelectorAll("[data-theme-name]")) {
      label.textContent = names()[current()];
    }
  }

  function choose(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const age = theme === "auto" ? 0 : 31536000;
    document.cookie = `theme=${theme}; path=/; max-age=${age}; SameSite=Lax`;
    show();
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        choose(order[(order.indexOf(current()) + 1) % order.length]);
      });
    }
    show();
  });
})();
