// What the walk gathers: texts, and {tag, parts, target} that hold more of both.
const isText = (part) => typeof part === "string";

function flatten(parts) {
  return squash(parts.map((p) => (isText(p) ? p : flatten(p.parts))).join(" "));
}

function merge(parts) {
  const merged = [];
  for (const part of parts) {
    if (!isText(part)) merged.push(part);
    else if (isText(merged.at(-1))) merged.push(`${merged.pop()} ${part}`);
    else if (part) merged.push(part);
  }
  return merged;
}

function targetsIn(parts) {
  return parts.flatMap((part) => {
    if (isText(part)) return [];
    return [...(part.target ? [part.target] : []), ...targetsIn(part.parts)];
  });
}

function addText(out, text, isNewPiece) {
  if (!text) return;
  if (!isNewPiece && out.glue && isText(out.at(-1))) out.push(out.pop() + text);
  else out.push(text);
  out.glue = true;
}

const cut = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}...` : text);
