// What `rankscope tune` has tried: how many good requests a second each setting bore, and which it recommends.

import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {XyPlot, type XySeries} from "../../draw/xy_plot";
import {human, plural} from "../../model/format";
import type {Serving, Table} from "../../model/report";
import {visible} from "../../model/text";
import {capitalised} from "../../model/vocabulary";
import {DataTable, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

const kinds = [
  {
    label: "settings of now",
    colour: "series-2",
    of: (source: Table, row: number) => source.get(row, "is_now") === true,
  },
  {
    label: "recommended settings",
    colour: "series-1",
    of: (source: Table, row: number) => source.get(row, "is_chosen") === true && source.get(row, "is_now") !== true,
  },
  {
    label: "others",
    colour: "series-4",
    of: (source: Table, row: number) => source.get(row, "is_chosen") !== true && source.get(row, "is_now") !== true,
  },
] as const;

function Trials({source, rows}: {readonly source: Table; readonly rows: readonly number[]}) {
  const ran = rows.filter((row) => source.number(row, "good_per_s") !== null);
  const rowAt = (i: number) => ran[i] ?? -1;
  const series: XySeries[] = kinds
    .map(({label, colour, of}) => ({
      label,
      colour,
      values: ran.map((row) => (of(source, row) ? source.number(row, "good_per_s") : null)),
      isApart: true,
    }))
    .filter(({values}) => values.some((value) => value !== null));
  if (ran.length === 0) return <p class="note">No trial has ended well yet.</p>;
  return (
    <>
      <Legend entries={series.map(({colour, label}) => [colour, label])} />
      <XyPlot
        name="Good requests a second by trial"
        x={ran.map((row) => source.amount(row, "trial"))}
        series={series}
        unit="/s"
        across={{label: "trial", format: (value) => human(value, "")}}
        title={(i) => `trial ${source.text(rowAt(i), "trial")}, ${source.text(rowAt(i), "stage")}`}
        lines={(i) => [
          [null, source.text(rowAt(i), "settings"), source.cell(rowAt(i), "good_per_s")],
          ...["sent", "good", "failed"].map((column): TipLine => [null, column, source.cell(rowAt(i), column)]),
        ]}
        isHollow={(i) => source.get(rowAt(i), "trouble") !== null}
      />
      {ran.some((row) => source.get(row, "trouble") !== null) ? (
        <p class="note">Hollow: the load generator was late, so that it is rough.</p>
      ) : null}
    </>
  );
}

// "18 of 29 trials" while it goes on, else what came of it.
export function answerOfTuning(tunings: Table, trials: Table, row: number): string {
  const count = trials.where("tuning", tunings.get(row, "tuning")).length;
  if (tunings.text(row, "state") === "running") return `goes on, ${count} of ${tunings.text(row, "planned")} trials`;
  const gain = tunings.number(row, "gain_pct");
  const stopped = tunings.text(row, "state") === "stopped" ? "stopped, " : "";
  if (gain === null) return `${stopped}${plural(count, "trial")}, nothing better`;
  return `${stopped}${plural(count, "trial")}, ${human(gain, "%")} more`;
}

// Beside recordings the verdict begins with what came of it.
function Tuning({serving, row}: {readonly serving: Serving; readonly row: number}) {
  const isAlone = serving.table("serving_stages").empty;
  const tunings = serving.table("serving_tunings");
  const trials = serving.table("serving_trials");
  const rows = trials.where("tuning", tunings.get(row, "tuning"));
  const facts = [
    ["Now", tunings.text(row, "settings_now")],
    ["Better", tunings.get(row, "is_change") === true ? tunings.text(row, "settings") : ""],
    ["Found", tunings.text(row, "causes")],
    ["Service", tunings.text(row, "canary")],
  ] as const;
  const command = tunings.text(row, "command");
  return (
    <article aria-label={`Tuning of ${visible(tunings.text(row, "adapter"))}`}>
      {isAlone ? <p class="lead">{capitalised(visible(serving.data.headline))}.</p> : null}
      <dl class="serving-lines">
        {facts
          .filter(([, text]) => text !== "")
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{visible(text)}</dd>
            </div>
          ))}
      </dl>
      {command === "" ? null : (
        <p>
          <code>{visible(command)}</code>
        </p>
      )}
      <Trials source={trials} rows={rows} />
      <DataTable
        rows={rows}
        columns={[
          plain(trials, "trial", "trial"),
          plain(trials, "stage", "stage", "word"),
          plain(trials, "settings", "settings", "text"),
          plain(trials, "good_per_s", "good (1/s)"),
          plain(trials, "sent", "sent"),
          plain(trials, "good", "good"),
          plain(trials, "failed", "failed"),
          plain(trials, "why", "did not run", "text"),
          plain(trials, "trouble", "rough", "text"),
        ]}
      />
    </article>
  );
}

export function trialsSection(serving: Serving): Section | null {
  const tunings = serving.table("serving_tunings");
  if (tunings.empty) return null;
  const [last] = tunings.rows().slice(-1);
  return {
    id: "trials",
    title: "Trials",
    answer: answerOfTuning(tunings, serving.table("serving_trials"), last ?? 0),
    how: "A point is a server that was started with these settings and loaded like all others: how many of the requests a second kept the objective. Settings of now, tried again and again, show what equal runs differ by.",
    body: (
      <>
        {tunings.rows().map((row) => (
          <Tuning key={row} serving={serving} row={row} />
        ))}
      </>
    ),
  };
}
