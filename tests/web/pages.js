// Pages of a server in a browser, as tests look at them.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");

const axe = fs.readFileSync(path.join(__dirname, "..", "..", "web", "node_modules", "axe-core", "axe.min.js"), "utf8");

// A page whose problems are kept: errors, dialogs, anything that the policy refused or that another server was asked.
async function open(browser, server, place, settings = {}) {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, ...settings});
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.address)) problems.push(`request: ${request.url()}`); });
  await page.goto(server.address + place);
  return {page, problems, close: () => context.close()};
}

async function isAccessible(page, what) {
  // By the debugger, which the page's own policy does not bind.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})).violations
    .map((one) => `${one.id} (${one.impact}): ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`));
  assert.deepStrictEqual(found, [], `${what} has barriers`);
}

module.exports = {isAccessible, open};
