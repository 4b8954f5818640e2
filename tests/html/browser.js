// Chromium without a network, and what every page must do: raise no error and ask for nothing but itself.
"use strict";

const path = require("path");
const {chromium} = require(path.join(__dirname, "..", "..", "third_party", "playwright", "package"));

// The one limit of every wait, for what never comes: no page is so slow that it is reached.
const limitMs = Number(process.env.LIMIT_MS || 300000);

const options = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-domain-reliability",
  "--disable-breakpad",
  "--disable-gpu",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

async function launch() {
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({executablePath, args: options, headless: true, timeout: limitMs});
}

// A page whose waits have that limit, and its context.
async function newPage(browser, settings) {
  const context = await browser.newContext(settings);
  context.setDefaultTimeout(limitMs);
  return {context, page: await context.newPage()};
}

// Opens what says nothing and is folded away, so that its plots are drawn as well.
async function unfold(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details.fold")) fold.open = true;
  });
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll("[data-plot]")).every((plot) => plot.querySelector("svg *, canvas")),
  );
}

// A page with its folds open, and the list of what went wrong on it. `hash` is the end of its address.
async function open(browser, file, {folded = false, hash = "", ...settings} = {}) {
  const {context, page} = await newPage(browser, {viewport: {width: 1280, height: 900}, ...settings});
  const problems = [];
  const address = `file://${file}`;
  page.on("console", (message) => {
    if (message.type() !== "log") problems.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address + hash);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
  if (!folded) await unfold(page);
  return {page, problems, close: () => context.close()};
}

// Every text from now on of what matches `selector`: some stays for a moment only, and who looks later finds it gone.
async function noteTexts(page, selector) {
  await page.evaluate((one) => {
    window.notedTexts = [];
    const look = () => {
      for (const node of document.querySelectorAll(one)) window.notedTexts.push(node.textContent);
    };
    new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
  }, selector);
}

async function waitForNoted(page, text) {
  await page.waitForFunction((one) => window.notedTexts.some((noted) => noted.includes(one)), text);
}

module.exports = {launch, limitMs, newPage, noteTexts, open, waitForNoted};
