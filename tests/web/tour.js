// The pictures of docs/tour.md: node tour.js RANKSCOPE FOLDER. Every place that the tour names is gone to as it says.
"use strict";

const assert = require("assert");
const {execFileSync} = require("child_process");
const path = require("path");
const {anHour, FakeAgent} = require("./fake_agent.js");
const {open, withRun} = require("./pages.js");

const light = {colorScheme: "light", reducedMotion: "reduce"};

async function drawn(page) {
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
}
async function still(page) {
  await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
  await page.evaluate(() => window.rankscopeTimeline.idle());
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

const cases = {
  async runs({browser, server, pictures}) {
    const {page, close} = await open(browser, server, "/", {...light, viewport: {width: 1400, height: 330}});
    await page.waitForSelector("tr[data-run] svg.sparkline");
    // The time at which it was made is another one each time.
    await page.evaluate(() => {
      document.querySelector("time").textContent = "2026-11-23 12:00:00 UTC";
    });
    await page.screenshot({path: path.join(pictures, "runs.png")});
    await close();
  },

  async "overview and what if"({browser, server, run, pictures}) {
    const {page, close} = await open(browser, server, `/runs/${run}`, light);
    await drawn(page);
    assert((await page.locator("#findings").innerText()).includes("rank 5"));
    await page.screenshot({path: path.join(pictures, "overview.png")});
    await page.check("#whatif input[name=slow-gpu]");
    await page.selectOption("#whatif form select >> nth=0", "scale");
    await page.click("#whatif button:text-is('Add')");
    await page.waitForFunction(
      () =>
        document.querySelectorAll("#whatif .changes li").length === 1 &&
        document.querySelector("#whatif [data-what=changed]") !== null &&
        document.querySelector("#whatif .waiting") === null,
    );
    await page.locator("#whatif").screenshot({path: path.join(pictures, "whatif.png")});
    await page.waitForSelector("#rank-steps svg");
    await page.locator("#rank-steps").screenshot({path: path.join(pictures, "rank-steps.png")});
    await page.locator("#layout").scrollIntoViewIfNeeded();
    await page.locator("#layout").screenshot({path: path.join(pictures, "layout.png")});
    await close();
  },

  async "a rank"({browser, server, run, pictures}) {
    const {page, close} = await open(browser, server, `/runs/${run}/ranks/5`, light);
    await page.click("button:has-text('Compare with')");
    await page.locator("tr[data-kernel]").first().waitFor();
    await page.screenshot({path: path.join(pictures, "rank.png")});
    await close();
  },

  async "the timeline"({browser, server, run, pictures}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline`, {
      ...light,
      viewport: {width: 1400, height: 680},
    });
    await still(page);
    assert((await page.locator("h1").innerText()).includes("rank 5"));
    await page.screenshot({path: path.join(pictures, "timeline.png")});
    // Step 11 of ranks 4 and 5, and what happens there.
    await page.goto(`${server.address}/runs/${run}/timeline?ranks=4-7&from=84000000&to=96000000`);
    await still(page);
    const box = await page.locator("canvas.timeline-canvas").boundingBox();
    await page.mouse.move(box.x + 300, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 1000, box.y + 60, {steps: 3});
    await page.mouse.up();
    await page.locator("tr[data-name]").first().waitFor();
    await page.screenshot({path: path.join(pictures, "timeline-area.png")});
    // The same with what links the ranks.
    await page.goto(`${server.address}/runs/${run}/timeline?from=80000000&to=100000000&path=1&collectives=1`);
    await still(page);
    await page.locator("section[aria-label='Critical path'] tr[data-rank]").first().waitFor();
    await page.screenshot({path: path.join(pictures, "timeline-links.png")});
    await page.goto(`${server.address}/runs/${run}/timeline?ranks=4-5&open=5&from=84000000&to=88000000`);
    await still(page);
    const kernel = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const spans = state.store.spansOf(5);
      for (const row of state.rows.all.value) {
        if (row.track === null || spans.tracks[row.track].role !== "stream") continue;
        for (let i = spans.first[row.track]; i < spans.first[row.track + 1]; ++i) {
          if (
            spans.events[i] !== 1 ||
            spans.duration[i] < 200000 ||
            spans.start[i] < state.viewport.window.value.from ||
            !spans.names[spans.name[i]].includes("gemm")
          )
            continue;
          const [from, to] = [state.viewport.window.value.from, state.viewport.window.value.to];
          return [
            190 +
              ((spans.start[i] + spans.duration[i] / 2 - from) / (to - from)) * (state.viewport.size.value.width - 190),
            row.top + 26 + spans.lane[i] * 16 + 8,
          ];
        }
      }
      return null;
    });
    assert(kernel !== null);
    const place = await page.locator("canvas.timeline-canvas").boundingBox();
    await page.mouse.click(place.x + kernel[0], place.y + kernel[1]);
    await page.locator("section[aria-label=Event] th:text-is('correlation')").waitFor();
    await page.mouse.move(5, 5);
    await page.setViewportSize({width: 1400, height: 1000});
    await still(page);
    await page.screenshot({path: path.join(pictures, "timeline-event.png")});
    await close();
  },

  async memory({browser, server, run, pictures}) {
    const {page, close} = await open(browser, server, `/runs/${run}/memory`, light);
    await drawn(page);
    await page.screenshot({path: path.join(pictures, "memory.png")});
    await close();
  },

  async hosts({browser, server, pictures}) {
    const device = (index, more = {}) => ({
      index,
      name: "NVIDIA A100-SXM4-80GB",
      verdict: "ok",
      reasons: [],
      busy: 0.9 - 0.05 * (index % 3),
      power_watts: 330 + index,
      temperature_celsius: 60 + index,
      memory_used_bytes: 6.1e10,
      memory_total_bytes: 8.5e10,
      ...more,
    });
    const agents = ["node-1", "node-2"].map(
      (host, at) =>
        new FakeAgent(server, host, {
          samples: at === 0 ? anHour(8, 330) : [],
          devices: Array.from({length: 8}, (_, i) =>
            device(
              i,
              at === 0 && i === 3 ? {verdict: "degraded", reasons: ["held down by heat"], temperature_celsius: 87} : {},
            ),
          ),
          processes: Array.from({length: 8}, (_, i) => ({
            pid: 4000 + i,
            rank: 8 * at + i,
            world_size: 16,
            job_id: "4711",
            job_name: "llama-8b",
            user: "ada",
            command: "python train.py",
            recording: false,
          })),
        }),
    );
    for (const agent of agents) await agent.start();
    const {page, close} = await open(browser, server, "/hosts?open=node-1", {
      ...light,
      viewport: {width: 1400, height: 1000},
    });
    await page.locator("section.last-hour figure").first().waitFor();
    assert((await page.locator("section.last-hour h3").innerText()).includes("device 3"));
    await page.screenshot({path: path.join(pictures, "hosts.png")});
    await close();
    await Promise.all(agents.map((agent) => agent.end()));
  },

  async SQL({browser, server, run, pictures}) {
    const sql =
      "select rank, class, sum(dur_ns) as total_ns\nfrom kernels\nwhere class in ('gemm', 'nccl') and rank in (4, 5, 6)\ngroup by rank, class\norder by class, rank";
    const {page, close} = await open(browser, server, `/runs/${run}/sql?q=${encodeURIComponent(sql)}`, light);
    await page.waitForFunction(() => document.querySelectorAll(".schema-list details").length > 50);
    await page.click("button:text-is('Run')");
    await page.locator("[aria-label=Result] tbody tr").first().waitFor();
    await page.evaluate(() => {
      const said = document.querySelector(".sql-work p[role=status]").firstChild.nextSibling;
      if (said) said.textContent = said.textContent.replace(/\d+ ms/, "120 ms");
    });
    await page.screenshot({path: path.join(pictures, "sql.png")});
    await close();
  },
};

void withRun(
  cases,
  "rankscope_tour_",
  [
    "--job",
    "3d",
    "--ranks",
    "16",
    "--layout",
    "tp=2,pp=2,dp=4",
    "--steps",
    "4",
    "--events",
    "20000",
    "--plant",
    "slow-gpu:rank=5",
    "--plant",
    "host-sync",
    "--clock-offset-us",
    "300",
    "--stacks",
  ],
  (job) =>
    execFileSync("python3", [
      path.join(__dirname, "..", "reference", "write_snapshot.py"),
      path.join(job, "rank5.pickle"),
      "3000",
    ]),
);
