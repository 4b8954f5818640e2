// What a finding's card offers beside advice: node act_test.js RANKSCOPE [FOLDER], which gets pictures.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");

const program = `import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.randn(3072), index % 10


def main():
    model = torch.nn.Linear(3072, 10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(Images(), batch_size=32):
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
`;

// A card with its patch and "run again" opened.
async function opened(browser, server, run, settings) {
  const one = await open(browser, server, `/runs/${run}`, settings);
  await one.page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
  const card = one.page.locator(".finding", {hasText: "rankscope explain data-starvation"}).first();
  return {...one, card};
}

function pushed(server, job, name, ...words) {
  return server
    .push(job, name, ...words)
    .split("\n")
    .pop()
    .split("/")
    .pop();
}

const cases = {
  async "the patch is the program's own"({browser, server, job, pictures}) {
    const source = path.join(path.dirname(job), "source");
    fs.mkdirSync(source);
    fs.writeFileSync(path.join(source, "train.py"), program);
    const run = pushed(server, job, "with code", "--source", source);
    const diff = server.run("fix", job, "--source", source, "--finding", "data-starvation");
    const {page, problems, close, card} = await opened(browser, server, run, {});
    await card.locator(".patch summary").click();
    await card.locator(".diff").waitFor();
    const shown = await card.locator(".diff code").allInnerTexts();
    assert.strictEqual(shown.join("\n").trim(), diff);
    assert(shown.some((line) => line.startsWith("+") && line.includes("num_workers")));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      card.locator("a:text-is('Download')").click(),
    ]);
    assert.strictEqual(fs.readFileSync(await download.path(), "utf8").trim(), diff);
    const [notebook] = await Promise.all([page.waitForEvent("download"), page.click("a:text-is('Notebook')")]);
    assert.strictEqual(JSON.parse(fs.readFileSync(await notebook.path(), "utf8")).nbformat, 4);
    await isAccessible(page, "a card with a patch");
    await card.screenshot({path: path.join(pictures, "act-patch.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "without code there is no patch, and with a commit nobody knows it is said"({browser, server, job, run}) {
    const without = await opened(browser, server, run, {});
    await without.card.locator(".again summary").waitFor();
    assert.strictEqual(await without.card.locator(".patch").count(), 0);
    assert.deepStrictEqual(without.problems, []);
    await without.close();
    const {close, card} = await opened(
      browser,
      server,
      pushed(server, job, "by commit", "--tag", "commit=0123456"),
      {},
    );
    await card.locator(".patch summary").click();
    await card.locator(".patch [role=alert]").waitFor();
    assert((await card.locator(".patch [role=alert]").innerText()).includes("push it with --source"));
    await close();
  },

  async "a second run comes to its finding"({browser, server, job, pictures}) {
    const first = pushed(server, job, "first", "--model", "llama", "--tag", "command=python train.py");
    const {page, problems, close, card} = await opened(browser, server, first, {});
    await card.locator(".again summary").click();
    const lines = await card.locator(".again .command code").allInnerTexts();
    assert.strictEqual(lines[0], "python train.py");
    assert.strictEqual(
      lines[1],
      `rankscope push TRACES --server ${server.address} --tag again_of=${first} --tag finding=data-starvation`,
    );
    assert.strictEqual(await card.locator("button:text-is('Run again')").count(), 0);
    const mended = path.join(path.dirname(job), "mended");
    server.run("simulate", mended, "--ranks", "2", "--steps", "4", "--events", "8000");
    const second = pushed(server, mended, "workers", ...lines[1].split(" ").slice(5));
    await page.reload();
    await card.locator(`[data-run="${second}"]`).waitFor();
    const again = await (await fetch(`${server.address}/api/v1/runs/${first}/again`)).json();
    const said = await card.locator(`[data-run="${second}"]`).innerText();
    assert(said.includes(`${again.runs[0].gain_pct.toPrecision(3)}% less`), said);
    assert(said.includes(`${again.runs[0].promised_pct.toPrecision(3)}% promised`), said);
    const expected = await card.locator(".expected").innerText();
    assert(expected.startsWith(`Expect ${again.expected[0].expected_pct.toPrecision(3)}%`), expected);
    assert(expected.endsWith("1 change for this cause was measured, of this model."), expected);
    await isAccessible(page, "a card with a second run");
    await card.screenshot({path: path.join(pictures, "act-again.png")});
    await card.locator("a:text-is('Compare')").click();
    await page.waitForURL(`**/compare?base=${first}&test=${second}`);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "on a narrow, dark page nothing stands out of its card"({browser, server, run, pictures}) {
    const {page, close, card} = await opened(browser, server, run, {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await card.locator(".again summary").click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await isAccessible(page, "the narrow, dark page");
    await card.screenshot({path: path.join(pictures, "act-narrow.png")});
    await close();
  },

  // The last: the server is started again.
  async "who may launch has a button"({browser, server, run}) {
    const settings = path.join(server.data, "..", "launcher.json");
    fs.writeFileSync(settings, JSON.stringify({argv: ["sh", "-c", "echo Submitted $0 for $1", "{run}", "{finding}"]}));
    await server.end("SIGTERM");
    server.options = ["--launcher", settings];
    await server.start();
    const {problems, close, card} = await opened(browser, server, run, {});
    await card.locator(".again summary").click();
    await card.locator("button:text-is('Run again')").click();
    await card.locator(`text=Submitted ${run} for data-starvation`).waitFor();
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_act_", [
  "--ranks",
  "2",
  "--steps",
  "4",
  "--events",
  "8000",
  "--plant",
  "data-starvation",
]);
