// What changed between two jobs: what it comes to, and the tables that show it side by side.

import {CellSpan, cellText, Swatch} from "../../draw/cells";
import {SideBars} from "../../draw/side_bars";
import {grouped, words} from "../../model/format";
import {sorted} from "../../model/order";
import {type Cell, type Diff, type Table} from "../../model/report";
import {front} from "../../model/text";
import {inMicros, sentenceOf, withoutSignatures} from "../../model/vocabulary";
import {type Column, DataTable, plain} from "../shared/data_table";
import type {MakeSection, Section} from "../shared/section";
import {Tile} from "../shared/tiles";

const mostDiffRows = 40;
const mostPathRows = 15;

// The columns that all tables of differences have behind their names.
function sumColumns(source: Table): Column[] {
  const optional = (name: string, label: string) => (source.has(name) ? [plain(source, name, label)] : []);
  return [
    ...optional("base_ns", "BASE"),
    ...optional("test_ns", "TEST"),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of BASE's step"),
    ...signed(source, "change_pct", "of itself"),
    ...optional("base_count", "count in BASE"),
    ...optional("test_count", "in TEST"),
    {
      label: "more than noise",
      doc: source.columns.get("significant")?.doc,
      kind: "word",
      cell: (row: number) => source.cell(row, "significant"),
      text: (row: number) => (source.get(row, "significant") ? "yes" : "no"),
      unknown: "(not tested)",
    },
  ];
}

// Signed, and in the colour of its direction where it is more than noise.
function changeSpan(source: Table, row: number) {
  const cell = source.cell(row, "change_ns");
  const value = cell.value === null ? null : Number(cell.value);
  const isNoise = source.get(row, "significant") === false;
  const isLarge = value && Math.abs(source.number(row, "of_step_pct") || 0) >= 1;
  const kind = isNoise ? "noise" : isLarge ? (value > 0 ? "slower" : "faster") : undefined;
  return (
    <span class={kind}>
      <Signed cell={cell} hasArrow={isLarge && !isNoise} />
    </span>
  );
}

// With its sign; with an arrow, too, where the direction matters: \u25b2 is slower or more.
function Signed({cell, hasArrow}: {readonly cell: Cell; readonly hasArrow: boolean | 0 | null}) {
  const value = cell.value === null ? 0 : Number(cell.value);
  return (
    <>
      {hasArrow && value !== 0 ? (
        <span aria-label={value > 0 ? "more" : "less"} role="img" class="arrow">
          {value > 0 ? "\u25b2 " : "\u25bc "}
        </span>
      ) : null}
      {value > 0 && !/^(x|0\.0%$)/.test(cellText(cell)) ? "+" : null}
      <CellSpan cell={cell} />
    </>
  );
}
function signed(source: Table, name: string, label: string): Column[] {
  if (!source.has(name)) return [];
  return [
    {...plain(source, name, label), node: (row: number) => <Signed cell={source.cell(row, name)} hasArrow={false} />},
  ];
}

// A table of differences by its `names` columns: {column, label, text(row)}.
interface NameColumn {
  readonly column: string;
  readonly label: string;
  readonly kind?: string;
  readonly text?: (diff: Diff, source: Table, row: number) => string;
}
interface OfTable {
  readonly id: string;
  readonly title: string;
  readonly how?: string | undefined;
  readonly table: string;
  readonly names: readonly NameColumn[];
}
function changes(of: OfTable): MakeSection<Diff> {
  return (diff) => changesOf(diff, of);
}
function changesOf(diff: Diff, {id, title, how, table, names}: OfTable): Section | null {
  const source = diff.table(table);
  if (source.empty) return null;
  const columns = [
    ...names.map(({column, label, kind = "name", text}) => ({
      ...plain(source, column, label, kind),
      text: text ? (row: number) => text(diff, source, row) : undefined,
    })),
    ...sumColumns(source),
  ];
  const rows = source
    .rows()
    .filter((row) => source.number(row, "base_ns") !== 0 || source.number(row, "test_ns") !== 0);
  if (rows.length === 0) return null;
  const rest =
    rows.length > mostDiffRows || source.total > source.count ? (
      <p class="note">
        {`The ${grouped(Math.min(mostDiffRows, rows.length))} largest changes of ${grouped(source.total)} rows. The whole table: `}
        <code>{source.command}</code>
      </p>
    ) : null;
  return {
    id,
    title,
    how,
    body: (
      <>
        <DataTable columns={columns} rows={rows} most={mostDiffRows} />
        {rest}
      </>
    ),
  };
}

function partOfRow(diff: Diff, source: Table, row: number) {
  const id = source.get(row, "part");
  return diff.words.partById.get(id) || {label: words(id), colour: "idle_gap"};
}
const part: NameColumn = {
  column: "part",
  label: "part",
  kind: "word",
  text: (diff, source, row) => partOfRow(diff, source, row).label,
};
const phase: NameColumn = {column: "phase", label: "phase", kind: "word"};
// The whole signature is in the tooltip.
function shortName(column: string): NameColumn["text"] {
  return (_, source, row) => source.text(row, column.replace("_name", "_short_name")) || source.text(row, column);
}
const kernels: readonly NameColumn[] = [
  {column: "base_name", label: "kernel in BASE", text: shortName("base_name")},
  {column: "test_name", label: "in TEST", text: shortName("test_name")},
  {column: "state", label: "state", kind: "word"},
];

export const changesOfOps = changes({
  id: "ops",
  title: "By op",
  how: "Device time by the innermost op; idle time with the op whose work it waited for. The largest changes first.",
  table: "diff_ops",
  names: [part, phase, {column: "op", label: "op"}],
});
export const changesOfKernels = changes({
  id: "kernels",
  title: "By kernel",
  how: "Kernels are matched by place, shapes and name: one with another name at the same place is renamed, not removed and added.",
  table: "diff_kernels",
  names: [part, ...kernels],
});
export const changesOfHostOps = changes({
  id: "host-ops",
  title: "By op on the host",
  how: "Time of host threads by the innermost op or annotation, of a rank and step; in no sum of the step.",
  table: "diff_host",
  names: [phase, {column: "op", label: "op"}],
});
export const changesOfPhases = changes({id: "phases", title: "By phase", table: "diff_phases", names: [phase]});
export const changesOfModules = changes({
  id: "modules",
  title: "By module",
  table: "diff_modules",
  names: [{column: "module", label: "module"}],
});
export const changesOfPlaces = changes({
  id: "call-places",
  title: "By place",
  how: "Every place in the program: the ops around the launch, the shapes of its inputs, its kernel.",
  table: "diff_places",
  names: [
    part,
    {column: "path", label: "path"},
    {column: "base_shapes", label: "shapes in BASE", kind: "text"},
    {column: "test_shapes", label: "in TEST", kind: "text"},
    ...kernels,
  ],
});

export function diffOverview(diff: Diff): Section {
  const job = diff.table("diff_job");
  const unit = job.get(0, "unit");
  const percent = job.cell(0, "change_pct");
  const chance = job.get(0, "significant");
  const found = diff.table("diff_findings");
  const names = [diff.data.base, diff.data.test, ...found.rows().map((row) => found.text(row, "id"))];
  const sentence = (text: string) => withoutSignatures(sentenceOf(text, names));
  return {
    id: "overview",
    title: "What changed",
    body: (
      <>
        <p class="lead">{inMicros(diff.data.headline)}</p>
        <div class="tiles">
          <Tile name={`BASE, a ${unit}`} cell={job.cell(0, "base_ns")} more={diff.data.base}>
            <CellSpan cell={job.cell(0, "base_ns")} />
          </Tile>
          <Tile name={`TEST, a ${unit}`} cell={job.cell(0, "test_ns")} more={diff.data.test}>
            <CellSpan cell={job.cell(0, "test_ns")} />
          </Tile>
          <Tile
            name="Change"
            cell={percent}
            more={
              chance === null
                ? "whether it is noise is not known"
                : chance
                  ? "more than the steps differ among themselves"
                  : "no more than the steps differ among themselves"
            }
          >
            <Signed cell={percent} hasArrow />
          </Tile>
        </div>
        {diff.data.reasons.length ? (
          <ul class="headlines">
            {diff.data.reasons.map((text) => (
              <li>{inMicros(sentence(text))}</li>
            ))}
          </ul>
        ) : null}
        {diff.data.notes.length ? (
          <>
            <h3>Not the same in both</h3>
            <ul class="warnings">
              {diff.data.notes.map((text) => (
                <li>{inMicros(sentence(text))}</li>
              ))}
            </ul>
          </>
        ) : null}
      </>
    ),
  };
}

export function partsSection(diff: Diff): Section | null {
  const source = diff.table("diff_parts");
  const order = new Map(diff.words.parts.map((part, i) => [part.id, i]));
  const rank = (row: number) =>
    order.has(source.text(row, "part")) ? order.get(source.text(row, "part")) : diff.words.parts.length;
  const rows = sorted(
    source.rows().filter((row) => source.number(row, "base_ns") !== 0 || source.number(row, "test_ns") !== 0),
    rank,
    false,
  );
  if (rows.length === 0) return null;
  const columns = [
    {
      label: "part",
      kind: "word",
      node: (row: number) => (
        <span class="label">
          <Swatch colour={partOfRow(diff, source, row).colour} />
          {partOfRow(diff, source, row).label}
        </span>
      ),
    },
    ...sumColumns(source),
  ];
  return {
    id: "parts",
    title: "Where a device's time goes",
    how: "A step of one device, the mean over steps and devices; the parts add up to the step, and their changes to its change.",
    body: (
      <>
        <SideBars
          source={source}
          rows={rows}
          name="Parts of BASE and TEST"
          partOf={(row: number) => partOfRow(diff, source, row)}
        />
        <DataTable columns={columns} rows={rows} />
      </>
    ),
  };
}

const findingStates: Readonly<Record<string, string>> = {
  appeared: "appeared",
  gone: "gone",
  changed: "changed",
  same: "the same",
  small: "small, on one side alone",
};
export function findingsDiffSection(diff: Diff): Section | null {
  const source = diff.table("diff_findings");
  if (source.empty) return null;
  const columns = [
    {
      ...plain(source, "state", "what", "word"),
      text: (row: number) => findingStates[source.text(row, "state")] ?? source.text(row, "state"),
    },
    plain(source, "id", "finding", "word"),
    plain(source, "base_gain_pct", "gain in BASE"),
    plain(source, "test_gain_pct", "in TEST"),
    plain(source, "base_who", "where in BASE", "text"),
    plain(source, "test_who", "in TEST", "text"),
    {
      ...plain(source, "title", "finding", "text"),
      text: (row: number) => withoutSignatures(front(source.get(row, "title"), 2000)),
    },
  ];
  return {
    id: "findings-diff",
    title: "Findings before and after",
    how: "What rankscope analyze says of each. A finding that is on one side alone counts as appeared or gone from 2% of gain on.",
    body: <DataTable columns={columns} rows={source.rows()} />,
  };
}

export function pathSection(diff: Diff): Section | null {
  const source = diff.table("diff_path");
  const rows = source.rows().filter((row) => Math.abs(source.number(row, "of_step_pct") || 0) >= 0.05);
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "part", "part", "word"),
    plain(source, "name", "op, call or range", "name"),
    plain(source, "base_ns", "BASE"),
    plain(source, "test_ns", "TEST"),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of BASE's step"),
  ];
  return {
    id: "path",
    title: "What decides the step",
    how: "The critical path through all ranks, of a mean step: what the others wait for is not on it. What changed by less than 0.05% of the step is left out.",
    body: <DataTable columns={columns} rows={rows} most={mostPathRows} />,
  };
}

export function ranksDiffSection(diff: Diff): Section | null {
  const source = diff.table("diff_ranks");
  if (source.empty) return null;
  const rows = sorted(
    source.rows().filter((row) => source.number(row, "change_ns") !== 0),
    (row) => Math.abs(source.amount(row, "change_ns")),
    true,
  );
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "rank"),
    {...plain(source, "part", "part", "word"), text: (row: number) => partOfRow(diff, source, row).label},
    plain(source, "base_ns", "BASE"),
    plain(source, "test_ns", "TEST"),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of BASE's step"),
  ];
  return {
    id: "ranks",
    title: "By rank",
    how: "Means over the steps of each rank; the largest changes first.",
    body: <DataTable columns={columns} rows={rows} most={mostDiffRows} />,
  };
}
