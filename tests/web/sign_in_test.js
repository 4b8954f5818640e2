// A person signs in at a provider, as browsers do it: their rules for cookies are what no other test has. node sign_in_test.js RANKSCOPE
"use strict";

const assert = require("assert");
const {spawn} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const readline = require("readline");
const {launch, newPage} = require("../html/browser.js");
const {isAccessible} = require("./pages.js");
const {Server} = require("./server.js");

const rules = `scopes = ["email", "groups"]
[[rule]]
claim = "groups"
value = "admins"
role = "admin"
team = "*"
`;

async function provider() {
  const script = path.join(__dirname, "..", "oidc", "provider.mjs");
  const child = spawn("node", [script, JSON.stringify({ada: {groups: ["admins"]}, eve: {groups: []}})], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const issuer = await new Promise((resolve) => readline.createInterface({input: child.stdout}).once("line", resolve));
  return {issuer, stop: () => child.kill("SIGKILL")};
}

// In the provider's forms.
async function signIn(page, name) {
  await page.fill("input[name=login]", name);
  await page.fill("input[name=password]", "any");
  await page.click("button[type=submit]");
  await page.click("button[type=submit]"); // that the server may know it
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_sign_in_"));
  const file = path.join(folder, "rules.toml");
  fs.writeFileSync(file, rules);
  const {issuer, stop} = await provider();
  const options = ["--oidc-issuer", issuer, "--oidc-client-id", "rankscope-public", "--oidc-rules", file];
  const server = new Server(process.argv[2], path.join(folder, "data"), [...options, "--oidc-name", "Our provider"]);
  await server.start();
  // A browser has one name for both, so that cookies of one could reach the other.
  const browser = await launch();
  try {
    const {page} = await newPage(browser, {viewport: {width: 1200, height: 800}});
    await page.goto(`${server.address}/hosts`);
    const link = page.getByRole("link", {name: "Sign in with Our provider"});
    await link.waitFor();
    assert.strictEqual(await page.locator("input[type=password]").count(), 0); // the server has no tokens
    await isAccessible(page, "the page of signing in");
    await link.click();
    await signIn(page, "ada");
    // Back on the page, whose requests have the cookie.
    await page.getByRole("button", {name: "Sign out"}).waitFor();
    assert.strictEqual(page.url(), `${server.address}/hosts`);
    assert.doesNotMatch(await page.locator("main h1").innerText(), /wants to know/);
    const cookies = await page.context().cookies(server.address);
    const session = cookies.find(({name}) => name === "rankscope");
    assert.deepStrictEqual([session.httpOnly, session.sameSite], [true, "Strict"]);
    await isAccessible(page, "a page with a way out");
    await page.getByRole("button", {name: "Sign out"}).click();
    await page.getByRole("link", {name: "Sign in with Our provider"}).waitFor();
    // Whom no rule lets in reads why.
    const other = await newPage(browser, {});
    await other.page.goto(server.address);
    await other.page.getByRole("link", {name: "Sign in with Our provider"}).click();
    await signIn(other.page, "eve");
    await other.page.getByRole("alert").waitFor();
    assert.match(
      await other.page.getByRole("alert").innerText(),
      /no rule of this server lets you in.*groups: nothing/,
    );
    await isAccessible(other.page, "a page that says no");
    console.log("ok: sign-in in a browser");
  } finally {
    await browser.close();
    await server.end("SIGTERM");
    stop();
    fs.rmSync(folder, {recursive: true});
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
