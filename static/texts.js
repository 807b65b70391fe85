// The scripts' texts in the reader's language. The page brings the translations as
// JSON; a text without one, and each on an English page, stays as it is written.
(() => {
  let texts = null;

  function find(text) {
    if (!texts) {
      const place = document.getElementById("script-texts");
      if (!place && document.readyState === "loading") return undefined;
      texts = place ? JSON.parse(place.textContent) : {};
    }
    return texts[text];
  }

  window.gettext = (text) => find(text) || text;
  window.ngettext = (one, many, count) => {
    const forms = find(one);
    if (!forms) return count === 1 ? one : many;
    return forms[Math.min(count === 1 ? 0 : 1, forms.length - 1)];
  };
  // "%(count)s of %(all)s" and {count: 1, all: 2} -> "1 of 2"
  window.interpolate = (text, values) =>
    text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
})();
