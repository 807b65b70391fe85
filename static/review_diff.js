// Two texts as one row of kept, dropped and added words.
export function words(value) {
  return value.split(/\s+/).filter(Boolean);
}

export function diff(before, after) {
  const a = words(before);
  const b = words(after);
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = a[i] === b[j]
        ? longest[i + 1][j + 1] + 1
        : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const pieces = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push(["span", a[i]]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) {
      pieces.push(["del", a[i]]);
      i += 1;
    } else {
      pieces.push(["ins", b[j]]);
      j += 1;
    }
  }
  return pieces;
}
