// How a page looks: that its plots are drawn, that its colours can be told from their ground, that it fits its window.
"use strict";

const assert = require("assert");
const {closest, ratioOf} = require("./colour_blindness.js");

// Per plot: how many shapes with an area its SVG has, or how many colours its canvas.
function drawnMarks(page) {
  return page.$$eval("[data-plot]", (plots) =>
    plots.map((plot) => {
      const canvas = plot.querySelector("canvas");
      if (canvas) {
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const colours = new Set();
        let painted = 0;
        for (let i = 0; i < pixels.length; i += 4) {
          if (pixels[i + 3] > 200) {
            ++painted;
            colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
          }
        }
        return {name: plot.dataset.plot, marks: colours.size, least: 3, painted};
      }
      const boxes = Array.from(
        plot.querySelectorAll("svg path:not(.mark), svg rect:not(.cursor), svg circle:not(.cursor)"),
        (shape) => shape.getBBox(),
      ).filter((box) => box.width > 1 && box.height > 1);
      return {
        name: plot.dataset.plot,
        marks: boxes.length,
        least: 1,
        painted: Math.max(0, ...boxes.map((box) => box.width * box.height)),
      };
    }),
  );
}

async function checkPlots(page, names) {
  const plots = await drawnMarks(page);
  assert.deepStrictEqual(plots.map((plot) => plot.name).sort(), [...names].sort());
  for (const plot of plots)
    assert(plot.marks >= plot.least && plot.painted > 500, `${plot.name} is blank: ${JSON.stringify(plot)}`);
}

// The contrast of texts and of colour swatches to the ground behind them.
function contrasts(page) {
  return page.evaluate(() => {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = (colour) => {
      const [r, g, b] = channels(colour)
        .slice(0, 3)
        .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        const alpha = channels(colour)[3];
        if (alpha === undefined || alpha === 1) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    const ratio = (a, b) => {
      const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const found = [];
    for (const selector of [
      "h1",
      "h2",
      ".about",
      ".how",
      ".note",
      ".contents a",
      ".legend li",
      ".tile .name",
      ".tile .value",
      ".tile .more",
      ".headlines a",
      "td",
      "th",
      "summary",
      "button",
      "select",
      ".said",
      "code",
      ".unknown",
      ".way .now",
      ".way",
      ".result",
      "input",
      ".lead",
      ".severity",
      ".gain",
      ".gain b",
      ".who",
      ".from",
      ".evidence-head",
      ".evidence-value",
      ".group-name",
      ".choice",
      ".finding h4",
      ".small-title",
    ]) {
      for (const node of Array.from(document.querySelectorAll(selector)).slice(0, 3)) {
        found.push({what: selector, least: 4.5, ratio: ratio(getComputedStyle(node).color, ground(node))});
      }
    }
    for (const node of Array.from(document.querySelectorAll(".plot text")).filter((text) => !text.style.fill))
      found.push({
        what: ".plot text",
        least: 4.5,
        ratio: ratio(getComputedStyle(node).fill, ground(node.closest("div"))),
      });
    const frames = ["frame-python", "frame-module", "frame-op", "frame-annotation", "frame-call", "frame-copy"];
    const names = [
      "compute",
      "exposed_communication",
      "exposed_copy",
      "idle_host",
      "idle_data",
      "idle_sync",
      "idle_launch",
      "idle_gap",
      "idle_stream",
      "unknown",
      "accent",
      "focus",
      "chosen",
      "high",
      "medium",
      "low",
      "series-1",
      "series-2",
      "series-3",
      "series-4",
      "series-5",
      "series-6",
      "frame-none",
      ...frames,
    ];
    const probe = document.body.appendChild(document.createElement("i"));
    for (const name of names) {
      probe.style.color = `var(--${name})`;
      found.push({what: `--${name}`, least: 3, ratio: ratio(getComputedStyle(probe).color, ground(document.body))});
    }
    // Values in cells of the heat map stand on their shades, names of frames on theirs.
    for (const [shades, text] of [
      [[...frames, "frame-none", "compute", "exposed_communication", "forward", "backward"], "on-strong"],
      [["frame-found"], "on-found"],
      [["raised"], "muted"],
      [["low-4", "low-3", "high-3", "high-4"], "on-strong"],
      [["low-2", "low-1", "middle", "high-1", "high-2"], "text"],
    ]) {
      for (const shade of shades) {
        probe.style.color = `var(--${shade})`;
        const behind = getComputedStyle(probe).color;
        probe.style.color = `var(--${text})`;
        found.push({what: `--${text} on --${shade}`, least: 4.5, ratio: ratio(getComputedStyle(probe).color, behind)});
      }
    }
    probe.remove();
    return found;
  });
}

async function checkContrast(page, theme) {
  const found = await contrasts(page);
  assert(found.length > 60);
  const poor = found
    .filter(({ratio, least}) => !(ratio >= least))
    .map(({what, ratio, least}) => `${what} ${ratio.toFixed(2)} < ${least}`);
  assert.deepStrictEqual([...new Set(poor)], [], `too little contrast in the ${theme} theme`);
}

// The parts of time and the kinds of frames can be told apart, whatever colours a reader sees.
async function checkColours(page, theme) {
  const apart = async (chosen, least) => {
    const colours = await page.evaluate(
      (all) =>
        Object.fromEntries(
          all.map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()]),
        ),
      chosen,
    );
    const {distance, names, kind} = closest(colours);
    assert(distance >= least, `${names.join(" and ")} are ${distance.toFixed(1)} apart (${kind}, ${theme})`);
  };
  await apart(
    [
      "compute",
      "exposed_communication",
      "exposed_copy",
      "idle_host",
      "idle_data",
      "idle_sync",
      "idle_launch",
      "idle_gap",
      "idle_stream",
      "unknown",
    ],
    12,
  );
  await apart(["forward", "backward"], 20);
  // Frames are named, too.
  await apart(
    [
      "frame-python",
      "frame-module",
      "frame-op",
      "frame-annotation",
      "frame-call",
      "frame-copy",
      "compute",
      "exposed_communication",
    ],
    10,
  );
}

// The roles of time in the timeline: each stands out from the ground, by itself or (what is pale) by its edge, computing is told from
// transferring and transferring from waiting by luminance alone, and all of them apart by readers of all kinds.
async function checkRoles(page, theme) {
  const names = [
    "compute",
    "exposed_communication",
    "waiting",
    "communication_unknown",
    "exposed_copy",
    "still-host",
    "still-device",
    "unknown",
    "ground",
  ];
  const colours = await page.evaluate(
    (all) =>
      Object.fromEntries(
        all.map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()]),
      ),
    names,
  );
  const {ground: behind, ...roles} = colours;
  for (const [name, hex] of Object.entries(roles)) {
    const seen = name === "waiting" ? roles.exposed_communication : hex; // its edge
    assert(ratioOf(seen, behind) >= 3, `${name} has ${ratioOf(seen, behind).toFixed(2)}:1 to the ${theme} ground`);
  }
  const {compute, exposed_communication: transfer, waiting} = roles;
  assert(ratioOf(compute, transfer) >= 1.95, `computing and transferring are ${ratioOf(compute, transfer)} apart`);
  assert(ratioOf(waiting, transfer) >= 3, `waiting and transferring are ${ratioOf(waiting, transfer)} apart`);
  const {distance, names: two, kind} = closest(roles);
  assert(distance >= 10, `${two.join(" and ")} are ${distance.toFixed(1)} apart (${kind}, ${theme})`);
}

function ground(page) {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

// What sticks out of a window on the right; what scrolls in a box of its own does not.
function overhang(page) {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll("body *"))
      .filter((node) => {
        if (node.closest(".tip, .spoken, .contents") || getComputedStyle(node).visibility === "hidden") return false;
        const scroller = node.closest(".scroll");
        if (scroller && scroller !== node && getComputedStyle(scroller).overflowX === "auto") return false;
        const box = node.getBoundingClientRect();
        return box.width > 0 && box.right > document.documentElement.clientWidth + 1;
      })
      .map((node) => `${node.tagName}.${node.className.baseVal ?? node.className} ${node.textContent.slice(0, 30)}`)
      .slice(0, 5),
  );
}

module.exports = {checkRoles, checkPlots, checkContrast, checkColours, ground, overhang};
