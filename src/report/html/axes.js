// Axes of the SVG plots.

// About `count` round numbers from 0 to most.
function ticks(most, count) {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let i = 0; i * step <= most * 1.0001; ++i) found.push(Number((i * step).toPrecision(12)));
  return found;
}

// Which of `count` places `pitch` pixels wide get a label that needs `room` pixels: every n-th, n a round number.
function everyNth(count, pitch, room) {
  const least = room / pitch;
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

// Labels below columns, thinned to fit; `name` stands once at the left of them.
function columnLabels(labels, left, pitch, y) {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 1);
  const step = everyNth(labels.length, pitch, longest * 6.6 + 8);
  const nodes = [];
  for (let i = 0; i < labels.length; i += step) {
    nodes.push(svg("text", {x: (left + (i + 0.5) * pitch).toFixed(1), y, "text-anchor": "middle"}, labels[i]));
  }
  return nodes;
}
