// Roles and accessible names by the vendored library, whose files stand in `modules`.
const names = ((modules) => {
  const loaded = new Map();

  // "./polyfills/SetLike" -> "polyfills/SetLike"; they may need each other.
  function load(path) {
    const name = path.replace(/^\.\//, "");
    if (!loaded.has(name)) {
      const module = { exports: {} };
      loaded.set(name, module);
      modules[name](module, module.exports, load);
    }
    return loaded.get(name).exports;
  }

  return {
    nameOf: load("./accessible-name").computeAccessibleName,
    roleOf: load("./getRole").default,
  };
})(modules);
