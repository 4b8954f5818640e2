// What was wrong with the input, and which recordings were left out.

import {el} from "../../draw/dom";
import {grouped, plural, words} from "../../model/format";
import {distinct} from "../../model/order";
import {report, table} from "../../model/report";
import {dataTable, plain} from "../shared/data_table";
import {section} from "../shared/section";

export function qualitySection() {
  if (!report.tables.data_quality) return null;
  const source = table("data_quality");
  if (source.empty)
    return section("quality", "Data quality", null, el("p", {class: "empty"}, "Nothing was wrong with the input."));
  const rows = source.rows();
  const columns = [
    plain(source, "rank"),
    plain(source, "message", "what was wrong, and what was done", "text"),
    plain(source, "count"),
    plain(source, "code", "code", "text"),
    plain(source, "byte"),
    plain(source, "file", "file", "text"),
  ];
  const note =
    source.total > rows.length
      ? el(
          "p",
          {class: "note"},
          `The first ${grouped(rows.length)} of ${grouped(source.total)} rows. All: `,
          el("code", {}, "rankscope table data_quality PATH"),
        )
      : null;
  return section(
    "quality",
    "Data quality",
    "What could not be read or had to be guessed. Numbers above are as good as what could be read.",
    dataTable(columns, rows),
    note,
  );
}

// Causes that were not looked for, by reason.
export function notEvaluated() {
  const causes = report.job.not_evaluated ?? [];
  if (causes.length === 0) return null;
  const reasons = distinct(causes.map((cause) => cause.reason));
  return el(
    "details",
    {},
    el("summary", {}, `${plural(causes.length, "cause")} of slowness that could not be looked for`),
    reasons.map((reason) =>
      el(
        "p",
        {class: "note"},
        `${reason}: ${causes
          .filter((cause) => cause.reason === reason)
          .map((cause) => cause.id)
          .join(", ")}`,
      ),
    ),
  );
}

export function capturesSection() {
  const source = table("captures");
  if (source.empty) return null;
  const names = ["rank", "capture", "group", "start_ns", "duration_ns", "events"].filter((name) => source.has(name));
  const columns = [
    ...names.map((name) => plain(source, name, words(name.replace("_ns", "")))),
    plain(source, "file", "file", "text"),
  ];
  return section(
    "captures",
    "Recordings left out",
    "A rank may have several recordings; this report is about one group of them that overlap in time. These are the others; --capture chooses.",
    dataTable(columns, source.rows()),
    el(
      "p",
      {class: "note"},
      `The folder has ${plural(source.total, "recording")} in all: `,
      el("code", {}, "rankscope table captures PATH"),
    ),
  );
}
