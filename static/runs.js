// Two runs or more are compared: until then the button is disabled.
(() => {
  const form = document.querySelector("[data-compare]");
  if (!form) return;
  const button = form.querySelector("button[type=submit]");
  const show = () => {
    button.disabled = form.querySelectorAll('[name="run"]:checked').length < 2;
  };
  form.addEventListener("change", show);
  // A browser that goes back brings the ticks, too.
  window.addEventListener("pageshow", show);
  show();
})();
