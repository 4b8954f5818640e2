// How a server bears rising load: served requests against what they take, by levels of a load run.

import type {ComponentChildren} from "preact";
import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {XyPlot, type XySeries} from "../../draw/xy_plot";
import {human} from "../../model/format";
import {sorted} from "../../model/order";
import type {Serving, Table} from "../../model/report";
import {visible} from "../../model/text";
import {inMicros} from "../../model/vocabulary";
import {DataTable, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

// "8.33/s", "32 users", a level as it was asked for.
export function askedOf(source: Table, row: number): string {
  const users = source.get(row, "users");
  if (users !== null) return `${human(users, "")} user${Number(users) === 1 ? "" : "s"}`;
  const rate = source.get(row, "target_per_s");
  const end = source.get(row, "end_per_s");
  if (rate === null) return source.text(row, "kind");
  return end === null ? `${human(rate, "")}/s` : `${human(rate, "")} to ${human(end, "")}/s`;
}

// It says nothing of the server, or little.
function saysLittle(source: Table, row: number): boolean {
  return source.get(row, "invalid") !== null || source.get(row, "state") === "too short";
}

// Where what the server's processes did under the level's load can be read.
function recordingOf(source: Table, row: number): ComponentChildren {
  const page = source.text(row, "capture_page");
  return /^https?:\/\//.test(page) ? <a href={page}>its run</a> : "–";
}

const measures = [
  {id: "e2e_p50_ns", label: "whole request, median", colour: "series-1"},
  {id: "e2e_p99_ns", label: "whole request, p99", colour: "series-2"},
  {id: "ttft_p99_ns", label: "first token, p99", colour: "series-3"},
  {id: "tpot_p99_ns", label: "time per token, p99", colour: "series-4"},
] as const;

function limitsOf(serving: Serving) {
  const goodput = serving.table("serving_goodput");
  return goodput
    .rows()
    .filter((row) => goodput.number(row, "limit_ns") !== null)
    .map((row) => ({
      y: goodput.amount(row, "limit_ns"),
      label: `objective ${goodput.text(row, "objective").toUpperCase()} ${human(goodput.get(row, "limit_ns"), "ns")}`,
    }));
}

function Saturation({serving}: {readonly serving: Serving}) {
  const source = serving.table("serving_levels");
  const rows = sorted(
    source.rows().filter((row) => source.number(row, "served_per_s") !== null),
    (row) => source.number(row, "offered_per_s"),
    false,
  );
  const known = measures.filter(({id}) => rows.some((row) => source.number(row, id) !== null));
  const series: XySeries[] = known.map(({id, label, colour}) => ({
    label,
    colour,
    values: rows.map((row) => source.number(row, id)),
    joins: true,
  }));
  const rowAt = (i: number) => rows[i] ?? -1;
  const markOf = (i: number) =>
    [...source.text(rowAt(i), "marks").split(", "), source.get(rowAt(i), "is_focus") === true ? "looked at" : ""]
      .filter(Boolean)
      .join(", ");
  return (
    <>
      <Legend entries={series.map((one) => [one.colour, one.label])} />
      <XyPlot
        name="Latency over served requests"
        x={rows.map((row) => source.amount(row, "served_per_s"))}
        series={series}
        unit="ns"
        across={{label: "requests served a second", format: (value) => human(value, "")}}
        limits={limitsOf(serving)}
        title={(i) => `${askedOf(source, rowAt(i))}: ${source.text(rowAt(i), "state")}`}
        lines={(i) => [
          ...["offered_per_s", "served_per_s", "good_pct"].map(
            (column): TipLine => [
              null,
              column === "good_pct" ? "good" : column.replace("_per_s", " a second"),
              source.cell(rowAt(i), column),
            ],
          ),
          ...known.map(({id, label, colour}): TipLine => [colour, label, source.cell(rowAt(i), id)]),
        ]}
        markOf={markOf}
        isHollow={(i) => saysLittle(source, rowAt(i))}
        isChosen={(i) => source.get(rowAt(i), "is_focus") === true}
      />
      {rows.some((row) => saysLittle(source, row)) ? (
        <p class="note">Hollow: too short or invalid, and says little of the server.</p>
      ) : null}
    </>
  );
}

function answerOf(source: Table): string {
  const withMark = (mark: string) => source.rows().find((row) => source.text(row, "marks").split(", ").includes(mark));
  const objective = withMark("objective");
  const capacity = withMark("capacity");
  const rate = (row: number) => `${human(source.get(row, "served_per_s"), "")} a second`;
  if (objective !== undefined) return `${rate(objective)} keep the objective`;
  if (capacity !== undefined) return `bears ${rate(capacity)}`;
  const most = Math.max(...source.rows().map((row) => source.amount(row, "served_per_s")));
  return `${source.count} level${source.count === 1 ? "" : "s"}, ${human(most, "")} a second served at most`;
}

export function levelsSection(serving: Serving): Section | null {
  const source = serving.table("serving_levels");
  if (source.empty) return null;
  const name = (column: string, label: string, kind?: string) => plain(source, column, label, kind);
  return {
    id: "load",
    title: "Load",
    answer: answerOf(source),
    how: "A point is a level of load: how many requests a second it served, and what they took, counted from when each was to be sent. Where the curve turns up, more load brings waiting and no more answers.",
    body: (
      <>
        <Saturation serving={serving} />
        {serving.data.level_sentences.map((text) => (
          <p key={text} class="note">
            {inMicros(visible(text))}
          </p>
        ))}
        <DataTable
          rows={source.rows()}
          columns={[
            {label: "asked", kind: "word", node: (row) => askedOf(source, row)},
            name("offered_per_s", "offered (1/s)"),
            name("served_per_s", "served (1/s)"),
            name("inside", "inside"),
            name("ttft_p50_ns", "TTFT p50"),
            name("ttft_p99_ns", "TTFT p99"),
            name("tpot_p50_ns", "TPOT p50"),
            name("e2e_p50_ns", "e2e p50"),
            name("e2e_p99_ns", "e2e p99"),
            name("good_pct", "good"),
            name("state", "state", "word"),
            name("marks", "marks", "text"),
            name("invalid", "invalid", "text"),
            ...(source.rows().some((row) => source.get(row, "capture_page") !== null)
              ? [{label: "recorded", kind: "text", node: (row: number) => recordingOf(source, row)}]
              : []),
          ]}
        />
      </>
    ),
  };
}
