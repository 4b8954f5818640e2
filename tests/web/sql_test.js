// The SQL page in a real browser: node sql_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");

const result = (page) => page.locator("[aria-label=Result] tbody tr");
const cells = (page) =>
  result(page).evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.dataset.value)));

const cases = {
  async "an answer, as the command line gives it, drawn, sorted, saved to disk"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.click("header a:text-is('SQL')");
    const sql = "select class, count(*) as calls, sum(dur_ns) as total_ns from kernels group by class order by class";
    await page.fill("textarea", sql);
    await page.keyboard.press("Control+Enter");
    await result(page).first().waitFor();
    const told = JSON.parse(server.run("query", job, sql, "--format", "json"));
    assert.deepStrictEqual(
      await cells(page),
      told.rows.map((row) => row.map(String)),
    );
    // The picture: a bar for each row, as long as its number.
    assert.strictEqual(await page.locator(".result-plot .bar").count(), told.rows.length);
    await page.selectOption("section[aria-label=Plot] select >> nth=1", {label: "total_ns"});
    const lengths = await page
      .locator(".result-plot rect")
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("width"))));
    const most = Math.max(...told.rows.map((row) => Number(row[2])));
    told.rows.forEach((row, i) => assert(Math.abs(lengths[i] - Math.max(0.3, (Number(row[2]) / most) * 100)) < 0.01));
    await page.click("th:nth-child(3) button");
    assert.strictEqual((await cells(page))[0][2], String(most));
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('CSV')")]);
    const lines = require("fs")
      .readFileSync(await file.path(), "utf8")
      .split("\r\n");
    assert.strictEqual(lines[0], "class,calls,total_ns");
    assert.strictEqual(lines.length, told.rows.length + 2);
    await isAccessible(page, "the SQL page");
    await page.screenshot({path: path.join(pictures, "sql.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "every example has an answer"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/sql`);
    const examples = page.locator("[aria-label=Queries] button.link");
    await examples.first().waitFor();
    const count = await examples.count();
    assert(count >= 4);
    for (let i = 0; i < count; ++i) {
      await Promise.all([
        page.waitForResponse((response) => response.request().method() === "POST"),
        examples.nth(i).click(),
      ]);
      await page.waitForFunction(
        () =>
          document.querySelector(".sql-work [role=status]")?.textContent.includes("row") ||
          document.querySelector("[role=alert]"),
      );
      assert.strictEqual(await page.locator("[role=alert]").count(), 0, await page.locator("textarea").inputValue());
      assert((await result(page).count()) > 0, await page.locator("textarea").inputValue());
    }
    await close();
  },

  async "names are completed by keyboard"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/sql`);
    await page.waitForFunction(() => document.querySelectorAll(".schema-list details").length > 50);
    await page.focus("textarea");
    await page.keyboard.type("select  from kern");
    await page.waitForSelector("#sql-completions:not([hidden]) li");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.strictEqual(await page.locator("textarea").getAttribute("aria-activedescendant"), "sql-completion-0");
    await page.screenshot({path: path.join(pictures, "sql-completion.png")});
    await page.keyboard.press("Enter");
    assert.strictEqual(await page.locator("textarea").inputValue(), "select  from kernels");
    for (let i = 0; i < " from kernels".length; ++i) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("launch_e");
    await page.keyboard.press("Tab");
    assert.strictEqual(await page.locator("textarea").inputValue(), "select launch_event from kernels");
    await page.keyboard.type(" ");
    await page.keyboard.press("Tab");
    assert.notStrictEqual(
      await page.evaluate(() => document.activeElement.tagName),
      "TEXTAREA",
      "Tab leaves when nothing is offered",
    );
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "what is wrong, and what takes too long"({browser, server, run}) {
    const {page, close} = await open(
      browser,
      server,
      `/runs/${run}/sql?q=${encodeURIComponent("select nope from kernels")}`,
    );
    assert.strictEqual(await page.locator("textarea").inputValue(), "select nope from kernels");
    assert.strictEqual(await result(page).count(), 0, "a link runs nothing by itself");
    await page.click("button:text-is('Run')");
    await page.locator("[role=alert]", {hasText: "nope"}).waitFor();
    // A text of several lines survives being looked at again.
    await page.fill("textarea", "select 7 as\n\tseven");
    await page.waitForFunction(() => location.search.includes("seven"));
    await page.reload();
    await page.waitForSelector("textarea");
    assert.strictEqual(await page.locator("textarea").inputValue(), "select 7 as\n\tseven");
    await page.fill("textarea", "copy (select 1) to '/tmp/x.csv'");
    await page.click("button:text-is('Run')");
    await page.locator("[role=alert]", {hasText: "Cannot access file"}).waitFor();
    await page.fill(
      "textarea",
      "select count(*) from range(1000000) a, range(1000000) b where hash(a.range, b.range) = 1",
    );
    await page.click("button:text-is('Run')");
    await page.click("button:text-is('Cancel')");
    await page.locator("button:text-is('Cancel')").waitFor({state: "detached"});
    assert.strictEqual(await page.locator("[role=alert]").count(), 0);
    await close();
  },

  async "kept, removed, shared"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/sql`);
    page.on("dialog", (dialog) => dialog.accept("<b>mine</b>"));
    const long = `select 1 as one -- ${"x".repeat(2500)}`;
    await page.fill("textarea", long);
    await page.click("button:text-is('Save')");
    await page.locator("[aria-label=Queries] button.link", {hasText: "<b>mine</b>"}).waitFor();
    await page.click("button:text-is('Link')");
    await page.waitForSelector(".link-text");
    const link = await page.locator(".link-text").inputValue();
    assert(/\/s\/[0-9a-f]{32}$/.test(link), link);
    const other = await open(browser, server, new URL(link).pathname);
    await other.page.waitForSelector("textarea");
    assert.strictEqual(await other.page.locator("textarea").inputValue(), long);
    await other.page.locator("[aria-label=Queries] button.link", {hasText: "<b>mine</b>"}).click();
    await result(other.page).first().waitFor();
    assert.deepStrictEqual(await cells(other.page), [["1"]]);
    await other.page.locator("[aria-label='Remove <b>mine</b>']").click();
    await other.page.locator("[aria-label=Queries] button.link", {hasText: "Kernels that take"}).waitFor();
    await other.close();
    await close();
  },

  async "dark and narrow"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/sql`, {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await page.locator("[aria-label=Queries] button.link").first().click();
    await result(page).first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await isAccessible(page, "the narrow, dark SQL page");
    await page.screenshot({path: path.join(pictures, "sql-narrow.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_sql_", ["--ranks", "2", "--steps", "4", "--events", "8000"]);
