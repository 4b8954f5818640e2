// Puts the page together: what matters first, then the details in groups.

function build() {
  const [classes, phases, launches, annotations] = percentileSections();
  const all = [
    group("overview", "Overview", [findingsSection(), summarySection(), jobTimeSection(), stepTimeSection(), criticalPathSection()]),
    group("ranks", "Ranks", [byRankSection(), idleSection(), ranksSection(), blameSection(), layoutSection(), pipelineSection()]),
    group("communication", "Communication", [overlapSection(), acrossSection(), expertsSection()]),
    group("compute", "Compute", [kernelsSection(), kernelStepsSection(), opsSection(), modulesSection(), callStacksSection(), rooflineSection(), graphsSection(), classes]),
    group("memory", "Memory", [memorySection(), copiesSection()]),
    group("host", "Host", [hostSection(), launches, phases, annotations]),
    group("data", "Data", [qualitySection(), capturesSection()]),
  ].filter(Boolean);
  const about = report.job.devices.length ? `${plural(report.job.ranks, "rank")} on ${report.job.devices.map((device) => front(device, 60)).slice(0, 2).join(", ")}`
    : plural(report.job.ranks, "rank");
  const footer = el("footer", {class: "note"}, "Made by rankscope from these traces alone; every number is a cell of a table: ",
    el("code", {}, "rankscope list"), " names them. Plots of lines: uPlot, MIT licence, \u00a9 Leon Sorokin.");
  document.body.append(el("div", {class: "page"},
    el("header", {class: "top"}, el("h1", {}, "rankscope"), el("span", {class: "about"}, about), themeButton()),
    contents(), el("main", {}, all, report.tables.findings ? null : notEvaluated(), footer)), tip, spoken);
  mendLinks();
  mendCardLinks();
  redrawAll();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}

build();
