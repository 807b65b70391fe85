// Frames of other origins: what they said of themselves, put where they stand.
const graft = (() => {
  const NAME = /^[a-z][\w-]{0,40}$/i;
  const nameOr = (name, other) => (NAME.test(name) ? name : other);

  const list = (value) => (Array.isArray(value) ? value : []);

  const pairsOf = (value) => list(value).filter((pair) => Array.isArray(pair) && NAME.test(pair[0]))
    .map(([name, told]) => [name, told === true ? true : String(told)]);

  // What a document of another origin says is rebuilt, not trusted.
  function adopt(parts, entry, index) {
    return list(parts).flatMap((part) => {
      if (isText(part)) return [part];
      const inner = adopt(part.parts, entry, index);
      const copy = {
        tag: nameOr(part.tag, "div"), role: nameOr(part.role, "generic"), name: String(part.name ?? ""),
        states: pairsOf(part.states), attributes: pairsOf(part.attributes), parts: inner,
      };
      if (!part.target) return [copy];
      const { id, tag, text, points, box } = part.target;
      const passed = entry.own.pass(entry.el, { points, box });
      // Covered out here: what is left of it is its text.
      if (!passed) return part.tag === "select" ? [] : inner;
      return [{ ...copy, target: { tag: nameOr(tag, "div"), text, apart: index, inner: id, ...passed } }];
    });
  }

  function fill(part, inside, entry) {
    if (!inside) return part.spare ? [part.spare] : [];
    const parts = adopt(inside.parts, entry, part.apart);
    return parts.length ? [{ ...part, parts }] : [];
  }

  return function graft(parts, insides, apart) {
    return parts.flatMap((part) => {
      if (isText(part)) return [part];
      if (part.apart !== undefined) return fill(part, insides[part.apart], apart[part.apart]);
      part.parts = graft(part.parts, insides, apart);
      return [part];
    });
  };
})();
