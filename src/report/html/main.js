// Puts the page together: what matters first, then the details.

function build() {
  const all = [
    summarySection(), jobTimeSection(), criticalPathSection(), stepTimeSection(), byRankSection(), idleSection(), overlapSection(), ranksSection(), layoutSection(), pipelineSection(), expertsSection(), acrossSection(), kernelsSection(),
    kernelStepsSection(), callStacksSection(), opsSection(), modulesSection(), graphsSection(), rooflineSection(), memorySection(), hostSection(), copiesSection(), ...percentileSections(), qualitySection(), capturesSection(),
  ].filter(Boolean);
  const about = report.job.devices.length ? `${plural(report.job.ranks, "rank")} on ${report.job.devices.map((device) => front(device, 60)).slice(0, 2).join(", ")}`
    : plural(report.job.ranks, "rank");
  const footer = el("footer", {class: "note"}, "Made by rankscope from these traces alone; every number is a cell of a table: ",
    el("code", {}, "rankscope list"), " names them. Plots of lines: uPlot, MIT licence, \u00a9 Leon Sorokin.");
  document.body.append(el("div", {class: "page"},
    el("header", {class: "top"}, el("h1", {}, "rankscope"), el("span", {class: "about"}, about), themeButton()),
    contents(), el("main", {}, all, notEvaluated(), footer)), tip, spoken);
  mendLinks();
  redrawAll();
  watchSizes();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}

build();
