// Run in an empty page that is prepared ahead: loads fonts, lays out what pages
// usually hold, and has the observing script compiled, in the process that the
// episode's first page will use. Nothing may open or load a document here: the
// browser gives an empty page that has done so another process afterwards.
(async (options) => {
  const styles = "body{font:16px system-ui,sans-serif;display:grid;gap:1px}"
    + "h1{font-weight:700}div{display:flex}code{font-family:monospace}";
  document.body.innerHTML = `<style>${styles}</style><h1>Title</h1>
    <div><a href="/">Link</a> <b>bold</b> <i>slanted</i> <code>code</code></div>
    <form><label>Field <input value="text"></label><select><option>One</select><button>Send</button></form>
    <ul><li>Row</ul><table><tr><td>Cell</table><svg width="9" height="9"><path d="M1 1L8 8" stroke="red"/></svg>`;
  for (let turn = 0; turn < 3; turn += 1) await window.__webrl?.look(options);
  document.body.innerHTML = "";
})
