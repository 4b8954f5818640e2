// Pipelines: one step as stages over time, and how each stage spends it.

import {largestNamed} from "../../model/largest";
import {CellSpan} from "../../draw/cells";
import {shareOf} from "../../draw/flame_graph";
import {Legend, PatternEntry} from "../../draw/legend";
import {type RowBar, StackedBars} from "../../draw/stacked_bars";
import {type TimelineItem, TimelinePlot} from "../../draw/timeline_plot";
import {grouped, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type CellValue, type Report, type SentenceList, type Table} from "../../model/report";
import {stepInWords} from "../../model/step_words";
import {DataTable, Details, plain} from "../shared/data_table";
import {BarMark} from "../shared/range_table";
import type {Section} from "../shared/section";

// Sentences that the text report has, too, as one paragraph.
export function sentences(report: Report, name: SentenceList) {
  return report.sentences[name].length ? <p class="said">{report.sentences[name].join(" ")}</p> : null;
}

export function pipelineSection(report: Report): Section | null {
  const stages = report.table("pipeline");
  if (stages.empty) return null;
  const emptiest = largestNamed(stages, stages.rows(), "bubble_pct", (row) => stages.text(row, "stage"));
  return {
    id: "pipeline",
    title: "Pipeline",
    tables: ["pipeline", "pipeline_schedule"],
    answer:
      emptiest === null ? null : (
        <>
          largest bubble <CellSpan cell={stages.cell(emptiest, "bubble_pct")} />, of stage{" "}
          <CellSpan cell={stages.cell(emptiest, "stage")} />
        </>
      ),
    how: "The model is divided into stages, each on ranks of its own; micro-batches go forward through all stages and backward again. While a stage has no micro-batch it stands still: the bubble. It is longest at the begin of a step (the first micro-batch has not come yet) and at its end.",
    body: (
      <>
        {sentences(report, "pipeline")}
        {scheduleOfStep(report)}
        {stageBars(report, stages)}
        {stageTable(report, stages)}
      </>
    ),
  };
}

// The ranks of a stage, which stand for it where ranks are chosen.
function ranksOfStage(report: Report, stage: CellValue) {
  const ranks = report.table("layout_ranks");
  return ranks.where("pp", stage).map((row) => ranks.amount(row, "rank"));
}

function scheduleOfStep(report: Report) {
  const source = report.table("pipeline_schedule");
  if (source.empty) return null;
  const rows = source.rows();
  const end = (row: number) => source.amount(row, "start_ns") + source.amount(row, "duration_ns");
  const begin = rows.reduce((least, row) => Math.min(least, source.amount(row, "start_ns")), Infinity);
  const length = Math.max(1, rows.reduce((most, row) => Math.max(most, end(row)), 0) - begin);
  const stages = distinct(rows.map((row) => source.amount(row, "stage"))).sort((a, b) => a - b);
  const place = new Map(stages.map((stage, i) => [stage, i]));
  const isInterleaved = report
    .table("pipeline")
    .rows()
    .some((row) => report.table("pipeline").amount(row, "virtual_stages") > 1);
  // Chunks of layers take turns: a pass is counted, the micro-batch not known.
  const unit = isInterleaved ? "pass" : "micro-batch";
  const passes = rows.map((row): TimelineItem => {
    const pass = source.get(row, "pass");
    const ordinal = source.get(row, "ordinal");
    const duration = source.amount(row, "duration_ns");
    return {
      row: place.get(source.amount(row, "stage")) ?? 0,
      lane: 0,
      start: source.amount(row, "start_ns") - begin,
      end: end(row) - begin,
      wait: 0,
      key: `${pass} ${ordinal}`,
      isLast: false,
      colour: pass === "backward" ? "backward" : "forward",
      text: String(ordinal),
      title: `${words(pass)}, ${unit} ${ordinal}, stage ${source.get(row, "stage")}`,
      lines: () => [
        ["", "on rank", source.cell(row, "rank")],
        ["", "takes", source.cell(row, "duration_ns")],
        ["", "of it computing", source.cell(row, "compute_ns")],
        ["", "computing share", shareOf(source.amount(row, "compute_ns"), duration)],
        ["", "begins, from the job's origin", source.cell(row, "start_ns")],
      ],
    };
  });
  const data = {
    rows: stages.map((stage) => ({label: String(stage), ranks: ranksOfStage(report, stage)})),
    lanes: 1,
    length,
    items: passes,
  };
  const step = source.get(rows[0] ?? -1, "step");
  const columns = ["stage", "rank", "pass", "ordinal", "start_ns", "duration_ns", "compute_ns"].map((name) =>
    plain(source, name, words(name.replace(/_ns$/, "")), name === "pass" ? "word" : undefined),
  );
  return (
    <>
      <h3>{step === null ? "The schedule" : `The schedule of step ${step}`}</h3>
      <p class="how">{`${step === null ? "A row per stage." : `${stepInWords(report, step)} on one pipeline, a row per stage.`} Point at a pass to follow its ${unit} through the stages.`}</p>
      {source.count < source.total ? (
        <p class="note">{`The front part of the step is shown: ${grouped(source.count)} of ${grouped(source.total)} passes.`}</p>
      ) : null}
      <TimelinePlot name="Schedule of the pipeline" axis="stage" of={`the stages of a ${unit}`} centred data={data}>
        <Legend
          entries={[
            ["forward", `forward${isInterleaved ? "" : ", with the number of its micro-batch where that fits"}`],
            ["backward", "backward"],
          ]}
        >
          <PatternEntry kind="bubble">empty: the bubble, the stage stands still</PatternEntry>
        </Legend>
      </TimelinePlot>
      <Details source={report.table("pipeline_schedule")} columns={columns} rows={rows} title="Data of the schedule" />
    </>
  );
}

const pipelineParts = [
  {id: "compute_pct", label: "computing", colour: "compute"},
  {id: "inside_pct", label: "inside passes: communication, gaps", colour: "idle_sync"},
  {id: "warm_up_pct", label: "bubble: warm-up, before the first pass", colour: "idle_launch"},
  {id: "steady_pct", label: "bubble: between passes", colour: "idle_host"},
  {id: "cool_down_pct", label: "bubble: cool-down, behind the last pass", colour: "idle_gap"},
];

function stageBars(report: Report, stages: Table) {
  const rows = stages.rows();
  const bars = rows.map(
    (row: number): RowBar => ({
      row,
      mark: false,
      ranks: ranksOfStage(report, stages.get(row, "stage")),
      label: String(stages.get(row, "stage")),
      title: `Stage ${stages.get(row, "stage")}`,
      cells: Object.fromEntries(pipelineParts.map((part) => [part.id, stages.cell(row, part.id)])),
      more: [
        ["", "bubble", stages.cell(row, "bubble_pct")],
        ["", "ideal bubble", stages.cell(row, "ideal_pct")],
        ["", "beyond the ideal", stages.cell(row, "excess_pct")],
        ["", "load of the stage", stages.cell(row, "load_pct")],
      ],
    }),
  );
  return (
    <>
      <h3>How each stage spends a step</h3>
      <p class="how">
        Medians over ranks and steps, from the first pass of any stage to the last. Where the two lower parts end below
        the dashed line, the bubble is larger than it need be with this many stages and micro-batches.
      </p>
      <Legend entries={pipelineParts.map((part) => [part.colour, part.label])}>
        <PatternEntry kind="reach">above this line: the ideal bubble, of equal stages</PatternEntry>
      </Legend>
      <StackedBars
        name="Time of stages"
        axis="stage"
        bars={bars}
        parts={pipelineParts}
        unit="%"
        most={100}
        reach={(bar: RowBar) =>
          stages.get(bar.row, "ideal_pct") === null ? null : 100 - stages.amount(bar.row, "ideal_pct")
        }
        sorts={[
          {label: "bubble", key: (bar: RowBar) => stages.number(bar.row, "bubble_pct")},
          {label: "load", key: (bar: RowBar) => stages.number(bar.row, "load_pct")},
        ]}
      />
    </>
  );
}

function stageTable(report: Report, stages: Table) {
  const rows = stages.rows();
  const most = Math.max(...rows.map((row: number) => stages.number(row, "load_pct") || 0));
  const columns = [
    plain(stages, "stage"),
    plain(stages, "load_pct", "load"),
    {
      label: "",
      kind: "mark",
      node: (row: number) => <BarMark value={stages.amount(row, "load_pct")} most={most} colour="compute" />,
    },
    plain(stages, "forward_ns", "a forward"),
    plain(stages, "backward_ns", "a backward"),
    plain(stages, "bubble_pct", "bubble"),
    plain(stages, "ideal_pct", "ideal"),
    plain(stages, "excess_pct", "beyond it"),
    plain(stages, "window_ns", "window"),
    plain(stages, "micro_batches"),
    plain(stages, "virtual_stages", "chunks per stage"),
    plain(stages, "ranks"),
    plain(stages, "steps", "ranks' steps"),
  ];
  const order = rows.length > 12 ? sorted(rows, (row) => stages.number(row, "load_pct"), true) : rows;
  return (
    <>
      <h3>Load of the stages</h3>
      <p class="how">
        What a forward and a backward pass take together, of the mean over stages: 100% everywhere when stages are
        equal. All stages wait for the fullest one.
      </p>
      <DataTable columns={columns} rows={order} most={12} />
      {rows.length > 12 ? <Details source={report.table("pipeline")} columns={columns} rows={rows} /> : null}
    </>
  );
}
