// Ticks all rows, and tells on the buttons how many are ticked.
(() => {
  const form = document.querySelector("[data-bulk]");
  if (!form) return;
  const boxes = [...form.querySelectorAll('[name="task_ids"]:not(:disabled)')];
  const all = form.querySelector("[data-tick-all]");

  function show() {
    const count = boxes.filter((box) => box.checked).length;
    for (const place of form.querySelectorAll("[data-ticked]")) {
      place.textContent = count ? ` ${count}` : "";
    }
    all.checked = count === boxes.length && count > 0;
    all.indeterminate = count > 0 && count < boxes.length;
  }

  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  form.addEventListener("change", show);
  show();
})();
