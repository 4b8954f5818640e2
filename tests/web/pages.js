// Pages of a server in a browser, as tests look at them.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch, newPage} = require("../html/browser.js");
const {Server} = require("./server.js");

const axe = fs.readFileSync(path.join(__dirname, "..", "..", "web", "node_modules", "axe-core", "axe.min.js"), "utf8");

// SLOW_MS=N holds every request of a page back by up to N ms, each by another time: a test that looks before it has waited fails then.
const slowest = Number(process.env.SLOW_MS || 0);

// ONLY=REGEX runs those cases alone whose names match it.
const only = new RegExp(process.env.ONLY || "");

// A page whose problems are kept: errors, dialogs, anything that the policy refused or that another server was asked.
async function open(browser, server, place, settings = {}) {
  const {context, page} = await newPage(browser, {viewport: {width: 1400, height: 900}, ...settings});
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.address))
      problems.push(`request: ${request.url()}`);
  });
  if (slowest > 0) {
    await page.route("**/api/**", async (route) => {
      await new Promise((done) => setTimeout(done, Math.random() * slowest));
      await route.continue().catch(() => {}); // A page that has left takes no answer.
    });
  }
  await page.goto(server.address + place);
  return {page, problems, close: () => context.close()};
}

async function isAccessible(page, what) {
  // By the debugger, which the page's own policy does not bind.
  await page.evaluate(axe);
  const found = await page.evaluate(async () =>
    (
      await window.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        rules: {"target-size": {enabled: true}},
      })
    ).violations.map(
      (one) =>
        `${one.id} (${one.impact}): ${one.nodes
          .map((node) => node.target.join(" "))
          .slice(0, 3)
          .join(", ")}`,
    ),
  );
  assert.deepStrictEqual(found, [], `${what} has barriers`);
}

// Every case with what it is given; the process fails when one does.
async function runCases(cases, given) {
  for (const [name, check] of Object.entries(cases)) {
    if (!only.test(name)) continue;
    const begin = Date.now();
    try {
      await check(given);
      console.log(`ok      ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
}

// Every case with a server that has one run, "trained", of a job simulated so, and of what `prepare` adds to its folder; the program's arguments are the test's.
async function withRun(cases, prefix, words, prepare = () => {}) {
  const program = path.resolve(process.argv[2]);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  const pictures = process.argv[3] || temporary;
  fs.mkdirSync(pictures, {recursive: true});
  const job = path.join(temporary, "job");
  const server = new Server(program, path.join(temporary, "data"));
  const browser = await launch();
  try {
    server.run("simulate", job, ...words);
    prepare(job);
    await server.start();
    const run = server.push(job, "trained").split("\n").pop().split("/").pop();
    await runCases(cases, {browser, server, run, job, pictures});
  } finally {
    await browser.close();
    if (server.process && server.process.exitCode === null) await server.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

module.exports = {isAccessible, open, runCases, withRun};
