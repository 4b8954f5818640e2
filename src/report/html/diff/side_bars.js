// BASE and TEST as two bars on one scale, divided into the same parts in the same order and colours.
//
// `source` is diff_parts; rows: its rows in the order of the bars; partOf(row) -> {label, colour}.

function sideBars(source, rows, name, partOf) {
  const height = 30;
  const gap = 8;
  const labelWidth = 48;
  const sides = [["base", "BASE"], ["test", "TEST"]];
  const plot = el("div", {class: "plot", "data-plot": name});
  let at = -1;
  let places = [];

  // A part that is less than nothing (the job's step ends before the mean window of its devices) has no width.
  const valueOf = (row, side) => Math.max(0, source.number(row, `${side}_ns`) || 0);

  function draw(width) {
    const most = Math.max(...sides.map(([side]) => rows.reduce((sum, row) => sum + valueOf(row, side), 0)), 1);
    const scale = (width - labelWidth) / most;
    places = [];
    const shapes = sides.flatMap(([side, label], line) => {
      const y = line * (height + gap);
      let x = labelWidth;
      const boxes = rows.map((row) => {
        const size = valueOf(row, side) * scale;
        places.push({row, x, y, size, line});
        const box = svg("rect", {x: x.toFixed(2), y, width: Math.max(0, size - (size > 3 ? 1 : 0)).toFixed(2), height});
        box.style.fill = `var(--${partOf(row).colour})`;
        x += size;
        return box;
      });
      const text = svg("text", {x: 0, y: y + height / 2 + 4}, label);
      text.style.fill = "var(--text)";
      return [text, boxes];
    });
    const whole = 2 * height + gap;
    plot.replaceChildren(svg("svg", {viewBox: `0 0 ${width} ${whole}`, "aria-hidden": "true"}, shapes, svg("rect", {class: "cursor", visibility: "hidden", height})));
  }
  function show(i, point, speak) {
    at = i;
    const place = places[i];
    const frame = plot.querySelector(".cursor");
    frame.setAttribute("x", place.x);
    frame.setAttribute("y", place.y);
    frame.setAttribute("width", Math.max(2, place.size));
    frame.setAttribute("visibility", "visible");
    const box = plot.getBoundingClientRect();
    showTip(point || {x: box.left + place.x, y: box.top + place.y + height}, partOf(place.row).label, [
      ["", "BASE", source.cell(place.row, "base_ns")], ["", "TEST", source.cell(place.row, "test_ns")],
      ["", "change", source.cell(place.row, "change_ns")], ["", "of BASE's step", source.cell(place.row, "of_step_pct")],
    ], speak);
  }
  function leave() {
    at = -1;
    hideTip();
    const frame = plot.querySelector(".cursor");
    if (frame) frame.setAttribute("visibility", "hidden");
  }
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const i = places.findIndex((place) => x >= place.x && x < place.x + place.size && y >= place.y && y < place.y + height);
    if (i >= 0) show(i, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(plot, name, (move) => {
    const count = rows.length;
    let next = at;
    if (move === "first" || at < 0) next = 0;
    else if (move === "last") next = places.length - 1;
    else if (move[1] !== 0) next = (at + count) % (2 * count);
    else next = at + move[0];
    show(Math.max(0, Math.min(places.length - 1, next)), null, true);
  }, leave);
  return drawn(plot, draw);
}
