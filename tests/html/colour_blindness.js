// How far apart colours are for readers of all kinds: distance in CIELAB after simulating the lack of one kind of cone.
"use strict";

// Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency", severity 1.
const vision = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex) {
  return [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

function lab([r, g, b]) {
  const white = [0.9505, 1, 1.089];
  const xyz = [
    0.4124 * r + 0.3576 * g + 0.1805 * b,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    0.0193 * r + 0.1192 * g + 0.9505 * b,
  ];
  const [x, y, z] = xyz
    .map((value, i) => Math.max(0, value) / white[i])
    .map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// The two closest of `colours` ({name: "#rrggbb"}), over all kinds of vision: {distance, names, kind}.
function closest(colours) {
  let found = {distance: Infinity};
  for (const [kind, matrix] of Object.entries(vision)) {
    const seen = Object.entries(colours).map(([name, hex]) => [
      name,
      lab(matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * linear(hex)[i], 0))),
    ]);
    for (const [a, place] of seen) {
      for (const [b, other] of seen) {
        if (a >= b) continue;
        const distance = Math.hypot(...place.map((value, i) => value - other[i]));
        if (distance < found.distance) found = {distance, names: [a, b], kind};
      }
    }
  }
  return found;
}

// The contrast of two colours as WCAG has it.
function ratioOf(a, b) {
  const light = (hex) => linear(hex).reduce((sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * c, 0);
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

module.exports = {closest, ratioOf};
