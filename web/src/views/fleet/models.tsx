// The step time of each model over the periods, and the same as a table.

import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {XyPlot} from "../../draw/xy_plot";
import {dayNumber, dayText} from "../../model/fleet";
import {distinct} from "../../model/order";
import type {Table} from "../../model/report";
import {toRun} from "../../model/routes";
import {visible} from "../../model/text";
import {Details, plain} from "../shared/data_table";

// More lines are none that can be told apart; the table has all.
const mostLines = 6;

function labelOf(table: Table, row: number): string {
  const [model, device] = [table.text(row, "model"), table.text(row, "device_model")];
  return `${model === "" ? "model not known" : visible(model)}${device === "" ? "" : ` on ${visible(device)}`}`;
}

export function Models({table}: {readonly table: Table}) {
  const rows = table.rows();
  const periods = distinct(rows.map((row) => table.text(row, "period"))).sort();
  const labels = distinct(rows.map((row) => labelOf(table, row)));
  const shown = labels.slice(0, mostLines);
  const placed = rows
    .filter((row) => shown.includes(labelOf(table, row)))
    .sort((a, b) => periods.indexOf(table.text(a, "period")) - periods.indexOf(table.text(b, "period")));
  const rowAt = (i: number) => placed[i] ?? -1;
  const colourOf = (label: string) => `series-${shown.indexOf(label) + 1}`;
  return (
    <>
      {periods.length < 2 ? null : (
        <>
          <Legend entries={shown.map((label) => [colourOf(label), label])} />
          <XyPlot
            name="median step time of each model by period"
            x={placed.map((row) => dayNumber(table.text(row, "period")))}
            series={shown.map((label) => ({
              label,
              colour: colourOf(label),
              values: placed.map((row) => (labelOf(table, row) === label ? table.number(row, "step_ns") : null)),
              joins: true,
            }))}
            unit="ns"
            across={{label: "period", format: dayText}}
            title={(i) => `${labelOf(table, rowAt(i))}, ${table.text(rowAt(i), "period")}`}
            lines={(i) =>
              (
                [
                  ["median step", "step_ns"],
                  ["against the period before", "change_pct"],
                  ["runs", "runs"],
                  ["devices busy", "busy_pct"],
                ] as const
              ).map(([label, column]): TipLine => [null, label, table.cell(rowAt(i), column)])
            }
          />
          {labels.length > shown.length ? (
            <p class="note">
              The first {shown.length} of {labels.length} are drawn.
            </p>
          ) : null}
        </>
      )}
      <Details
        source={table}
        rows={rows}
        columns={[
          plain(table, "model", "model", "name"),
          plain(table, "device_model", "device", "word"),
          plain(table, "period", "period", "word"),
          plain(table, "runs"),
          plain(table, "step_ns", "median step"),
          plain(table, "change_pct", "change"),
          plain(table, "busy_pct", "devices busy"),
          plain(table, "device_hours", "device hours"),
          {label: "a run", kind: "word", node: (row) => <RunLink id={table.text(row, "example_run")} />},
        ]}
      />
    </>
  );
}

export function RunLink({id}: {readonly id: string}) {
  return /^[0-9a-f]{16}$/.test(id) ? <a href={toRun(id)}>{id}</a> : <>{visible(id)}</>;
}
