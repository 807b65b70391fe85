// A button that copies a field's text; without scripts people select it themselves.
(() => {
  // The page answers a form that made a secret: a reload must not make another.
  window.history.replaceState(null, "", window.location.href);

  async function copy(field) {
    field.select();
    try {
      // Pages without TLS have no clipboard, except on this machine.
      await navigator.clipboard.writeText(field.value);
    } catch {
      if (!document.execCommand("copy")) throw new Error("no clipboard");
    }
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copy);
      try {
        await copy(field);
        button.textContent = gettext("Copied");
      } catch {
        // It is selected: the keys still work.
        field.focus();
        button.textContent = gettext("Press Ctrl+C");
      }
    });
  }
})();
