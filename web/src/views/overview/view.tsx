// The job at a glance, on one screen: the answer in a sentence, the largest findings, where a step goes, how long steps take, which ranks
// differ. Each part is a link to the section that shows all of it.

import {CellSpan, cellText, Swatch} from "../../draw/cells";
import {shadeOf} from "../../draw/heat_map";
import {deviceShares} from "../../model/device_shares";
import {isHiddenByProfiler, methodOf} from "../../model/gains";
import {metricDoc} from "../../model/metric_docs";
import {distinct} from "../../model/order";
import {type RankOutlier, farthestOf} from "../../model/outliers";
import {numbersOf} from "../../model/ranks";
import type {CellValue, Report, Table} from "../../model/report";
import {front, listed} from "../../model/text";
import {capitalised, inMicros} from "../../model/vocabulary";
import {titleOf} from "../findings/view";
import type {Section} from "../shared/section";
import {RecordingVerdicts} from "./recording";
import {Bars, Lines, RankMap, type Shaded} from "./pictures";

const mostCards = 3;
const mostParts = 5;
const leastPart = 0.5; // percent: what is less has no label

const severityMarks: Readonly<Record<string, string>> = {
  high: "\u25b2 High",
  medium: "\u25c6 Medium",
  low: "\u25cf Low",
};

// What a finding takes is seen in this metric of ranks.
const metricsOf: Readonly<Record<string, string>> = {
  "slower kernels": "compute",
  "more work": "compute",
  kernels: "compute",
  copies: "exposed_copy",
  transfers: "exposed_communication",
  "host work": "idle_host",
  launching: "launch_time",
  data: "idle_data",
  sync: "idle_sync",
};

function valuesByRank(metrics: Table, metric: string): {readonly rank: number; readonly value: number}[] {
  return metrics
    .where("metric", metric)
    .filter((row) => metrics.number(row, "value") !== null)
    .map((row) => ({rank: metrics.amount(row, "rank"), value: metrics.amount(row, "value")}))
    .sort((a, b) => a.rank - b.rank);
}

// Ranks against each other where some are meant, else the steps.
function evidence(report: Report, row: number) {
  const findings = report.table("findings");
  const ranks = new Set(numbersOf(findings.get(row, "ranks")));
  const metric = metricsOf[findings.text(row, "what")];
  const values = metric === undefined ? [] : valuesByRank(report.table("rank_metrics"), metric);
  if (metric !== undefined && ranks.size > 0 && ranks.size < values.length && values.length > 1)
    return (
      <Bars
        name={`${report.words.metricName(metric)} by rank`}
        values={values.map((one) => ({value: one.value, isMeant: ranks.has(one.rank)}))}
      />
    );
  const steps = report.table("step_spread");
  const own = steps.rows().filter((one) => steps.get(one, "step") !== null);
  const meant = new Set(numbersOf(findings.get(row, "steps")));
  return own.length < 2 ? null : (
    <Bars
      name="Step times"
      values={own.map((one) => ({
        value: steps.amount(one, "median_ns"),
        isMeant: meant.size < own.length && meant.has(steps.amount(one, "step")),
      }))}
    />
  );
}

function worth(source: Table, row: number) {
  if (isHiddenByProfiler(source, row))
    return (
      <>
        <b>
          <CellSpan cell={source.cell(row, "gain_unprofiled_pct")} />
        </b>
        {" without the profiler"}
      </>
    );
  return (
    <>
      {source.get(row, "gain_ns") === null ? null : (
        <>
          {methodOf(source, row)}
          <b>
            <CellSpan cell={source.cell(row, "gain_ns")} />
          </b>
        </>
      )}{" "}
      {source.get(row, "gain_pct") === null ? null : <CellSpan cell={source.cell(row, "gain_pct")} />}
    </>
  );
}

function card(report: Report, row: number) {
  const source = report.table("findings");
  const severity = source.text(row, "severity");
  const who = source.text(row, "who");
  const steps = source.text(row, "steps");
  return (
    <a key={row} class={`glance-card ${severity}`} href={`#finding-${row + 1}`}>
      <span class="worth">
        <span class="severity">{severityMarks[severity] ?? severity}</span>
        <span class="gain">{worth(source, row)}</span>
      </span>
      <span class="glance-title">{titleOf(source, row).replaceAll("`", "")}</span>
      <span class="muted">
        {[front(who, 60), steps === "" ? "" : `${/[-,]/.test(steps) ? "steps" : "step"} ${front(steps, 30)}`]
          .filter(Boolean)
          .join(" \u00b7 ")}
      </span>
      {evidence(report, row)}
    </a>
  );
}

function whereStepsGo(report: Report) {
  const shares = deviceShares(report);
  const [first] = [...shares].sort((a, b) => b.pct - a.pct);
  if (first === undefined) return null;
  const large = shares.filter((share) => share.pct >= leastPart).slice(0, mostParts);
  return (
    <a class="glance-part" href="#job-time">
      <h3>
        {capitalised(first.label)}: <CellSpan cell={first.cell} /> of device time
      </h3>
      <span class="contribution-bar" role="img" aria-label="Where device time goes">
        {shares.map((share) => (
          <span key={share.label} style={{"--part": String(share.pct), "--swatch": `var(--${share.colour})`}} />
        ))}
      </span>
      <span class="glance-list">
        {large.map((share) => (
          <span key={share.label}>
            <Swatch colour={share.colour} /> {share.label} <CellSpan cell={share.cell} />
          </span>
        ))}
      </span>
    </a>
  );
}

function stepTimes(report: Report) {
  const source = report.table("step_spread");
  const rows = source.rows().filter((row) => source.get(row, "step") !== null);
  const all = source.where("step", null)[0];
  if (rows.length === 0 || all === undefined) return null;
  const of = (column: string) => rows.map((row) => source.amount(row, column));
  // The sentence above tells the mean: where that is another number, both stand here with what they are.
  const mean = source.cell(all, "mean_ns");
  return (
    <a class="glance-part" href="#step-time">
      <h3>
        {report.job.ranks > 1 ? "A rank\u2019s step" : "A step"}: <CellSpan cell={source.cell(all, "median_ns")} />{" "}
        (median)
        {cellText(mean) === cellText(source.cell(all, "median_ns")) ? null : (
          <>
            , <CellSpan cell={mean} /> (mean)
          </>
        )}
      </h3>
      <Lines
        name={`Step times over ${rows.length} steps, with their range over the ranks`}
        middle={of("median_ns")}
        low={of("min_ns")}
        high={of("max_ns")}
      />
      <span class="muted">
        <CellSpan cell={source.cell(all, "min_ns")} /> to <CellSpan cell={source.cell(all, "max_ns")} />
        {rows.length === 1 ? ", step " : ", steps "}
        <CellSpan cell={source.cell(rows[0] ?? 0, "step")} />
        {rows.length === 1 ? null : (
          <>
            {" to "}
            <CellSpan cell={source.cell(rows.at(-1) ?? 0, "step")} />
          </>
        )}
      </span>
    </a>
  );
}

const mostRanksNamed = 4;

// "273", or of ranks that differ as much "37.0 to 40.0 us".
function ValuesOf({
  source,
  rows,
  unit,
}: {
  readonly source: Table;
  readonly rows: readonly RankOutlier[];
  readonly unit: string;
}) {
  const order = [...rows].sort((a, b) => a.value - b.value);
  const [least, most] = [order[0], order.at(-1)];
  if (least === undefined || most === undefined) return null;
  return (
    <>
      <CellSpan cell={source.cell(least.row, "value", unit)} />
      {most.value === least.value ? null : (
        <>
          {" to "}
          <CellSpan cell={source.cell(most.row, "value", unit)} />
        </>
      )}
    </>
  );
}

// The metric in which ranks differ most, and all ranks in it.
function mapOfRanks(report: Report) {
  const source = report.table("rank_metrics");
  if (source.empty || report.job.ranks < 2) return null;
  const outliers = source.where("outlier", true);
  const first = new Set(report.has("findings") ? numbersOf(report.table("findings").get(0, "ranks")) : []);
  const meant = first.size < report.job.ranks ? first : new Set<number>();
  const wanted = metricsOf[report.has("findings") ? report.table("findings").text(0, "what") : ""];
  const steps = report.table("step_spread");
  const farthest = farthestOf(
    outliers.map((row) => ({
      row,
      rank: source.amount(row, "rank"),
      metric: source.text(row, "metric"),
      unit: source.text(row, "unit"),
      value: source.amount(row, "value"),
      median: source.amount(row, "median"),
      deviation: source.amount(row, "deviation"),
    })),
    wanted,
    steps.number(steps.where("step", null)[0] ?? -1, "median_ns"),
  );
  const most = farthest[0]?.row;
  const metric: CellValue = most === undefined ? "compute" : source.get(most, "metric");
  const rows = source.where("metric", metric);
  if (rows.length < 2) return null;
  const unit = source.text(rows[0] ?? 0, "unit");
  const name = report.words.metricLabel(metric, unit);
  // How far a rank lies from its peers says nothing where all of them lie close together.
  const shadeOfRank = (row: number) =>
    most === undefined ? 0 : shadeOf(source.number(row, "deviation"), [2, 3.5, 6, 12]);
  const cells = rows
    .map((row): Shaded & {readonly rank: number} => {
      const rank = source.amount(row, "rank");
      return {rank, shade: source.get(row, "value") === null ? null : shadeOfRank(row), isMeant: meant.has(rank)};
    })
    .sort((a, b) => a.rank - b.rank);
  const outlying = distinct(outliers.map((row) => source.get(row, "rank"))).length;
  return (
    <a class="glance-part" href="#ranks" title={metricDoc(metric) ?? undefined}>
      <h3>
        {most === undefined ? (
          rows.some((row) => source.get(row, "deviation") !== null) ? (
            "No rank differs from its peers"
          ) : (
            "Ranks cannot be compared: none has a peer"
          )
        ) : (
          <>
            {farthest.length === 1 ? (
              <>
                Rank <CellSpan cell={source.cell(most, "rank")} /> differs most
              </>
            ) : (
              `Ranks ${listed(
                farthest.map((one) => String(one.rank)),
                mostRanksNamed,
              )} differ most`
            )}
            : {name} <ValuesOf source={source} rows={farthest} unit={unit} />
          </>
        )}
      </h3>
      <RankMap
        name={`${name} of ${cells.length} ranks, shaded by the distance from their peers${outlying > 0 ? `; ${outlying} differ in some metric` : ""}`}
        cells={cells}
      />
      <span class="muted">
        {most === undefined ? name : `median of ${farthest.length === 1 ? "its" : "their"} peers `}
        {most === undefined ? null : <CellSpan cell={source.cell(most, "median", unit)} />}
      </span>
    </a>
  );
}

export function overviewSection(report: Report): Section | null {
  if (!report.has("findings")) return null;
  const source = report.table("findings");
  const rows = source.rows();
  const shown = rows.slice(0, mostCards);
  const lead = inMicros(report.sentences.findings);
  const parts = [whereStepsGo(report), stepTimes(report), mapOfRanks(report)].filter((one) => one !== null);
  return {
    id: "glance",
    title: "At a glance",
    body: (
      <>
        <RecordingVerdicts grave={report.sentences.recording} others={report.sentences.recording_others} />
        {lead ? <p class={rows.length ? "lead" : "lead healthy"}>{lead}</p> : null}
        {shown.length ? <div class="glance-cards">{shown.map((row) => card(report, row))}</div> : null}
        {rows.length > shown.length ? (
          <p class="muted">
            <a href="#findings">{`${rows.length - shown.length} more`}</a>
          </p>
        ) : null}
        {parts.length ? <div class="glance-parts">{parts}</div> : null}
      </>
    ),
  };
}
