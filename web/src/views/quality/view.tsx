// What was wrong with the input, and which recordings were left out.

import {grouped, plural, words} from "../../model/format";
import {distinct} from "../../model/order";
import {type Report} from "../../model/report";
import {DataTable, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

export function qualitySection(report: Report): Section | null {
  if (!report.has("data_quality")) return null;
  const source = report.table("data_quality");
  if (source.empty)
    return {id: "quality", title: "Data quality", body: <p class="empty">Nothing was wrong with the input.</p>};
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
    source.total > rows.length ? (
      <p class="note">
        {`The first ${grouped(rows.length)} of ${grouped(source.total)} rows. All: `}
        <code>rankscope table data_quality PATH</code>
      </p>
    ) : null;
  return {
    id: "quality",
    title: "Data quality",
    how: "What could not be read or had to be guessed. Numbers above are as good as what could be read.",
    body: (
      <>
        <DataTable columns={columns} rows={rows} />
        {note}
      </>
    ),
  };
}

// Causes that were not looked for, by reason.
export function NotEvaluated({report}: {readonly report: Report}) {
  const causes = report.job.not_evaluated ?? [];
  if (causes.length === 0) return null;
  const reasons = distinct(causes.map((cause) => cause.reason));
  return (
    <details>
      <summary>{`${plural(causes.length, "cause")} of slowness that could not be looked for`}</summary>
      {reasons.map((reason) => (
        <p class="note">{`${reason}: ${causes
          .filter((cause) => cause.reason === reason)
          .map((cause) => cause.id)
          .join(", ")}`}</p>
      ))}
    </details>
  );
}

export function capturesSection(report: Report): Section | null {
  const source = report.table("captures");
  if (source.empty) return null;
  const names = ["rank", "capture", "group", "start_ns", "duration_ns", "events"].filter((name) => source.has(name));
  const columns = [
    ...names.map((name) => plain(source, name, words(name.replace("_ns", "")))),
    plain(source, "file", "file", "text"),
  ];
  return {
    id: "captures",
    title: "Recordings left out",
    how: "A rank may have several recordings; this report is about one group of them that overlap in time. These are the others; --capture chooses.",
    body: (
      <>
        <DataTable columns={columns} rows={source.rows()} />
        <p class="note">
          {`The folder has ${plural(source.total, "recording")} in all: `}
          <code>rankscope table captures PATH</code>
        </p>
      </>
    ),
  };
}
