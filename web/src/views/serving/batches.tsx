// What a step of the engine costs and gives, by the size of its batch.

import {useState} from "preact/hooks";
import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {XyPlot} from "../../draw/xy_plot";
import {human} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import type {Serving, Table} from "../../model/report";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {kindColours} from "./words";

const measures = [
  {id: "mean_ns", label: "time of a step", unit: "ns"},
  {id: "tokens_per_s", label: "tokens a second", unit: "tokens/s"},
] as const;

function BySize({source}: {readonly source: Table}) {
  const [chosen, setChosen] = useState<number>(0);
  const measure = measures[chosen] ?? measures[0];
  const kinds = distinct(source.rows().map((row) => source.text(row, "kind")));
  const rows = sorted(source.rows(), (row) => source.number(row, "requests"), false);
  const rowAt = (i: number) => rows[i] ?? -1;
  const shown = kinds.filter((kind) =>
    rows.some((row) => source.text(row, "kind") === kind && source.number(row, measure.id) !== null),
  );
  return (
    <>
      <div class="tools" role="group" aria-label="What is drawn">
        {measures.map(({id, label}, i) => (
          <button key={id} type="button" aria-pressed={i === chosen} onClick={() => setChosen(i)}>
            {label}
          </button>
        ))}
      </div>
      <Legend entries={shown.map((kind) => [kindColours[kind] ?? "unknown", kind])} />
      <XyPlot
        key={measure.id}
        name={`${measure.label} by size of the batch`}
        x={rows.map((row) => source.amount(row, "requests"))}
        series={shown.map((kind) => ({
          label: kind,
          colour: kindColours[kind] ?? "unknown",
          values: rows.map((row) => (source.text(row, "kind") === kind ? source.number(row, measure.id) : null)),
          joins: true,
        }))}
        unit={measure.unit}
        across={{label: "requests in a step", format: (value) => human(value, "")}}
        title={(i) => {
          const [least, most] = [source.text(rowAt(i), "least"), source.text(rowAt(i), "most")];
          return `${source.text(rowAt(i), "kind")} of ${least === most ? least : `${least} to ${most}`}`;
        }}
        lines={(i) =>
          (
            [
              ["steps", "iterations"],
              ["mean", "mean_ns"],
              ["p99", "p99_ns"],
              ["tokens a second", "tokens_per_s"],
              ["prompt tokens", "context_tokens"],
            ] as const
          ).map(([label, column]): TipLine => [null, label, source.cell(rowAt(i), column)])
        }
      />
      <Details
        source={source}
        rows={source.rows()}
        columns={[
          plain(source, "kind", "kind", "word"),
          ...["least", "most", "iterations", "mean_ns", "p50_ns", "p99_ns", "context_tokens", "tokens_per_s"].map(
            (name) => plain(source, name),
          ),
        ]}
      />
    </>
  );
}

export function batchesSection(serving: Serving): Section | null {
  const source = serving.table("serving_batches");
  const sizes = serving.table("serving_batch_sizes");
  if (source.empty && sizes.empty) return null;
  const [first] = sorted(source.rows(), (row) => source.number(row, "time_pct"), true);
  return {
    id: "batches",
    title: "Steps of the engine",
    answer:
      first === undefined
        ? null
        : `${human(source.get(first, "time_pct"), "%")} of their time ${source.text(first, "kind")}, ${human(source.get(first, "mean_ns"), "ns")} each`,
    how: "Decode generates alone, prefill works on prompts alone, mixed does both. Where a step takes hardly longer with more requests, larger batches give more tokens.",
    body: (
      <>
        {sizes.empty ? null : <BySize source={sizes} />}
        {source.empty ? null : (
          <DataTable
            rows={source.rows()}
            columns={[
              plain(source, "kind", "kind", "word"),
              plain(source, "from", "known from", "word"),
              plain(source, "iterations", "steps"),
              plain(source, "time_pct", "time"),
              plain(source, "mean_ns", "mean"),
              plain(source, "p99_ns", "p99"),
              plain(source, "generation_requests", "generating"),
              plain(source, "context_tokens", "prompt tokens"),
              plain(source, "device_busy_pct", "devices busy"),
            ]}
          />
        )}
      </>
    ),
  };
}
