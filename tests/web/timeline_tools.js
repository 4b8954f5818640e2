// The timeline of a page, as tests look at it and point at it.
"use strict";

const ruler = 26;

async function ready(page) {
  await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
  await page.evaluate(() => window.rankscopeTimeline.idle());
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

// What it shows: read from its model, not from pixels.
const model = (page) =>
  page.evaluate(() => {
    const {state} = window.rankscopeTimeline;
    const area = state.area.chosen.value;
    return {
      window: state.viewport.window.value,
      whole: state.viewport.whole,
      ranks: [...state.ranks.all.value],
      open: [...state.ranks.open.value],
      rows: state.rows.all.value.map((row) => ({...row})),
      scroll: state.viewport.scroll.value,
      chosen: state.selection.chosen.value,
      area: area && {from: area.from, to: area.to, ranks: [...area.ranks]},
      width: state.viewport.size.value.width,
      names: [...new Set(state.ranks.open.value.flatMap((rank) => state.store.spansOf(rank)?.names ?? []))],
    };
  });

const canvasBox = (page) => page.locator("canvas.timeline-canvas").boundingBox();

// The middle of the longest such event of a rank's stream, on the screen: [x, y, {name, start, duration, event}]. A short one is no wider than a pixel, which may be its neighbour's.
const eventOf = (page, rank, wanted) =>
  page.evaluate(
    ([of, text, top]) => {
      const {state} = window.rankscopeTimeline;
      const spans = state.store.spansOf(of);
      const gutter = state.viewport.size.value.width < 600 ? 92 : 190;
      for (const row of state.rows.all.value) {
        if (row.rank !== of || row.track === null || spans.tracks[row.track].role !== "stream") continue;
        let longest = null;
        for (let i = spans.first[row.track]; i < spans.first[row.track + 1]; ++i) {
          const name = spans.names[spans.name[i]];
          const [from, to] = [state.viewport.window.value.from, state.viewport.window.value.to];
          const middle = spans.start[i] + spans.duration[i] / 2;
          if (spans.events[i] !== 1 || !name.includes(text) || middle < from || middle > to) continue;
          if (longest !== null && spans.duration[i] <= longest[2].duration) continue;
          const x = gutter + ((middle - from) / (to - from)) * (state.viewport.size.value.width - gutter);
          longest = [
            x,
            row.top - state.viewport.scroll.value + top + spans.lane[i] * 16 + 8,
            {name, start: spans.start[i], duration: spans.duration[i], event: spans.event[i]},
          ];
        }
        if (longest !== null) return longest;
      }
      return null;
    },
    [rank, wanted, ruler],
  );

// What the job of these tests is simulated with: rank 2 is slow, clocks differ.
const jobOfTimelines =
  "--ranks 4 --steps 4 --events 8000 --slow-rank 2 --slow-factor 1.5 --clock-offset-us 300 --stacks".split(" ");

module.exports = {canvasBox, eventOf, jobOfTimelines, model, ready, ruler};
