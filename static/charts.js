// Draws each chart from its JSON in the colours of the theme; a click on a mark
// opens the episodes behind it.
(() => {
  // A hidden element turns a token such as light-dark(...) into one colour.
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const token = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const charts = [...document.querySelectorAll("[data-chart]")];
  const withReferences = new Set();
  const withLogarithm = new Set();

  // A run has one colour in all charts, and a line of its own for each of its series.
  function chooseStyles(traces) {
    const series = new Map();
    const places = traces.map(({ run }) => {
      const place = series.get(run) ?? 0;
      series.set(run, place + 1);
      return place;
    });
    const isOneEach = [...series.values()].every((count) => count === 1);
    return traces.map(({ run }, i) => {
      if (run === undefined) return { color: i % 6, line: i % 6 };
      return { color: run % 6, line: (isOneEach ? run : places[i]) % 6 };
    });
  }

  // What the legend and tilted names below the bars take from the plot, in pixels,
  // where they take more than a line: a chart is as much higher. Characters are
  // estimated: Plotly lays the legend out in columns as wide as its longest name.
  const CHARACTER = 6.4;
  const LINE = 20;
  function roomForNames(figure, width) {
    const longest = (names) => CHARACTER * Math.max(0, ...names.map((name) => name.length));
    const count = figure.data.length;
    const columns = Math.max(1, Math.floor(width / (longest(figure.data.map(({ name }) => name)) + 45)));
    const legend = count > 1 ? LINE * (Math.ceil(count / columns) - 1) : 0;
    const bars = figure.data[0]?.type === "bar" ? [...new Set(figure.data.flatMap(({ x }) => x))] : [];
    const label = longest(bars);
    return legend + (label * bars.length > width ? Math.min(label / 2, 160) : 0);
  }

  function dress(figure, key, width) {
    const text = token("--text");
    const muted = token("--muted");
    const line = token("--line");
    const symbols = ["circle", "square", "diamond", "triangle-up", "cross", "x"];
    const dashes = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
    const isCrowded = figure.data.length > 3;
    const styles = chooseStyles(figure.data);
    const data = figure.data.map(({ run, ...trace }, i) => {
      const style = styles[i];
      const color = token(`--plot-${style.color + 1}`);
      if (trace.type === "bar") {
        const pattern = i < 6 ? {} : { pattern: { shape: "/", fgcolor: token("--surface"), solidity: 0.3 } };
        return { ...trace, marker: { color, ...pattern } };
      }
      return {
        ...trace,
        line: { color, width: isCrowded ? 1.5 : 2, dash: dashes[style.line] },
        marker: { color, size: isCrowded ? 7 : 8, symbol: symbols[style.line] },
        ...(trace.error_y ? { error_y: { ...trace.error_y, color, thickness: isCrowded ? 1 : 1.5, width: isCrowded ? 3 : 5 } } : {}),
      };
    });
    const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line, color: muted, automargin: true };
    const layout = {
      ...figure.layout,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, color: text, size: 12 },
      margin: { l: 52, r: 12, t: 8, b: 48 },
      height: 300 + roomForNames(figure, width - 64),
      hovermode: "closest",
      // Series side by side at each phase, so that intervals do not hide each other.
      scattermode: "group",
      scattergap: isCrowded ? 0.3 : 0.75,
      dragmode: false,
      showlegend: data.length > 1,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      hoverlabel: { namelength: -1, bgcolor: token("--surface"), bordercolor: token("--line-strong"), font: { color: text } },
      xaxis: { ...axis, ...figure.layout.xaxis },
      yaxis: { ...axis, ...figure.layout.yaxis, type: withLogarithm.has(key) ? "log" : "linear" },
      shapes: (figure.layout.shapes || []).map((shape) => ({ ...shape, line: { ...shape.line, color: muted } })),
      annotations: [],
    };
    if (withReferences.has(key)) {
      // Numbers on the lines, names in the list below: names would cover each other.
      figure.references.forEach(({ value }, i) => {
        layout.shapes.push({ type: "line", xref: "paper", x0: 0, x1: 1, y0: value, y1: value, line: { color: muted, width: 1, dash: "dash" } });
        layout.annotations.push({ text: String(i + 1), xref: "paper", x: 1 - 0.03 * (i % 2), xanchor: "right", y: value, yanchor: "middle", showarrow: false, bgcolor: token("--surface"), font: { size: 11, color: text } });
      });
    }
    return { data, layout };
  }

  function draw(place) {
    const key = place.dataset.chart;
    const figure = JSON.parse(document.getElementById(`figure-${key}`).textContent);
    const { data, layout } = dress(figure, key, place.clientWidth);
    const config = { displayModeBar: false, responsive: true, displaylogo: false };
    window.Plotly.react(place, data, layout, config).then(() => {
      if (place.dataset.isReady) return;
      place.dataset.isReady = "yes";
      place.on("plotly_click", (event) => {
        const { customdata, x, data: { meta } } = event.points[0];
        const url = meta ? meta.urls[meta.starts.findLastIndex((start) => start <= x)] : customdata;
        if (url) location.assign(url);
      });
    });
  }

  const drawAll = () => charts.forEach(draw);
  for (const box of document.querySelectorAll("[data-references]")) {
    box.addEventListener("change", () => {
      const key = box.dataset.references;
      if (box.checked) withReferences.add(key);
      else withReferences.delete(key);
      const note = document.querySelector(`[data-references-note="${key}"]`);
      if (note) note.hidden = !box.checked;
      draw(charts.find((chart) => chart.dataset.chart === key));
    });
  }
  for (const box of document.querySelectorAll("[data-log]")) {
    box.addEventListener("change", () => {
      const key = box.dataset.log;
      if (box.checked) withLogarithm.add(key);
      else withLogarithm.delete(key);
      draw(charts.find((chart) => chart.dataset.chart === key));
    });
  }
  for (const button of document.querySelectorAll("[data-picture]")) {
    button.addEventListener("click", () => {
      const place = charts.find((chart) => chart.dataset.chart === button.dataset.picture);
      // Transparent paper would be unreadable where the other theme shows it.
      const layout = { ...place.layout, paper_bgcolor: token("--surface"), title: { text: button.dataset.title, subtitle: { text: button.dataset.subtitle.replaceAll("<", "&lt;") } } };
      const format = button.dataset.format;
      // Above the plot, where the page has it, a legend would cover the subtitle.
      layout.legend = { ...layout.legend, y: -0.14, yanchor: "top" };
      // An SVG, for papers, has no pixels to double.
      const size = { format, width: 900, height: 480, scale: format === "svg" ? 1 : 2 };
      window.Plotly.downloadImage({ data: place.data, layout: { ...layout, margin: { l: 60, r: 20, t: 90, b: 50 } } }, { ...size, filename: button.dataset.picture });
    });
  }
  document.addEventListener("themechange", drawAll);
  for (const kind of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(kind).addEventListener("change", drawAll);
  }
  drawAll();
})();
