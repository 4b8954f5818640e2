// The page of hosts in a real browser: node hosts_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch, noteTexts, waitForNoted} = require("../html/browser.js");
const {anHour, FakeAgent} = require("./fake_agent.js");
const {isAccessible, open, runCases} = require("./pages.js");
const {Server} = require("./server.js");

const hostile = "<img src=x onerror=alert(1)></script>";

const device = (index, more = {}) => ({
  index,
  name: "H100",
  verdict: "ok",
  reasons: [],
  busy: 0.25 * (index % 5),
  power_watts: 400,
  temperature_celsius: 60 + index,
  memory_used_bytes: 4e10,
  memory_total_bytes: 8e10,
  ...more,
});
const devices = (count, changed = {}) => Array.from({length: count}, (_, i) => device(i, changed[i]));
const process_ = (rank, world_size, job, more = {}) => ({
  pid: 100 + rank,
  rank,
  world_size,
  job_id: job,
  user: "ann",
  command: "python train.py",
  recording: false,
  ...more,
});

async function ready(page) {
  await page.waitForFunction(() => window.rankscopeHosts !== undefined);
  await page.evaluate(() => window.rankscopeHosts.idle());
}
const names = (page) => page.locator("tr[data-host]").evaluateAll((rows) => rows.map((row) => row.dataset.host));

// Hosts that report while `look` looks.
async function withAgents(server, agents, look) {
  const started = [];
  try {
    for (const agent of agents) started.push(await agent.start());
    await look();
  } finally {
    await Promise.all(started.map((agent) => agent.end()));
  }
}

const cases = {
  async "no host, and the one command line"({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.click("nav[aria-label=Pages] a:text-is('Hosts')");
    await ready(page);
    assert.strictEqual(await page.locator("nav[aria-label=Pages] a[aria-current=page]").innerText(), "Hosts");
    assert.strictEqual(await page.locator("h1").innerText(), "No host reports here");
    assert.strictEqual(await page.locator("pre").first().innerText(), `rankscope-agent --server.url ${server.address}`);
    await isAccessible(page, "no hosts");
    await page.screenshot({path: path.join(pictures, "hosts-none.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "hosts, devices and jobs, the worst first"({browser, server, pictures}) {
    const agents = [
      new FakeAgent(server, "node-1", {devices: devices(8), processes: [process_(0, 4, "77"), process_(1, 4, "77")]}),
      new FakeAgent(server, "node-2", {
        samples: anHour(8),
        devices: devices(8, {3: {verdict: "degraded", reasons: [`slowed down by heat ${hostile}`]}}),
        processes: [process_(2, 4, "77"), process_(3, 4, "77", {recording: true})],
      }),
      new FakeAgent(server, "node-10", {
        devices: devices(2, {
          1: {verdict: "failed", reasons: ["12 uncorrectable errors"], busy: null, power_watts: null},
        }),
      }),
    ];
    await withAgents(server, agents, async () => {
      const {page, problems, close} = await open(browser, server, "/hosts");
      await ready(page);
      const title = await page.locator("h1").innerText();
      assert.strictEqual(
        title,
        "3 hosts, 18 devices; 1 device has failed: node-10, device 1, 12 uncorrectable errors; 1 device is degraded: node-2, device 3, slowed down by heat <img src=x onerror=alert(1)></script>",
      );
      assert.deepStrictEqual(await names(page), ["node-10", "node-2", "node-1"]);
      assert.strictEqual(await page.locator("tr[data-host=node-2] .cell").count(), 8);
      assert.strictEqual(await page.locator("tr[data-host=node-2] .cell.degraded").count(), 1);
      const job = page.locator("tr[data-job='77']");
      assert((await job.innerText()).replace(/\s+/g, " ").includes("ann 2 4 1"), await job.innerText());
      // Opened by keyboard, which the address keeps.
      await page.locator("tr[data-host=node-2] button.link").focus();
      await page.keyboard.press("Enter");
      await page.locator("table[aria-label='Devices of node-2'] tr[data-device]").first().waitFor();
      assert.strictEqual(await page.locator("table[aria-label='Devices of node-2'] tr[data-device]").count(), 8);
      assert.strictEqual(await page.locator("table[aria-label='Processes of node-2'] tr[data-pid]").count(), 2);
      assert(page.url().endsWith("?open=node-2"), page.url());
      assert.strictEqual(await page.locator("img").count(), 0);
      // The last hour: of each number the extremes, and what stands out.
      const hour = page.locator("section.last-hour");
      await hour.waitFor();
      assert.strictEqual(
        await hour.locator("h3").innerText(),
        "Heat, power or a fault held down device 3 for 12 of the last 60 minutes",
      );
      assert.deepStrictEqual(await hour.locator("figure").evaluateAll((all) => all.map((one) => one.dataset.metric)), [
        "device_busy",
        "device_power",
        "device_temperature",
        "host_cpu_busy",
        "host_cpu_pressure",
      ]);
      assert.strictEqual(await hour.locator("figure[data-metric=device_temperature] path").count(), 8);
      assert(
        (await hour.locator("figure[data-metric=device_temperature] figcaption").innerText()).endsWith(
          "now: 87 °C on device 3 to 61 °C on device 1",
        ),
        await hour.locator("figure[data-metric=device_temperature] figcaption").innerText(),
      );
      // A time that is pointed at is pointed at in all.
      const box = await hour.locator("figure[data-metric=device_power] svg").boundingBox();
      await page.mouse.move(box.x + box.width * 0.85, box.y + 20);
      await hour.locator("figure[data-metric=device_busy] svg line").waitFor({state: "attached"});
      assert(
        (await hour.locator("figure[data-metric=device_power] figcaption").innerText()).includes("9 min ago: "),
        await hour.locator("figure[data-metric=device_power] figcaption").innerText(),
      );
      assert(
        (await hour.locator("figure[data-metric=device_power] figcaption").innerText()).includes("325 W on device 3"),
        await hour.locator("figure[data-metric=device_power] figcaption").innerText(),
      );
      await page.mouse.move(5, 5);
      await hour.locator("summary").click();
      assert.strictEqual(await hour.locator("tbody tr").count(), 3 * 8 + 2);
      await isAccessible(page, "the hosts");
      await page.screenshot({path: path.join(pictures, "hosts-hour.png"), fullPage: true});
      await hour.locator("summary").click();
      await page.screenshot({path: path.join(pictures, "hosts.png")});
      await page.click("button.theme");
      await isAccessible(page, "the dark hosts");
      await page.screenshot({path: path.join(pictures, "hosts-dark.png")});
      await page.goBack();
      await page.locator("table[aria-label='Devices of node-2']").waitFor({state: "detached"});
      await page.fill("input[type=search]", "UNCORRECTABLE");
      assert.deepStrictEqual(await names(page), ["node-10"]);
      await page.reload();
      await ready(page);
      assert.deepStrictEqual(await names(page), ["node-10"]);
      assert.deepStrictEqual(problems, []);
      await close();
      const narrow = await open(browser, server, "/hosts?open=node-2", {viewport: {width: 390, height: 844}});
      await ready(narrow.page);
      assert((await narrow.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
      await narrow.page.screenshot({path: path.join(pictures, "hosts-narrow.png"), fullPage: true});
      await narrow.close();
    });
  },

  async "a capture from the button to its run"({browser, server, job, pictures}) {
    const traces = [0, 1].map((rank) => fs.readFileSync(path.join(job, `rank${rank}.pt.trace.json.gz`)));
    const written = new Set();
    const agents = [0, 1].map(
      (rank) => new FakeAgent(server, `train-${rank}`, {devices: devices(1), processes: [process_(rank, 2, "job-a")]}),
    );
    for (const agent of agents) agent.stateOf = (one) => (written.has(one.rank) ? "written" : "recording");
    await withAgents(server, agents, async () => {
      const {page, problems, close} = await open(browser, server, "/hosts");
      await ready(page);
      await page.click("button[aria-label='Capture job-a']");
      assert(page.url().includes("capture=job-a"), page.url());
      await isAccessible(page, "the form of a capture");
      await page.fill("input[aria-label=Steps]", "2");
      await page.check("label:has-text('shapes') input");
      // How long is asked for once a window is chosen.
      await page.check("label:has-text('snoop') input[type=checkbox]");
      await page.fill("input[aria-label='Milliseconds of the snoop']", "3000");
      await page.check("label:has-text('off-CPU') input[type=checkbox]");
      await page.fill("input[aria-label='Name of the run'], label:has-text('Name of the run') input", "from the page");
      await page.screenshot({path: path.join(pictures, "capture-form.png")});
      await page.click("button:text-is('Start')");
      const panel = page.locator("section[data-capture]");
      await page
        .locator("section[data-capture][data-phase=recording] h2", {hasText: "0 of 2 processes have written a trace"})
        .waitFor();
      assert(/[?&]watch=[0-9a-f]{16}$/.test(page.url()), page.url());
      const asked = agents[0].asked.find((one) => one.fn === "startCapture");
      assert.deepStrictEqual(
        [
          asked.iterations,
          asked.iteration_roundup,
          asked.shapes,
          asked.stacks,
          asked.job,
          asked.snoop_ms,
          asked.offcpu_ms,
        ],
        [2, 10, true, false, "job-a", 3000, 10_000],
      );
      // One of them has written: who has not is said by name.
      written.add(0);
      await panel.locator("h2", {hasText: "1 of 2 processes"}).waitFor();
      assert.deepStrictEqual(await panel.locator(".missing li").allInnerTexts(), ["train-1: rank 1 records"]);
      await isAccessible(page, "a capture underway");
      await page.screenshot({path: path.join(pictures, "capture.png")});
      // The same job cannot be captured twice at once; the server says so.
      await page.click("button[aria-label='Capture job-a']");
      await page.click("button:text-is('Start')");
      await page.locator("[role=alert]", {hasText: "job 'job-a' is being captured already"}).waitFor();
      await page.click("button:text-is('Not now')");
      written.add(1);
      await page.locator("section[data-capture][data-phase=sending]").waitFor();
      for (const [rank, trace] of traces.entries()) await agents[rank].send(`rank${rank}.pt.trace.json.gz`, trace);
      await page.locator("section[data-capture][data-phase=done] h2", {hasText: "All 2 traces have arrived"}).waitFor();
      assert.strictEqual(await page.locator("tr[data-capture-row] td").nth(3).innerText(), "All 2 traces have arrived");
      await panel.locator("a:text-is('Open the run')").click();
      await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
      assert((await page.locator("nav[aria-label='Pages of this run'] .run-name").innerText()) === "from the page");
      assert.deepStrictEqual(
        problems.filter((one) => !one.includes("429")),
        [],
      );
      await close();
    });
  },

  async "on chosen hosts, cancelled, and followed by a link"({browser, server}) {
    const agents = [0, 1].map(
      (rank) => new FakeAgent(server, `part-${rank}`, {processes: [process_(rank, 2, "job-b")]}),
    );
    for (const agent of agents) agent.stateOf = () => "recording";
    await withAgents(server, agents, async () => {
      const {page, problems, close} = await open(browser, server, "/hosts?q=job-b");
      await ready(page);
      await page.check("input[aria-label='Choose part-1']");
      await page.click("button:text-is('Capture on the chosen host')");
      await page.locator("h2", {hasText: "Capture job job-b on part-1"}).waitFor();
      await page.check("label:has-text('a time') input");
      await page.fill("input[aria-label=Milliseconds]", "250");
      await page.click("button:text-is('Start')");
      await page.locator("section[data-capture][data-phase=recording]").waitFor();
      assert.strictEqual(agents[0].capture, null);
      assert.strictEqual(agents[1].asked.find((one) => one.fn === "startCapture").duration_ms, 250);
      const other = await open(browser, server, new URL(page.url()).pathname + new URL(page.url()).search);
      await other.page.locator("section[data-capture][data-phase=recording]").waitFor();
      await page.click("section[data-capture] button:text-is('Cancel')");
      for (const one of [page, other.page]) await one.locator("section[data-capture][data-phase=cancelled]").waitFor();
      assert.strictEqual(await page.locator("section[data-capture] a").count(), 0);
      assert.deepStrictEqual(problems, []);
      await other.close();
      await close();
    });
  },

  async "a link that is too long for an address"({browser, server}) {
    const wanted = Array.from({length: 100}, (_, i) => `open=n${i}-with-a-long-name-as-hosts-have`).join("&");
    const {page, problems, close} = await open(browser, server, `/hosts?${wanted}&open=node-2`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await ready(page);
    await noteTexts(page, ".share-said");
    await page.click("button:text-is('Share')");
    await waitForNoted(page, "Copied");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert(/\/s\/[0-9a-f]{32}$/.test(link), link);
    const other = await open(browser, server, new URL(link).pathname);
    await ready(other.page);
    assert(other.page.url().includes("&open=node-2"), other.page.url());
    await other.page.locator("table[aria-label='Devices of node-2']").waitFor();
    assert.deepStrictEqual([...problems, ...other.problems], []);
    await other.close();
    // One that is short is itself.
    await page.goto(`${server.address}/hosts?q=node-2`);
    await ready(page);
    await noteTexts(page, ".share-said");
    await page.click("button:text-is('Share')");
    await waitForNoted(page, "Copied");
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), `${server.address}/hosts?q=node-2`);
    await close();
  },

  async "the server gone, and back"({browser, server}) {
    const {page, close} = await open(browser, server, "/hosts?q=node");
    await ready(page);
    const before = await page.locator("tr[data-host]").count();
    await server.end("SIGKILL");
    await page.locator("[role=alert]", {hasText: "The server is gone"}).waitFor();
    assert.strictEqual(await page.locator("tr[data-host]").count(), before);
    await server.start();
    await page.locator("[role=alert]").waitFor({state: "detached"});
    assert.strictEqual(await page.locator("h1").innerText(), "No host reports here");
    await close();
  },

  async "who may only read starts nothing"({browser, program, temporary, servers}) {
    const tokens = path.join(temporary, "tokens");
    const server = new Server(program, path.join(temporary, "closed"), ["--token-file", tokens]);
    const [reads, uploads] = ["read", "upload"].map((role) =>
      server.run("token", role, "--name", role, "--file", tokens),
    );
    await server.start();
    servers.push(server);
    const agent = new FakeAgent(server, "node-1", {
      token: uploads,
      devices: devices(1),
      processes: [process_(0, 1, "77")],
    });
    await withAgents(server, [agent], async () => {
      const {page, close} = await open(browser, server, "/hosts?capture=77");
      await page.fill("input[type=password]", reads);
      await page.keyboard.press("Enter");
      await ready(page);
      await page.locator("tr[data-job='77']").waitFor();
      for (const none of ["button:text-is('Capture')", "button:text-is('Start')", "input[type=checkbox]"])
        assert.strictEqual(await page.locator(none).count(), 0, none);
      await close();
      const other = await open(browser, server, "/hosts");
      await other.page.fill("input[type=password]", uploads);
      await other.page.keyboard.press("Enter");
      await ready(other.page);
      await other.page.locator("button[aria-label='Capture 77']").waitFor();
      await other.close();
    });
  },
  async "hosts by rack, as a map"({browser, program, temporary, servers, pictures}) {
    const server = new Server(program, path.join(temporary, "racks"));
    await server.start();
    servers.push(server);
    const agents = Array.from({length: 48}, (_, i) => {
      const rack = i % 6;
      const wrong = i === 7 ? {2: {verdict: "failed", reasons: ["fell off the bus"], busy: null}} : {};
      const of = devices(8, wrong).map((one) => ({...one, busy: one.busy === null ? null : rack === 3 ? 0.1 : 0.9}));
      return new FakeAgent(server, `gpu${i}`, {rack: rack === 5 ? "" : `r${rack}`, devices: of});
    });
    await withAgents(server, agents, async () => {
      const {page, problems, close} = await open(browser, server, "/hosts");
      await ready(page);
      const map = page.locator("section[aria-labelledby=racks-title]");
      assert.strictEqual(
        await map.locator("h2").innerText(),
        "Rack r3 is 10% busy, the one in the middle 90%; not known of 1",
      );
      const captions = await map.locator("figcaption").allInnerTexts();
      assert.deepStrictEqual(captions, [
        "r0 8 hosts, 90%",
        "r1 8 hosts, 90%",
        "r2 8 hosts, 90%",
        "r3 8 hosts, 10%",
        "r4 8 hosts, 90%",
        "No rack named 8 hosts, 90%",
      ]);
      assert.strictEqual(await map.locator(".rack-host").count(), 48);
      assert.strictEqual(await map.locator(".rack-host > i.failed").count(), 1);
      await isAccessible(page, "the map of racks");
      await page.screenshot({path: path.join(pictures, "hosts-racks.png")});
      // A rack is a filter; a host leads to its row; the measure stands in the address.
      await map.locator("figcaption button", {hasText: "r3"}).click();
      assert.strictEqual((await names(page)).length, 8);
      assert.strictEqual(await map.locator(".rack-host.faded").count(), 40);
      await map.locator(".rack-host[aria-label^='gpu7:']").click();
      assert.deepStrictEqual(await names(page), ["gpu7"]);
      await page.locator("table[aria-label='Devices of gpu7'] tr[data-device]").first().waitFor();
      await map.locator("select").selectOption("temperature");
      assert.strictEqual(await map.locator("h2").innerText(), "384 devices, 64 \u00b0C warm in the mean");
      assert(page.url().includes("map=temperature"), page.url());
      await page.reload();
      await ready(page);
      assert.strictEqual(await map.locator("select").inputValue(), "temperature");
      assert.deepStrictEqual(problems, []);
      await close();
    });
  },

  async "a thousand hosts"({browser, program, temporary, servers, pictures}) {
    const server = new Server(program, path.join(temporary, "many"));
    await server.start();
    servers.push(server);
    const agents = Array.from(
      {length: 1000},
      (_, i) =>
        new FakeAgent(server, `bulk${i}`, {
          devices: devices(8, i === 500 ? {2: {verdict: "degraded", reasons: ["power brake"]}} : {}),
          processes: [process_(i, 1000, "big")],
        }),
    );
    for (let i = 0; i < agents.length; i += 20)
      await Promise.all(agents.slice(i, i + 20).map((agent) => agent.post(0, [])));
    const {page, problems, close} = await open(browser, server, "/hosts?q=bulk");
    await ready(page);
    const rows = await page.locator("tr[data-host]").count();
    assert.strictEqual(rows, 1000);
    assert.strictEqual((await names(page))[0], "bulk500");
    await page.screenshot({path: path.join(pictures, "hosts-many.png")});
    await page.fill("input[type=search]", "power brake");
    assert.deepStrictEqual(await names(page), ["bulk500"]);
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

async function main() {
  const program = path.resolve(process.argv[2]);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_hosts_"));
  const pictures = process.argv[3] || temporary;
  fs.mkdirSync(pictures, {recursive: true});
  const job = path.join(temporary, "job");
  const server = new Server(program, path.join(temporary, "data"));
  const servers = [server];
  const browser = await launch();
  try {
    server.run("simulate", job, "--ranks", "2", "--steps", "4", "--events", "8000");
    await server.start();
    await runCases(cases, {browser, server, servers, program, job, temporary, pictures});
  } finally {
    await browser.close();
    for (const one of servers)
      if (one.process && one.process.exitCode === null && one.process.signalCode === null) await one.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

main();
