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

  function walk(node, item) {
    const [kind, ...rest] = node;
    switch (kind) {
      case "string": return rest[0];
      case "chain": return rest.slice(1).reduce(step, rest[0] === "item" ? item : document);
      case "or": return either(rest, item);
      case "sum": return rest.map(part => walk(part, item)).reduce((a, b) => a + b);
      case "map": return [...walk(rest[0])].map(one => walk(rest[1], one)).join(rest[2]);
      default: throw new Error("unknown node");
    }
  }

  // Unlike JavaScript's ||, a part that leads nowhere counts as empty: `?.` is allowed.
  function either(parts, item) {
    for (const part of parts) {
      try {
        const value = walk(part, item);
        if (value) return value;
      } catch { /* the next one */ }
    }
    return "";
  }

  try {
    const value = walk(tree);
    return value === null || value === undefined ? "" : String(value);
  } catch {
    return "";
  }
})
