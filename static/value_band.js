// Keeps the two handles of the value band in order and shows their values.
(() => {
  const low = document.getElementById("id_low");
  const high = document.getElementById("id_high");
  document.addEventListener("input", (event) => {
    if (event.target === low && Number(low.value) > Number(high.value)) high.value = low.value;
    if (event.target === high && Number(high.value) < Number(low.value)) low.value = high.value;
    for (const shown of document.querySelectorAll("[data-shows]")) {
      const value = Number(document.getElementById(shown.dataset.shows).value);
      const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
      shown.textContent = value.toLocaleString(document.documentElement.lang, digits);
    }
  });
})();
