// The server's pages in a real browser: node app_test.js RANKSCOPE [FOLDER], which gets pictures of them.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch} = require("../html/browser.js");
const {isAccessible, open, runCases} = require("./pages.js");
const {Server} = require("./server.js");

const servers = [];
const hostile = "<img src=x onerror=alert(1)>\u202e</script>";

const row = (page, name) => page.locator("tr[data-run]", {has: page.locator("td.name", {hasText: name})});

const cases = {
  async "runs, as the command line tells them"({browser, server, job, pictures}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run]");
    const printed = JSON.parse(server.run("analyze", job, "--format", "json"));
    const text = await row(page, "trained").innerText();
    assert(text.toLowerCase().includes(printed.findings[0].title.toLowerCase()), text);
    assert(text.includes(printed.job.bottleneck), text);
    assert(text.includes(`${printed.job.combined_gain_pct.toFixed(1)}%`), text);
    assert(text.includes(`${Number((printed.job.step_time_ns.median / 1e6).toPrecision(3))} ms`), text);
    assert((await row(page, "trained").locator("svg.sparkline polyline").count()) === 1);
    // What is wrong is said, and a name is a text.
    assert((await row(page, "broken").innerText()).includes("not a trace"));
    assert((await row(page, "<img src=x").innerText()).includes("\\u202e"));
    assert.strictEqual(await page.locator("img").count(), 0);
    await isAccessible(page, "the list of runs");
    await page.screenshot({path: path.join(pictures, "runs.png")});
    await page.click("button.theme");
    await isAccessible(page, "the dark list of runs");
    await page.screenshot({path: path.join(pictures, "runs-dark.png")});
    assert.deepStrictEqual(await page.locator("nav[aria-label=Pages] a").allInnerTexts(), ["Runs", "Hosts", "Fleet"]);
    for (const head of await page.locator("thead th:not(:has(.unseen))").all())
      assert(await head.getAttribute("title"), await head.innerText());
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "search and states"({browser, server}) {
    const {page, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run]");
    await page.fill("input[type=search]", "BROK");
    assert.strictEqual(await page.locator("tr[data-run]").count(), 1);
    await page.fill("input[type=search]", "");
    await page.click("button:text-is('ready')");
    assert.strictEqual(await page.locator("tr[data-run]").count(), 1);
    assert((await page.locator("[role=status]").innerText()).startsWith("1 of 3"));
    await close();
  },

  async "from a run to its report, by keyboard"({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run] a");
    for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches("tr[data-run] a"))); ++i)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    assert(/\/runs\/[0-9a-f]{16}$/.test(page.url()), page.url());
    assert((await page.title()).startsWith("trained"));
    const cards = await page.locator("#findings").innerText();
    assert(cards.includes("rank 1"), cards);
    // A deep link: the same ranks are chosen again.
    await page.goto(`${page.url()}#ranks&ranks=1`);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.screenshot({path: path.join(pictures, "run.png")});
    // Its pages, each of which says where one is; every head of a table and every name of a metric says what it is.
    const pages = page.locator("nav[aria-label='Pages of this run'] a");
    assert.deepStrictEqual(await pages.allInnerTexts(), [
      "trained",
      "Report",
      "Timeline",
      "SQL",
      "Rank 1",
      "One file",
      "Notebook",
    ]);
    assert.strictEqual(
      await page.locator("nav[aria-label='Pages of this run'] a[aria-current=page]").innerText(),
      "Report",
    );
    const unexplained = await page.evaluate(() =>
      [...document.querySelectorAll("section:not(#findings) table.data th, .tile .name")]
        .filter((one) => one.textContent !== "" && !one.title && one.offsetParent !== null)
        .map((one) => `${one.closest("section")?.id}: ${one.textContent}`),
    );
    assert.deepStrictEqual(unexplained, []);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "the job at a glance, on one screen"({browser, server, job, pictures}) {
    const printed = JSON.parse(server.run("analyze", job, "--format", "json"));
    const {page, problems, close} = await open(browser, server, "/");
    await page.click("tr[data-run]:has-text('trained') a");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    const ends = await page.$$eval("#glance .lead, #glance .glance-card, #glance .glance-part", (all) =>
      all.map((one) => one.getBoundingClientRect().bottom),
    );
    assert(ends.length >= 5 && Math.max(...ends) <= 900, `it ends at ${Math.max(...ends)}`);
    const cards = await page.$$eval("#glance .glance-card", (all) =>
      all.map((card) => [
        Number(card.querySelector("[data-cell$='gain_ns']").dataset.value),
        card.querySelector(".glance-title").textContent.toLowerCase(),
        card.querySelectorAll("svg rect").length,
      ]),
    );
    printed.findings
      .slice(0, 3)
      .forEach((finding, i) =>
        assert.deepStrictEqual(cards[i].slice(0, 2), [finding.gain_ns, finding.title.toLowerCase()]),
      );
    assert.strictEqual(cards[0][2], 2); // both ranks, one of which is meant
    assert.strictEqual(await page.locator("#glance .glance-card").first().locator("rect.meant").count(), 1);
    // The bar is the table's, with exposed communication divided, and a click leads to all of it.
    const tableOf = (name) => JSON.parse(server.run("table", name, job, "--format", "json"));
    const columnsOf = (table, ...names) => names.map((name) => table.columns.findIndex((one) => one.name === name));
    const told = tableOf("job_breakdown");
    const exposed = tableOf("exposed_by_rank");
    const [part, share] = columnsOf(told, "part", "share_pct");
    const [rank, ...parts] = columnsOf(exposed, "rank", "wait_share_pct", "transfer_share_pct", "unknown_share_pct");
    const ofJob = exposed.rows.find((row) => row[rank] === null);
    const shares = await page.$$eval("#glance .contribution-bar span", (all) =>
      all.map((one) => Number(one.style.getPropertyValue("--part"))),
    );
    assert.deepStrictEqual(
      shares,
      told.rows
        .flatMap((row) => (row[part] === "exposed_communication" ? parts.map((at) => ofJob[at]) : [row[share]]))
        .filter((value) => value > 0),
    );
    await page.screenshot({path: path.join(pictures, "glance.png")});
    await page.click("#glance .glance-card");
    assert(page.url().includes("#finding-1"), page.url());
    assert((await page.locator("#kernels h2").innerText()).includes("of their time in"));
    assert.deepStrictEqual(problems, []);
    await close();
    const narrow = await open(browser, server, new URL(page.url()).pathname, {viewport: {width: 390, height: 844}});
    await narrow.page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    assert((await narrow.page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const lefts = await narrow.page.$$eval("#glance .glance-card, #glance .glance-part", (all) =>
      all.map((one) => Math.round(one.getBoundingClientRect().left)),
    );
    assert.strictEqual(new Set(lefts).size, 1);
    await narrow.close();
  },

  async "what a finding means can be read where it stands, and at an address of its own"({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.click("tr[data-run]:has-text('trained') a");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    const card = page.locator("#findings .finding").first();
    const cause = (await card.locator(".about-cause code").innerText()).replace("rankscope explain ", "");
    await card.locator("summary", {hasText: "What is this?"}).click();
    const text = card.locator(".explanation");
    await text.waitFor();
    const shown = await card.locator(".explanation pre").allInnerTexts();
    assert.deepStrictEqual(
      shown.filter((one) => one.includes("\\u000a")),
      [],
      "lines of code are lines",
    );
    const printed = server.run("explain", cause).replace(/\s+/g, " ");
    for (const heading of ["In a trace", "Why it matters", "What to change"])
      assert((await text.locator("h4").allInnerTexts()).includes(heading), heading);
    const first = (await text.locator("p").first().innerText()).replace(/\s+/g, " ");
    assert(printed.includes(first), `${first} is not in ${printed}`);
    await isAccessible(page, "a finding that is explained");
    await card.screenshot({path: path.join(pictures, "explained.png")});
    await page.goto(`${server.address}/explain/${cause}`);
    await page.locator("h1", {hasText: cause}).waitFor();
    assert.strictEqual((await page.locator(".explanation p").first().innerText()).replace(/\s+/g, " "), first);
    await isAccessible(page, "what a finding means");
    assert.deepStrictEqual(problems, []);
    await page.goto(`${server.address}/explain/no-such-cause`);
    await page.locator("h1", {hasText: "There is no such finding"}).waitFor();
    await close();
  },

  async "a command that wants the traces leads to where they are"({browser, server, job}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.click("tr[data-run]:has-text('trained') a");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    const card = page.locator("#findings .finding", {has: page.locator(".command", {hasText: "TRACES"})}).first();
    await card.locator(".about-traces a").click();
    assert(page.url().endsWith("#files"), page.url());
    const names = fs.readdirSync(job).filter((name) => /\.json(\.gz)?$/.test(name) && name !== "truth.json");
    const links = page.locator("#files li a");
    await links.first().waitFor();
    assert.deepStrictEqual((await links.allInnerTexts()).sort(), names.sort());
    const [name] = names;
    const got = await page.evaluate(
      async (href) => (await (await fetch(href)).arrayBuffer()).byteLength,
      await page.locator("#files li a", {hasText: name}).getAttribute("href"),
    );
    assert.strictEqual(got, fs.statSync(path.join(job, name)).size);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "what if, as the command line predicts it"({browser, server, job, pictures}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.click("tr[data-run] a");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.fill("#whatif input[name=rank]", "1");
    await page.click("#whatif button:text-is('Add')");
    await page.waitForSelector("#whatif [data-what=changed]");
    await page.selectOption("#whatif form select >> nth=0", "remove");
    await page.click("#whatif button:text-is('Add')");
    const told = JSON.parse(
      server.run("whatif", job, "--change", "idealise:rank=1", "--change", "remove:kind=sync", "--format", "json"),
    );
    const changed = told.rows.at(-1)[told.columns.findIndex(({name}) => name === "changed_ns")];
    await page.waitForSelector(`#whatif [data-what=changed][data-ns="${changed}"]`);
    assert(page.url().includes("change=idealise:rank=1&change=remove:kind=sync"), page.url());
    await page.locator("#whatif").screenshot({path: path.join(pictures, "whatif.png")});
    await isAccessible(page, "a report with changes");
    // A finding is ticked, and beside the others its cause is gone.
    await page.check("#whatif input[name=slow-kernels]");
    const cured = JSON.parse(
      server.run(
        "whatif",
        job,
        "--change",
        "idealise:rank=1",
        "--change",
        "remove:kind=sync",
        "--change",
        "cure:finding=slow-kernels",
        "--format",
        "json",
      ),
    );
    await page.waitForSelector(
      `#whatif [data-what=changed][data-ns="${cured.rows.at(-1)[cured.columns.findIndex(({name}) => name === "changed_ns")]}"]`,
    );
    assert.strictEqual(await page.locator("#whatif .changes li").count(), 2);
    assert(page.url().includes("change=cure:finding=slow-kernels"), page.url());
    await page.goBack();
    await page.waitForFunction(() => !document.querySelector("#whatif input[name=slow-kernels]").checked);
    // Back takes the last change away; what is not possible is said.
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll("#whatif .changes li").length === 1);
    await page.selectOption("#whatif form select >> nth=0", "rank");
    await page.fill("#whatif input[name=rank]", "77");
    await page.click("#whatif button:text-is('Add')");
    await page.locator("#whatif [role=alert]", {hasText: "no rank 77"}).waitFor();
    assert.deepStrictEqual(
      problems.filter((one) => !one.includes("400")),
      [],
    );
    // Chosen ranks go along to the timeline.
    await page.evaluate(() => {
      location.hash = "#ranks&ranks=1";
    });
    await page.waitForSelector("header a[href$='timeline?ranks=1']");
    await close();
  },

  async "what a job tells of itself"({browser, server}) {
    const id = (await (await fetch(`${server.address}/api/v1/runs`)).json()).runs.find(
      (one) => one.name === "trained",
    ).id;
    const losses = Array.from({length: 300}, (_, i) => ({
      time: (1_700_000_000 + i) * 1e9,
      name: "train/loss",
      value: 4 - i / 100 + (i === 150 ? 7 : 0),
      step: i,
    }));
    const sent = await fetch(`${server.address}/api/v1/runs/${id}/metrics`, {
      method: "POST",
      body: JSON.stringify(losses),
    });
    assert.strictEqual(sent.status, 201);
    const {page, problems, close} = await open(browser, server, "/");
    const loss = page.locator(`tr[data-run="${id}"] .loss`);
    await loss.waitFor();
    assert((await loss.innerText()).includes("1.01"), await loss.innerText());
    await page.goto(`${server.address}/runs/${id}#metrics`);
    await page.waitForSelector("[data-plot='train/loss over steps'] canvas");
    assert.strictEqual(Number(await page.getAttribute("[data-plot='train/loss over steps']", "data-points")), 300);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async narrow({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/", {viewport: {width: 390, height: 844}});
    await page.waitForSelector("tr[data-run]");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    // A card for each run, with why it is slow in sight.
    const why = await row(page, "trained").locator("td.text").boundingBox();
    assert(why.x >= 0 && why.x + why.width <= 390, JSON.stringify(why));
    await isAccessible(page, "the narrow list of runs");
    await page.screenshot({path: path.join(pictures, "runs-narrow.png")});
    await page.goto(
      await page
        .locator("tr[data-run] a")
        .getAttribute("href")
        .then((href) => server.address + href),
    );
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.screenshot({path: path.join(pictures, "run-narrow.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "upload, live, and removal"({browser, server, job}) {
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run]");
    const traces = fs
      .readdirSync(job)
      .filter((name) => name.endsWith(".json.gz"))
      .map((name) => path.join(job, name));
    await page.setInputFiles("input[type=file]:not([webkitdirectory])", traces);
    await row(page, "rank0").locator(".state.ready").waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    await row(page, "rank0").locator("button").click();
    await row(page, "rank0").waitFor({state: "detached"});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a folder of independent traces becomes several runs"({browser, server, temporary}) {
    const folder = path.join(temporary, "sweep");
    server.run("simulate", path.join(folder, "a"), "--ranks", "2", "--steps", "3", "--events", "2000");
    server.run("simulate", path.join(folder, "b"), "--job", "fsdp", "--ranks", "2", "--steps", "3", "--events", "2000");
    for (const name of ["a", "b"]) fs.rmSync(path.join(folder, name, "truth.json"), {force: true});
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run]");
    await page.setInputFiles("input[webkitdirectory]", folder);
    for (const name of ["sweep/a", "sweep/b"]) await row(page, name).locator(".state.ready").waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    for (const name of ["sweep/a", "sweep/b"]) {
      await row(page, name).locator("button").click();
      await row(page, name).waitFor({state: "detached"});
    }
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "two runs compared"({browser, server, temporary}) {
    const other = path.join(temporary, "other");
    server.run("simulate", other, "--ranks", "2", "--steps", "4", "--events", "8000");
    server.push(other, "mended");
    const {page, problems, close} = await open(browser, server, "/");
    // Once it is analysed: a row that comes while another is clicked moves it.
    await row(page, "mended").locator("input[type=checkbox]").waitFor();
    await row(page, "trained").locator("input[type=checkbox]").check();
    await row(page, "mended").locator("input[type=checkbox]").check();
    // The choice stays on the way through other pages.
    await page.click("nav[aria-label=Pages] a:text-is('Hosts')");
    await page.waitForSelector("main.hosts h1");
    await page.click("nav[aria-label=Pages] a:text-is('Runs')");
    await row(page, "trained").waitFor();
    await page.locator("nav[aria-label=Pages] a:text-is('Compare')").waitFor();
    await page.click("text=Compare trained");
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    const ids = new URL(page.url()).searchParams;
    const told = await (
      await fetch(`${server.address}/api/v1/diff?base=${ids.get("base")}&test=${ids.get("test")}`)
    ).json();
    // In the names of the runs, not of their roles.
    const headline = told.job.headline.replaceAll("BASE", "trained").replaceAll("TEST", "mended");
    assert(headline !== told.job.headline && (await page.locator("main").innerText()).includes(headline), headline);
    // Names of findings and runs stay as they are where a sentence begins with one.
    assert.match(await page.locator("#overview ul.headlines").innerText(), /^slow-kernels gone/m);
    assert.strictEqual(await page.locator("nav[aria-label=Pages] a[aria-current=page]").innerText(), "Compare");
    assert.strictEqual(await page.locator("header .about").innerText(), "trained \u2192 mended");
    await fetch(`${server.address}/api/v1/runs/${ids.get("test")}`, {method: "DELETE"});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "runs sorted, tagged, over time, compared in bulk, removed"({browser, server, temporary}) {
    const make = (name, factor, tag) => {
      const folder = path.join(temporary, `${name}-${factor}`);
      const slow = factor === 1 ? [] : ["--slow-rank", "1", "--slow-factor", String(factor)];
      if (!fs.existsSync(folder))
        server.run("simulate", folder, "--ranks", "2", "--steps", "4", "--events", "4000", ...slow);
      return server.push(folder, name, "--tag", tag).split("\n").pop().split("/").pop();
    };
    const ids = [make("llama", 1, "branch=main"), make("llama", 1.01, "branch=main"), make("llama", 1.6, "branch=new")];
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector(`tr[data-run="${ids[2]}"]`);
    const runs = Object.fromEntries(
      (await (await fetch(`${server.address}/api/v1/runs`)).json()).runs.map((run) => [run.id, run]),
    );
    const stepOf = (id) => runs[id].summary.step_time_ns.median;
    // The trend says which run was slower than those before, by how much.
    const trend = page.locator("tr[data-trend=llama]");
    assert.strictEqual(await trend.locator("circle").count(), 3);
    assert.strictEqual(await trend.locator("circle.slower").count(), 1);
    const change = 100 * (stepOf(ids[2]) / ((stepOf(ids[0]) + stepOf(ids[1])) / 2) - 1);
    const told = Number(await trend.locator("td").last().getAttribute("data-value"));
    assert(change > 5 && Math.abs(told - change) < 1e-6, `${told} ${change}`);
    assert((await page.locator("details.trends summary").innerText()).includes("slower than those before"));
    // Sorted by step time, the longest first, then the shortest; it stays in the address.
    const order = () => page.$$eval("tr[data-run]", (all) => all.map((one) => one.dataset.run));
    const known = (all) => all.filter((id) => runs[id].summary?.step_time_ns);
    await page.click("thead button:has-text('step time')");
    const down = known(await order()).map(stepOf);
    assert.deepStrictEqual(
      down,
      [...down].sort((a, b) => b - a),
    );
    await page.click("thead button:has-text('step time')");
    const up = known(await order()).map(stepOf);
    assert.deepStrictEqual(
      up,
      [...up].sort((a, b) => a - b),
    );
    assert(page.url().includes("sort=step+time"), page.url());
    await page.selectOption("label:has-text('Tag') select", "branch=main");
    assert.deepStrictEqual((await order()).sort(), ids.slice(0, 2).sort());
    await page.reload();
    await page.waitForSelector(`tr[data-run="${ids[0]}"]`);
    assert.deepStrictEqual((await order()).sort(), ids.slice(0, 2).sort());
    await page.selectOption("label:has-text('Tag') select", "");
    // Three against the first.
    for (const id of ids) await page.locator(`tr[data-run="${id}"] input[type=checkbox]`).check();
    const cell = page.locator(`tr[data-chosen="${ids[2]}"] td.number`).nth(1);
    const against = Number(await cell.getAttribute("data-value"));
    assert(Math.abs(against - 100 * (stepOf(ids[2]) / stepOf(ids[0]) - 1)) < 1e-6);
    assert.match(await cell.innerText(), /^\u25b2 \+[\d.]+%$/);
    assert.strictEqual(
      await page.locator(`tr[data-chosen="${ids[2]}"] a:text-is('what changed')`).getAttribute("href"),
      `/compare?base=${ids[0]}&test=${ids[2]}`,
    );
    await isAccessible(page, "the list with runs ticked");
    page.on("dialog", (dialog) => dialog.accept());
    await page.click("button:text-is('Remove these 3 runs')");
    for (const id of ids) await page.locator(`tr[data-run="${id}"]`).waitFor({state: "detached"});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "the server gone, and back"({browser, server}) {
    const {page, close} = await open(browser, server, "/");
    await page.waitForSelector("tr[data-run]");
    await server.end("SIGKILL");
    await page.locator("[role=alert]", {hasText: "The server is gone"}).waitFor();
    assert.strictEqual(await page.locator("tr[data-run]").count(), 3);
    await server.start();
    await page.locator("[role=alert]").waitFor({state: "detached"});
    await close();
  },

  async "what is not there"({browser, server}) {
    const {page, close} = await open(browser, server, "/runs/0123456789abcdef");
    await page.waitForSelector("text=There is no such run");
    await page.goto(`${server.address}/runs/x/y`);
    await page.waitForSelector("text=There is nothing at this address");
    const answer = await page.goto(`${server.address}/foo`);
    assert.strictEqual(answer.status(), 404);
    await page.waitForSelector("text=There is nothing at this address");
    await page.click("main a:text-is('All runs')");
    await page.waitForSelector("tr[data-run]");
    await close();
  },

  async "no runs, and a token"({browser, program, temporary, pictures}) {
    const tokens = path.join(temporary, "tokens");
    const server = new Server(program, path.join(temporary, "empty"), ["--token-file", tokens]);
    const token = server.run("token", "upload", "--name", "ann", "--file", tokens);
    await server.start();
    servers.push(server);
    const {page, close} = await open(browser, server, "/");
    await page.fill("input[type=password]", "wrong");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]").waitFor();
    await isAccessible(page, "the question for a token");
    await page.fill("input[type=password]", token);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`text=rankscope push traces/ --server ${server.address}`);
    await isAccessible(page, "an empty list");
    await page.screenshot({path: path.join(pictures, "empty.png")});
    await close();
  },
};

async function main() {
  const program = path.resolve(process.argv[2]);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_app_"));
  const pictures = process.argv[3] || temporary;
  fs.mkdirSync(pictures, {recursive: true});
  const job = path.join(temporary, "job");
  const server = new Server(program, path.join(temporary, "data"));
  const browser = await launch();
  try {
    server.run(
      "simulate",
      job,
      "--ranks",
      "2",
      "--steps",
      "4",
      "--events",
      "8000",
      "--slow-rank",
      "1",
      "--slow-factor",
      "1.4",
    );
    await server.start();
    servers.push(server);
    server.push(job, "trained");
    const post = (place, body) => fetch(server.address + place, {method: "POST", body}).then((answer) => answer.json());
    await post("/api/v1/runs", JSON.stringify({name: hostile}));
    const broken = await post("/api/v1/runs", JSON.stringify({name: "broken"}));
    await fetch(`${server.address}/api/v1/runs/${broken.id}/files/rank0.json`, {method: "PUT", body: "no trace"});
    await post(`/api/v1/runs/${broken.id}/finish`, "");
    for (let state = ""; state !== "failed"; ) {
      state = (await (await fetch(`${server.address}/api/v1/runs/${broken.id}`)).json()).state;
    }
    await runCases(cases, {browser, server, program, job, temporary, pictures});
  } finally {
    await browser.close();
    for (const one of servers)
      if (one.process.exitCode === null && one.process.signalCode === null) await one.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

main();
