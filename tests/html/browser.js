// Chromium without a network, and what every page must do: raise no error and ask for nothing but itself.
"use strict";

const path = require("path");
const {chromium} = require(path.join(__dirname, "..", "..", "third_party", "playwright", "package"));

const options = [
  "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-default-apps",
  "--disable-extensions", "--disable-domain-reliability", "--disable-breakpad", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND",
];

async function launch() {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({executablePath, args: options, headless: true});
}

// A page and the list of what went wrong on it.
async function open(browser, file, settings = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...settings});
  const page = await context.newPage();
  const problems = [];
  const address = `file://${file}`;
  page.on("console", (message) => { if (message.type() !== "log") problems.push(`console ${message.type()}: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== address) problems.push(`request: ${request.url()}`); });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, {timeout: 10000});
  return {page, problems, close: () => context.close()};
}

module.exports = {launch, open};
