// Walks a locator's program (rollouts/browser/evaluators/locators.py): known steps only.
(tree => {
  const CALLS = new Set(["querySelector", "querySelectorAll", "getElementById",
    "getAttribute", "closest", "getElementsByClassName", "getElementsByTagName",
    "getElementsByName"]);

  function step(value, [kind, name, argument]) {
    if (kind === "at") return value[name];
    if (kind === "get") return value[name];
    if (kind === "text") return value.toString();
    if (kind === "click") return value.click();
    if (kind === "call" && CALLS.has(name)) return value[name](argument);
    throw new Error("unknown step");
  }

  // A chain ends where `?.` has nothing to go on from.
  function follow(steps, start) {
    let value = start;
    for (const one of steps) {
      if (one[0] !== "maybe") value = step(value, one);
      else if (value === null || value === undefined) return undefined;
    }
    return value;
  }

  function beside(selector, text, otherSelector) {
    const place = [...document.querySelectorAll(selector)].findIndex((el) => el.outerText === text);
    return document.querySelectorAll(otherSelector)[place].outerText;
  }

  function walk(node, item) {
    const [kind, ...rest] = node;
    switch (kind) {
      case "string": return rest[0];
      case "chain": return follow(rest.slice(1), rest[0] === "item" ? item : document);
      case "or": return rest.reduce((value, part) => value || walk(part, item), undefined);
      case "sum": return rest.map(part => walk(part, item)).reduce((a, b) => a + b);
      case "map": return mapped(rest);
      case "beside": return beside(...rest);
      default: throw new Error("unknown node");
    }
  }

  function mapped([chain, item, separator]) {
    const values = [...walk(chain)].map(one => walk(item, one));
    return separator === null ? values : values.join(separator);
  }

  // The value in a list, or an empty list where the way to it does not exist.
  try {
    const value = walk(tree);
    return [value === undefined ? null : value];
  } catch {
    return [];
  }
})
