// The account menu: it closes as menus do. Density: kept in a cookie that the server
// writes into <html data-density>, so that no page jumps.
(() => {
  const root = document.documentElement;
  const menus = () => document.querySelectorAll("details[data-menu][open]");

  function close(menu) {
    const hadFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hadFocus) menu.querySelector("summary").focus();
  }

  document.addEventListener("click", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menus().length) return;
    menus().forEach(close);
    // Nothing else is meant by this press, such as the tour.
    event.preventDefault();
  });
  document.addEventListener("focusin", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });

  for (const button of document.querySelectorAll("[data-density-toggle]")) {
    const show = () => {
      button.setAttribute("aria-pressed", String(root.dataset.density === "compact"));
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      const isCompact = root.dataset.density !== "compact";
      if (isCompact) root.dataset.density = "compact";
      else delete root.dataset.density;
      const age = isCompact ? 31536000 : 0;
      document.cookie = `density=compact; path=/; max-age=${age}; SameSite=Lax`;
      show();
    });
    show();
  }
})();
