// Step time over steps, with its spread over ranks.

function stepTimeSection() {
  const source = table("step_spread");
  const title = "Step time";
  const rows = source.rows().filter((row) => source.get(row, "step") !== null);
  if (rows.length === 0) {
    if (!report.tables.step_spread) return null;
    return section("step-time", title, null, el("p", {class: "empty"}, "No complete step was recorded: the traces have no ProfilerStep marks and no period was found, or every step was cut off by the recording."));
  }
  const how = "How long each step took: the line is the median over ranks, the dark band the middle half of the ranks, the light band all of them. A wide band means that ranks differ; a bump means that a step differs. The axis need not begin at 0.";
  const inferred = rows.some((row) => source.get(row, "inferred"))
    ? el("p", {class: "note"}, "Steps were inferred from the program's period: there are no ProfilerStep marks.") : null;
  // In the words of the text report, which writes them as a line of a list, with the terminal's "us".
  const lead = report.sentences.host_lead.map((text) => el("p", {class: "said"}, `${text[0].toUpperCase()}${text.slice(1)}.`.replace(/(\d) us\b/g, "$1 \u00b5s")));
  const names = ["max_ns", "p75_ns", "median_ns", "p25_ns", "min_ns"];
  const labels = {max_ns: "slowest", p75_ns: "p75", median_ns: "median", p25_ns: "p25", min_ns: "fastest"};
  const extra = [["fastest_rank", "fastest rank"], ["slowest_rank", "slowest rank"], ["ranks", "ranks"]];
  const series = names.map((name) => ({
    label: labels[name], colour: name === "median_ns" ? "accent" : "", width: name === "median_ns" ? 2 : 0,
    values: rows.map((row) => source.number(row, name)), cell: (i) => source.cell(rows[i], name),
  }));
  // In the tooltip only.
  for (const [name, label] of extra) series.push({label, colour: "", width: 0, values: rows.map(() => null), cell: (i) => source.cell(rows[i], name)});
  const chart = lineChart({
    name: "Step time over steps", unit: "ns", zoomed: true, title: (i) => `Step ${source.get(rows[i], "step")}`,
    x: {label: "step", whole: true, values: rows.map((row) => source.number(row, "step")), format: (value) => String(value)},
    series, bands: [[0, 4, "accent-wide"], [1, 3, "accent-band"]],
  });
  const columns = [plain(source, "step"), ...["median_ns", "min_ns", "p25_ns", "p75_ns", "max_ns", "mean_ns"].map((name) => plain(source, name, labels[name] || words(name.replace("_ns", "")))),
    plain(source, "fastest_rank"), plain(source, "slowest_rank"), plain(source, "ranks")];
  if (rows.length === 1) return section("step-time", title, "How long the one complete step took, over the ranks.", inferred, lead, dataTable(columns, rows));
  return section("step-time", title, how, inferred, lead,
    legend([["accent", "median over ranks"], ["accent-band", "p25 to p75"], ["accent-wide", "min to max"]]), chart, details("step_spread", columns, source.rows()));
}
