// Puts the page of a memory snapshot or a memory timeline together.

function buildMemory() {
  const summary = table("snapshot_summary");
  const all = report.is_timeline ? [group("all", "Overview", timelineSections())]
    : summary.rows().flatMap((row) => [
      group(idOf("all", summary.get(row, "device")), titleOf("Overview", summary.get(row, "device")),
        [memoryOverview(row), oomSection(row), allocationsSection(row), leaksSection(row)]),
      group(idOf("details", summary.get(row, "device")), titleOf("Details", summary.get(row, "device")),
        [holdersSection(row), categoriesSection(row), segmentsSection(row), stacksSection(row)]),
    ]).filter(Boolean);
  const about = report.later ? `${front(report.path, 200)} \u2192 ${front(report.later, 200)}` : front(report.path, 300);
  const footer = el("footer", {class: "note"}, "Made by rankscope from this file alone; every number is a cell of a table: ", el("code", {}, "rankscope memory SNAPSHOT --table NAME"), " writes one.",
    report.settings ? [" PYTORCH_CUDA_ALLOC_CONF=", front(report.settings, 300)] : null);
  document.body.append(el("div", {class: "page"},
    el("header", {class: "top"}, el("h1", {}, "rankscope memory"), el("span", {class: "about"}, about), themeButton()),
    contents(), el("main", {}, all, footer)), tip, spoken);
  redrawAll();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}

buildMemory();
