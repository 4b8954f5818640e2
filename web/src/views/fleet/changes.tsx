// Kernels that got slower, faster or are new: since when, why, and the runs that show it.

import {CellSpan} from "../../draw/cells";
import {human, plural} from "../../model/format";
import {changesOf, fewestRuns, runsOf} from "../../model/fleet";
import type {Table} from "../../model/report";
import {toCompare, toRun} from "../../model/routes";
import {visible} from "../../model/text";

const words: Readonly<Record<string, string>> = {
  regression: "\u26a0 slower",
  improvement: "faster",
  "new kernel": "new",
  "cost shift": "cost moved",
};

// The stratum in which it changed: others may not have.
function whereOf(table: Table, row: number): string {
  return ["device_model", "shape_bucket", "dtype", "model"]
    .map((column) => visible(table.text(row, column)))
    .filter(Boolean)
    .join(", ");
}

function Cause({table, row}: {readonly table: Table; readonly row: number}) {
  const cause = visible(table.text(row, "cause"));
  if (cause === "") return <>No recorded attribute goes with it.</>;
  const other = visible(table.text(row, "cause_or"));
  return (
    <>
      Goes with <b>{cause}</b>
      {other === "" ? "" : ` (${other} as well)`}.
    </>
  );
}

// In one stratum: how much, since when, what it is worth, and two runs side by side.
function Stratum({table, row}: {readonly table: Table; readonly row: number}) {
  const [before] = runsOf(table.get(row, "before_runs"));
  const [after] = runsOf(table.get(row, "after_runs"));
  const until = table.text(row, "until");
  const [hours, step] = [table.cell(row, "hours_per_day"), table.cell(row, "step_pct")];
  return (
    <li>
      {table.get(row, "change_pct") === null ? null : (
        <>
          <b>
            {Number(table.get(row, "change_pct")) > 0 ? "+" : ""}
            <CellSpan cell={table.cell(row, "change_pct")} />
          </b>
          ,{" "}
        </>
      )}
      {table.get(row, "before_ns") === null ? null : (
        <>
          <CellSpan cell={table.cell(row, "before_ns")} /> {"\u2192"}{" "}
        </>
      )}
      <CellSpan cell={table.cell(row, "after_ns")} /> since {table.text(row, "since")}
      {until === "" ? "" : ` until ${until}`}: {whereOf(table, row)}
      <span class="muted">
        {" \u00b7 "}
        <CellSpan cell={table.cell(row, "runs_before")} /> runs before,{" "}
        <CellSpan cell={table.cell(row, "runs_after")} /> after
        {hours.value === null ? null : (
          <>
            {" \u00b7 "}
            <CellSpan cell={hours} /> GPU hours a day
          </>
        )}
        {step.value === null ? null : (
          <>
            {" \u00b7 "}
            <CellSpan cell={step} /> of a step
          </>
        )}
        {` \u00b7 q ${human(table.get(row, "q"), "")}`}
      </span>
      {before === undefined || after === undefined ? null : (
        <>
          {" \u00b7 "}
          <a href={toRun(after)}>a run of now</a>
          {" \u00b7 "}
          <a href={toCompare(before, after)}>compare</a>
        </>
      )}
    </li>
  );
}

const mostStrata = 3;

// What happened to a kernel for one reason, in all strata in which it did.
function Change({table, rows}: {readonly table: Table; readonly rows: readonly number[]}) {
  const first = rows[0] ?? -1;
  const kind = table.text(first, "kind");
  const [shown, rest] = [rows.slice(0, mostStrata), rows.slice(mostStrata)];
  return (
    <li class={kind === "regression" ? "change slower" : "change"}>
      <h3>
        <span class="kind">{words[kind] ?? kind}</span> <code>{visible(table.text(first, "kernel_key"))}</code>
      </h3>
      <p>
        <Cause table={table} row={first} />
      </p>
      <ul>
        {shown.map((row) => (
          <Stratum key={row} table={table} row={row} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details>
          <summary>{plural(rest.length, "more stratum").replace("stratums", "strata")}</summary>
          <ul>
            {rest.map((row) => (
              <Stratum key={row} table={table} row={row} />
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

export function Changes({table, runs}: {readonly table: Table; readonly runs: number}) {
  if (table.empty)
    return (
      <p class="muted">
        {runs < 2 * fewestRuns
          ? `${runs === 1 ? "1 run is" : `${runs} runs are`} too few: a change is told from ${fewestRuns} runs on each side.`
          : `No kernel changed by more than chance, its own spread and 3% in ${plural(runs, "run")}.`}
      </p>
    );
  return (
    <ul class="changes">
      {changesOf(table).map((rows) => (
        <Change key={rows[0]} table={table} rows={rows} />
      ))}
    </ul>
  );
}
