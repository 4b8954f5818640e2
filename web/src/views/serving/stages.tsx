// Where the time of requests goes, and what makes the slowest slow.

import {CellSpan, Swatch} from "../../draw/cells";
import {human} from "../../model/format";
import type {Serving, Table} from "../../model/report";
import {DataTable, plain} from "../shared/data_table";
import {visible} from "../../model/text";
import type {Section} from "../shared/section";
import {longestStage, stageRows} from "./verdict";
import {type StageWords, stageOf} from "./words";

const leastLabel = 9; // percent: what is less has its label in the table alone

function partOf(id: string): StageWords {
  return id === "length"
    ? {id, label: "longer prompts and answers", colour: "series-6", doc: "what requests of their length take more"}
    : id === "method"
      ? {id, label: "slower methods", colour: "series-6", doc: "what calls of their method take more"}
      : stageOf(id);
}

interface ShareBar {
  readonly name: string;
  readonly source: Table;
  readonly rows: readonly number[];
  readonly column: "stage" | "part";
}
// One bar of parts that sum to 100%; what takes time off has no width.
function ShareBar({name, source, rows, column}: ShareBar) {
  const shown = rows.filter((row) => source.amount(row, "share_pct") > 0);
  return (
    <div class="share-bar" role="img" aria-label={name}>
      {shown.map((row) => {
        const {colour, label} = partOf(source.text(row, column));
        const share = source.amount(row, "share_pct");
        return (
          <span
            key={row}
            data-part={source.text(row, column)}
            title={`${label} ${human(share, "%")}`}
            style={{"--part": String(share), "--swatch": `var(--${colour})`}}
            class={colour === "waiting" ? "pale" : undefined}
          >
            {share < leastLabel ? null : <b>{`${label} ${human(share, "%")}`}</b>}
          </span>
        );
      })}
    </div>
  );
}

function nameColumn(source: Table, column: "stage" | "part") {
  return {
    label: column,
    kind: "word",
    node: (row: number) => {
      const {label, colour, doc} = partOf(source.text(row, column));
      return (
        <span title={doc}>
          {source.get(row, column) === "total" ? null : <Swatch colour={colour} />} {label}
        </span>
      );
    },
  };
}

// Of histograms: the bucket in which a quantile lies.
function boundColumn(source: Table, label: string, least: string, most: string) {
  return {
    label,
    doc: "the bucket of the histogram in which it lies",
    node: (row: number) =>
      source.get(row, least) === null ? (
        "\u2013"
      ) : source.get(row, most) === null ? (
        <>
          {"> "}
          <CellSpan cell={source.cell(row, least)} />
        </>
      ) : (
        <>
          {"\u2264 "}
          <CellSpan cell={source.cell(row, most)} />
        </>
      ),
  };
}

export function stagesSection(serving: Serving): Section | null {
  const source = serving.table("serving_stages");
  if (source.empty) return null;
  const ofRequests = source.where("from", "requests");
  const ofMetrics = source.where("from", "metrics");
  const longest = longestStage(source);
  const [total] = source.where("stage", "total");
  const focus = serving.data.focus;
  const common = [nameColumn(source, "stage"), plain(source, "share_pct", "share"), plain(source, "mean_ns", "mean")];
  return {
    id: "stages",
    title: "Where the time of requests goes",
    answer:
      total === undefined || longest === null
        ? null
        : `${human(source.get(longest, "share_pct"), "%")} ${stageOf(source.get(longest, "stage")).label} of ${human(source.get(total, "mean_ns"), "ns")}`,
    how: `Means over ${serving.data.stages_of}${focus ? `, ${focus}` : ""}. The stages of a request sum to its time.`,
    body: (
      <>
        <ShareBar name="Where the time of requests goes" source={source} rows={stageRows(source)} column="stage" />
        {ofRequests.length === 0 ? null : (
          <DataTable
            rows={ofRequests}
            columns={[
              ...common,
              plain(source, "p50_ns", "p50"),
              plain(source, "p90_ns", "p90"),
              plain(source, "p99_ns", "p99"),
            ]}
          />
        )}
        {ofMetrics.length === 0 ? null : (
          <>
            {ofRequests.length === 0 ? null : <h3>By the server's metrics</h3>}
            <DataTable
              rows={ofMetrics}
              columns={[
                ...common,
                boundColumn(source, "p50", "p50_least_ns", "p50_most_ns"),
                boundColumn(source, "p99", "p99_least_ns", "p99_most_ns"),
              ]}
            />
          </>
        )}
      </>
    ),
  };
}

// Of a service: each method with its stages.
export function methodsSection(serving: Serving): Section | null {
  const source = serving.table("serving_methods");
  const [most] = source.where("stage", "total");
  if (most === undefined) return null;
  return {
    id: "methods",
    title: "By method",
    answer: `${human(source.get(most, "share_pct"), "%")} ${visible(source.text(most, "method"))}`,
    how: "Means and quantiles over the calls of each method, whose stages sum to their time. Calls that failed are counted and in no time.",
    body: (
      <DataTable
        rows={source.rows()}
        columns={[
          plain(source, "method", "method", "text"),
          nameColumn(source, "stage"),
          plain(source, "requests", "calls"),
          plain(source, "failed", "failed"),
          plain(source, "share_pct", "share"),
          plain(source, "mean_ns", "mean"),
          plain(source, "p50_ns", "p50"),
          plain(source, "p90_ns", "p90"),
          plain(source, "p99_ns", "p99"),
        ]}
      />
    ),
  };
}

export function tailSection(serving: Serving): Section | null {
  const source = serving.table("serving_tail");
  if (source.empty) return null;
  const sum = source.rows().reduce((all, row) => all + source.amount(row, "excess_ns"), 0);
  const [first] = source.rows();
  return {
    id: "tail",
    title: "What makes the slowest slow",
    answer:
      first === undefined
        ? null
        : `${human(source.get(first, "share_pct"), "%")} ${partOf(source.text(first, "part")).label}`,
    how: `The slowest ${human(source.get(0, "requests"), "")} requests take ${human(sum, "ns")} longer than those in the middle of their own length. A stage below zero takes less there.`,
    body: (
      <>
        <ShareBar name="What makes the slowest slow" source={source} rows={source.rows()} column="part" />
        <DataTable
          rows={source.rows()}
          columns={[
            nameColumn(source, "part"),
            plain(source, "share_pct", "share"),
            plain(source, "excess_ns", "excess"),
          ]}
        />
      </>
    ),
  };
}
