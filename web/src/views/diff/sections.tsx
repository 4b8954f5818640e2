// What changed between two jobs: what it comes to, and the tables that show it side by side.

import {CellSpan, cellText, Swatch} from "../../draw/cells";
import {SideBars} from "../../draw/side_bars";
import {regressionsFirst, type Sides} from "../../model/diff_names";
import {grouped, plural, words} from "../../model/format";
import {sorted} from "../../model/order";
import {type Cell, type Diff, type Table} from "../../model/report";
import {front} from "../../model/text";
import {capitalised, inMicros, sentenceOf, withoutSignatures} from "../../model/vocabulary";
import {type Column, DataTable, Details, plain} from "../shared/data_table";
import type {MakeSection, Section} from "../shared/section";
import {Tile} from "../shared/tiles";
import {sideNames} from "./names";

const mostDiffRows = 40;
const mostPathRows = 15;

// The columns that all tables of differences have behind their names.
function sumColumns(diff: Diff, source: Table): Column[] {
  const {base, test} = sideNames(diff);
  const optional = (name: string, label: string) => (source.has(name) ? [plain(source, name, label)] : []);
  return [
    ...optional("base_ns", base),
    ...optional("test_ns", test),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of a step before"),
    ...signed(source, "change_pct", "of itself"),
    ...optional("base_count", "count before"),
    ...optional("test_count", "after"),
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
  readonly label: string | ((sides: Sides) => string);
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
      ...plain(source, column, typeof label === "string" ? label : label(sideNames(diff)), kind),
      text: text ? (row: number) => text(diff, source, row) : undefined,
    })),
    ...sumColumns(diff, source),
  ];
  const known = source
    .rows()
    .filter((row) => source.number(row, "base_ns") !== 0 || source.number(row, "test_ns") !== 0);
  if (known.length === 0) return null;
  const rows = regressionsFirst(
    known.filter((row) => isChange(source, row)),
    (row) => source.amount(row, "change_ns"),
    mostDiffRows,
  );
  const alike = known.filter((row) => !isChange(source, row));
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
    ...(rows.length === 0 ? {folded: "Nothing changed by 0.05% of the step or more."} : {}),
    body:
      rows.length === 0 ? (
        <DataTable columns={columns} rows={alike} most={mostDiffRows} />
      ) : (
        <>
          <DataTable columns={columns} rows={rows} most={mostDiffRows} />
          {rest}
          <Alike source={source} columns={columns} rows={alike} />
        </>
      ),
  };
}

// In percent of the step: what changed by less is written "0.0%".
const leastChange = 0.05;

function isChange(source: Table, row: number): boolean {
  const share = source.number(row, "of_step_pct");
  return share === null ? source.amount(row, "change_ns") !== 0 : Math.abs(share) >= leastChange;
}

// What hardly changed, folded.
function Alike({source, columns, rows}: {readonly source: Table; readonly columns: Column[]; readonly rows: number[]}) {
  if (rows.length === 0) return null;
  const title = `${plural(rows.length, "row")} that changed by less than ${leastChange}% of the step`;
  return <Details source={source} columns={columns} rows={rows} title={title} />;
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
  {column: "base_name", label: ({base}) => `kernel in ${base}`, text: shortName("base_name")},
  {column: "test_name", label: ({test}) => `in ${test}`, text: shortName("test_name")},
  {column: "state", label: "state", kind: "word"},
];

export const changesOfOps = changes({
  id: "ops",
  title: "By op",
  how: "Device time by the innermost op; idle time with the op whose work it waited for. What takes longer comes first, then what takes less.",
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
    {column: "base_shapes", label: ({base}) => `shapes in ${base}`, kind: "text"},
    {column: "test_shapes", label: ({test}) => `in ${test}`, kind: "text"},
    ...kernels,
  ],
});

export function diffOverview(diff: Diff): Section {
  const job = diff.table("diff_job");
  const unit = job.get(0, "unit");
  const percent = job.cell(0, "change_pct");
  const chance = job.get(0, "significant");
  const found = diff.table("diff_findings");
  const ids = found.rows().map((row) => found.text(row, "id"));
  const names = [diff.data.base, diff.data.test, diff.sides.base, diff.sides.test, ...ids];
  const sentence = (text: string) => withoutSignatures(sentenceOf(text, names));
  const {base, test} = sideNames(diff);
  // Causes first, then where the time went.
  const isCause = (text: string) => ids.some((id) => text.startsWith(`${id} `));
  const reasons = diff.data.reasons;
  return {
    id: "overview",
    title: "What changed",
    body: (
      <>
        <p class="lead">{inMicros(diff.data.headline)}</p>
        <div class="tiles">
          <Tile
            name={`${base}, a ${unit}`}
            cell={job.cell(0, "base_ns")}
            more={diff.data.base === base ? "" : diff.data.base}
          >
            <CellSpan cell={job.cell(0, "base_ns")} />
          </Tile>
          <Tile
            name={`${test}, a ${unit}`}
            cell={job.cell(0, "test_ns")}
            more={diff.data.test === test ? "" : diff.data.test}
          >
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
        <ul class="headlines">
          {reasons.filter(isCause).map((text) => (
            <li>{inMicros(sentence(text))}</li>
          ))}
          {largestParts(diff)}
          {reasons
            .filter((text) => !isCause(text))
            .map((text) => (
              <li>{inMicros(sentence(text))}</li>
            ))}
        </ul>
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

const mostPartsTold = 3;
const leastPartTold = 1; // percent of the step

// The parts of a device's time that changed most.
function largestParts(diff: Diff) {
  const source = diff.table("diff_parts");
  if (source.empty || diff.table("diff_job").get(0, "significant") === false) return null;
  const told = sorted(
    source.rows().filter((row) => Math.abs(source.amount(row, "of_step_pct")) >= leastPartTold),
    (row) => Math.abs(source.amount(row, "change_ns")),
    true,
  ).slice(0, mostPartsTold);
  return regressionsFirst(told, (row) => source.amount(row, "change_ns"), mostPartsTold).map((row) => (
    <li key={row}>
      <span>
        {" "}
        {capitalised(partOfRow(diff, source, row).label)}: <Signed cell={source.cell(row, "change_ns")} hasArrow />,{" "}
        <Signed cell={source.cell(row, "of_step_pct")} hasArrow={false} /> of {sideNames(diff).base}
        {"\u2019s step on a device"}
      </span>
    </li>
  ));
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
  // Those of a few microseconds that stayed as they were.
  const job = diff.table("diff_job");
  const step = Math.max(job.amount(0, "base_ns"), job.amount(0, "test_ns"));
  const isShort = (row: number) =>
    !isChange(source, row) && 200 * Math.max(source.amount(row, "base_ns"), source.amount(row, "test_ns")) < step;
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
    ...sumColumns(diff, source),
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
          name={`Parts of ${diff.sides.base} and ${diff.sides.test}`}
          sides={sideNames(diff)}
          partOf={(row: number) => partOfRow(diff, source, row)}
        />
        <DataTable
          columns={columns}
          rows={regressionsFirst(
            rows.filter((row) => !isShort(row)),
            (row) => source.amount(row, "change_ns"),
            rows.length,
          )}
        />
        {rows.some(isShort) ? (
          <Details
            source={source}
            columns={columns}
            rows={rows.filter(isShort)}
            title={`${plural(rows.filter(isShort).length, "part")} below 0.5% of the step, unchanged`}
          />
        ) : null}
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
  const {base, test} = sideNames(diff);
  const growth = (row: number) => source.amount(row, "test_gain_pct") - source.amount(row, "base_gain_pct");
  const rows = regressionsFirst(source.rows(), growth, source.count);
  const columns = [
    {
      ...plain(source, "state", "what", "word"),
      text: (row: number) => findingStates[source.text(row, "state")] ?? source.text(row, "state"),
    },
    plain(source, "id", "finding", "word"),
    plain(source, "base_gain_pct", `gain in ${base}`),
    plain(source, "test_gain_pct", `in ${test}`),
    plain(source, "base_who", `where in ${base}`, "text"),
    plain(source, "test_who", `in ${test}`, "text"),
    {
      ...plain(source, "title", "finding", "text"),
      text: (row: number) => withoutSignatures(front(source.get(row, "title"), 2000)),
    },
  ];
  return {
    id: "findings-diff",
    title: "Findings before and after",
    how: "What rankscope analyze says of each, what became worse first. A finding that is on one side alone counts as appeared or gone from 2% of gain on.",
    body: <DataTable columns={columns} rows={rows} />,
  };
}

export function pathSection(diff: Diff): Section | null {
  const {base, test} = sideNames(diff);
  const source = diff.table("diff_path");
  const rows = regressionsFirst(
    source.rows().filter((row) => Math.abs(source.number(row, "of_step_pct") || 0) >= leastChange),
    (row) => source.amount(row, "change_ns"),
    mostPathRows,
  );
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "part", "part", "word"),
    plain(source, "name", "op, call or range", "name"),
    plain(source, "base_ns", base),
    plain(source, "test_ns", test),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of a step before"),
  ];
  return {
    id: "path",
    title: "What decides the step",
    how: "The critical path through all ranks, of a mean step: what the others wait for is not on it. What changed by less than 0.05% of the step is left out.",
    body: <DataTable columns={columns} rows={rows} most={mostPathRows} />,
  };
}

export function ranksDiffSection(diff: Diff): Section | null {
  const {base, test} = sideNames(diff);
  const source = diff.table("diff_ranks");
  if (source.empty) return null;
  const rows = regressionsFirst(
    source.rows().filter((row) => isChange(source, row)),
    (row) => source.amount(row, "change_ns"),
    mostDiffRows,
  );
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "rank"),
    {...plain(source, "part", "part", "word"), text: (row: number) => partOfRow(diff, source, row).label},
    plain(source, "base_ns", base),
    plain(source, "test_ns", test),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    ...signed(source, "of_step_pct", "of a step before"),
  ];
  return {
    id: "ranks",
    title: "By rank",
    how: "Means over the steps of each rank; what takes longer first, then what takes less.",
    body: <DataTable columns={columns} rows={rows} most={mostDiffRows} />,
  };
}
