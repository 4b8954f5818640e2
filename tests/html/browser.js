// Chromium without a network, and what every page must do: raise no error and ask for nothing but itself.
"use strict";

const path = require("path");
const {chromium} = require(path.join(__dirname, "..", "..", "third_party", "playwright", "package"));

const options = [
  "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-default-apps",
  "--disable-extensions", "--disable-domain-reliability", "--disable-breakpad", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

async function launch() {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({executablePath, args: options, headless: true});
}

// Opens what says nothing and is folded away, so that its plots are drawn as well.
async function unfold(page) {
  await page.evaluate(() => { for (const fold of document.querySelectorAll("details.fold")) fold.open = true; });
  await page.waitForFunction(() => Array.from(document.querySelectorAll("[data-plot]")).every((plot) => plot.querySelector("svg *, canvas")), null, {timeout: 10000});
}

// A page with its folds open, and the list of what went wrong on it. `hash` is the end of its address.
async function open(browser, file, {folded = false, hash = "", ...settings} = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...settings});
  const page = await context.newPage();
  const problems = [];
  const address = `file://${file}`;
  page.on("console", (message) => { if (message.type() !== "log") problems.push(`console ${message.type()}: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url().split("#")[0] !== address) problems.push(`request: ${request.url()}`); });
  await page.goto(address + hash);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, {timeout: 10000});
  if (!folded) await unfold(page);
  return {page, problems, close: () => context.close()};
}

module.exports = {launch, open};
