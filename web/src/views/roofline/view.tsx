// How far ops are from what the device can do, and how much of the device a step uses.

import {largestNamed} from "../../model/largest";
import {CellSpan} from "../../draw/cells";
import {Legend, type LegendEntry} from "../../draw/legend";
import {LineChart} from "../../draw/line_chart";
import type {LogPoint} from "../../draw/log_plot";
import {RooflinePlot} from "../../draw/roofline_plot";
import {plural, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type CellValue, type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import {DataTable, Details, plain} from "../shared/data_table";
import {RangeTables} from "../shared/range_table";
import type {Section} from "../shared/section";

const familyColours = ["matmul", "attention", "convolution", "elementwise", "reduction"];
function familyColour(family: CellValue) {
  const at = familyColours.indexOf(String(family));
  return at < 0 ? "series-6" : `series-${at + 1}`;
}

function shownDtype(dtype: CellValue) {
  return String(dtype || "unknown type").replace(/^c10::/, "");
}

// "[[4,8],[8]]" with room to break lines.
function shownShapes(source: Table, row: number, most: number) {
  return front(source.get(row, "shapes") || "", most).replace(/,\[/g, ", [");
}

// The roofs that the points of a device are measured against: [{peak, row, label}].
interface Roof {
  readonly peak: number;
  readonly row: number;
  readonly units: ReadonlyMap<CellValue, Set<string>>;
}
function roofsOf(source: Table, rows: readonly number[]) {
  const roofs = new Map<number, Roof>();
  for (const row of rows) {
    const peak = source.number(row, "peak_flops_per_s");
    if (peak === null) continue;
    let roof = roofs.get(peak);
    if (roof === undefined)
      roofs.set(
        peak,
        (roof = {
          peak,
          row,
          units: new Map<CellValue, Set<string>>([
            ["matrix cores", new Set()],
            ["vector units", new Set()],
          ]),
        }),
      );
    roof.units.get(source.get(row, "units"))?.add(shownDtype(source.get(row, "dtype")));
  }
  const label = (roof: Roof) =>
    Array.from(roof.units)
      .filter(([, dtypes]) => dtypes.size > 0)
      .map(([unit, dtypes]) => `${front(Array.from(dtypes).slice(0, 6).join(", "), 100)} on ${unit}`)
      .join(" and ");
  return sorted(Array.from(roofs.values()), (roof) => roof.peak, true).map((roof) => ({...roof, label: label(roof)}));
}

function rooflineOf(report: Report, source: Table, device: CellValue, rows: readonly number[], isOnly: boolean) {
  const modelled = rows.filter((row) => source.get(row, "op") !== null);
  const unmodelled = rows.filter((row) => source.get(row, "op") === null);
  const heading = isOnly ? null : <h3>{device === null ? "A device without a name" : front(device, 120)}</h3>;
  const share = unmodelled.map((row) => (
    <p class="note">
      <CellSpan cell={source.cell(row, "share_pct")} />
      {" of computing time ("}
      <CellSpan cell={source.cell(row, "device_ns")} />) has no model: fused and custom kernels, graphs, ops without
      recorded shapes.
    </p>
  ));
  const placed = sorted(
    modelled.filter((row) => source.amount(row, "flop_per_byte") > 0 && source.amount(row, "flops_per_s") > 0),
    (row) => source.number(row, "device_ns"),
    true,
  );
  if (modelled.length === 0) return [heading, share];
  const roofs = roofsOf(source, modelled);
  const memoryRow = modelled.find((row) => source.get(row, "peak_bytes_per_s") !== null);
  const known =
    memoryRow === undefined ? (
      <p class="note">
        {device === null
          ? "The trace does not name the device, so its peaks are not known and there is no roof: achieved rates only."
          : `The peaks of ${front(device, 120)} are not known, so there is no roof: achieved rates only.`}
      </p>
    ) : (
      <p class="note roofs">
        {"Roofs: memory "}
        <CellSpan cell={source.cell(memoryRow, "peak_bytes_per_s")} />
        {roofs.map((roof) => (
          <>
            {`; ${roof.label} `}
            <CellSpan cell={source.cell(roof.row, "peak_flops_per_s")} />
          </>
        ))}
        .
      </p>
    );
  const points = placed.map(
    (row): LogPoint => ({
      x: source.amount(row, "flop_per_byte"),
      y: source.amount(row, "flops_per_s"),
      size: source.amount(row, "device_ns"),
      colour: familyColour(source.get(row, "family")),
      mark: source.get(row, "above_roof") === true,
      title: `${front(source.get(row, "op"), 80)}, ${front(shownDtype(source.get(row, "dtype")), 40)}, ${shownShapes(source, row, 140)}`,
      lines: [
        ["", "device time", source.cell(row, "device_ns")],
        ["", "share of computing", source.cell(row, "share_pct")],
        ["", "runs", source.cell(row, "count")],
        ["", "achieved", source.cell(row, "flops_per_s")],
        ["", "memory", source.cell(row, "bytes_per_s")],
        ["", "intensity", source.cell(row, "flop_per_byte")],
        ["", "of the roof", source.cell(row, "efficiency_pct")],
        ["", "bound by", source.cell(row, "bound")],
        ["", "to gain", source.cell(row, "headroom_ns")],
      ],
    }),
  );
  const families = distinct(placed.map((row) => source.get(row, "family")));
  const colours = distinct(families.map(familyColour)).map(
    (one): LegendEntry => [
      one,
      families
        .filter((family) => familyColour(family) === one)
        .map(words)
        .join(", "),
    ],
  );
  const hasRoof = memoryRow !== undefined;
  const gains = hasRoof ? sorted(modelled, (row) => source.number(row, "headroom_ns"), true) : modelled;
  const columns = [
    {label: "op", kind: "word", cell: (row: number) => source.cell(row, "op")},
    {
      label: "dtype",
      kind: "word",
      cell: (row: number) => source.cell(row, "dtype"),
      text: (row: number) => shownDtype(source.get(row, "dtype")),
    },
    {
      label: "shapes",
      kind: "text",
      cell: (row: number) => source.cell(row, "shapes"),
      text: (row: number) => shownShapes(source, row, 90),
    },
    plain(source, "device_ns", "device time"),
    plain(source, "share_pct", "share"),
    plain(source, "flops_per_s", "achieved"),
    plain(source, "bytes_per_s", "memory"),
    ...(hasRoof
      ? [
          plain(source, "efficiency_pct", "of the roof"),
          plain(source, "bound", "bound by", "word"),
          plain(source, "headroom_ns", "to gain"),
        ]
      : []),
  ];
  const more = [
    ...columns,
    ...[
      "count",
      "mean_ns",
      "flops",
      "bytes",
      "flop_per_byte",
      "matrix_cores_pct",
      "fits_matrix_cores",
      "above_roof",
      "ranks",
    ].map((name) => plain(source, name, words(name.replace(/_(ns|pct)$/, "")))),
  ];
  return (
    <>
      {heading}
      {known}
      {share}
      {points.length ? (
        <>
          <Legend
            entries={[
              ...colours,
              ...(points.some((point) => point.mark)
                ? [["", "outlined: above its roof (from caches, or the model does not fit)"] as const]
                : []),
            ]}
          />
          <RooflinePlot
            name={isOnly ? "Roofline" : `Roofline of ${device}`}
            points={points}
            memory={memoryRow === undefined ? null : source.number(memoryRow, "peak_bytes_per_s")}
            peaks={roofs.map((roof) => roof.peak)}
          />
        </>
      ) : null}
      {placed.length < modelled.length ? (
        <p class="note">{`${plural(modelled.length - placed.length, "op")} that only move${modelled.length - placed.length === 1 ? "s" : ""} data ${modelled.length - placed.length === 1 ? "has" : "have"} no place in the plot; the table has all.`}</p>
      ) : null}
      <DataTable columns={columns} rows={gains} most={12} />
      <Details source={report.table("roofline")} columns={more} rows={modelled} />
    </>
  );
}

function utilisation(report: Report) {
  const source = report.table("flop_utilisation");
  const rows = source.rows().filter((row) => source.get(row, "flops") !== null);
  if (rows.length === 0) return null;
  const hasPeak = rows.some((row) => source.get(row, "hfu_pct") !== null);
  const column = hasPeak ? "hfu_pct" : "flops_per_s";
  const key = (row: number) => `${source.get(row, "rank")}/${source.get(row, "capture")}/${source.get(row, "device")}`;
  const devices = distinct(rows.map(key));
  const steps = distinct(rows.map((row) => source.amount(row, "step"))).sort((a, b) => a - b);
  const place = new Map(rows.map((row) => [`${key(row)}/${source.get(row, "step")}`, row]));
  const series = devices.slice(0, 6).map((device, i) => {
    const first = rows.find((row) => key(row) === device) ?? -1;
    return {
      rank: source.get(first, "rank"),
      rankAt: () => source.get(first, "rank"),
      label: `rank ${source.get(first, "rank")}, device ${source.get(first, "device")}`,
      colour: `series-${i + 1}`,
      width: 1.75,
      values: steps.map((step) => {
        const row = place.get(`${device}/${step}`);
        return row === undefined ? null : source.number(row, column);
      }),
      cell: (at: number) => {
        const row = place.get(`${device}/${steps[at]}`);
        return row === undefined ? null : source.cell(row, column);
      },
    };
  });
  // Activation checkpointing computes some of it again.
  const isRecomputed = rows.some((row) => source.amount(row, "recomputed_flops") > 0);
  const columns = [
    ["rank"],
    ["device"],
    ["step"],
    ["hfu_pct", "HFU"],
    ...(isRecomputed
      ? [
          ["mfu_pct", "MFU"],
          ["recomputed_flops", "recomputed"],
        ]
      : []),
    ["flops", "FLOPs"],
    ["flops_per_s", "achieved"],
    ["peak_flops_per_s", "peak"],
    ["known_pct", "known"],
    ["duration_ns", "duration"],
  ].map(([name = "", label]) => plain(source, name, label));
  const some =
    report.job.ranks > devices.length ? " Of many devices the lowest, the highest and some between are shown." : "";
  const spread = report.job.ranks > 1 ? report.table("over_ranks").where("analysis", "flop_utilisation") : [];
  return (
    <>
      <h3>{hasPeak ? "FLOP utilisation of a step (HFU)" : "FLOPs of a step"}</h3>
      <p class="how">
        {(hasPeak
          ? "FLOPs of matmuls, convolutions and attentions per second of the step, as a part of the device's dense 16-bit peak."
          : "FLOPs of matmuls, convolutions and attentions per second of the step; the device's peak is not known.") +
          ` Where little computing has a model ("known"), it is too low by that.${isRecomputed ? " MFU leaves out what activation checkpointing computes again." : ""}${some}`}
      </p>
      {steps.length > 1 ? (
        <>
          <Legend entries={series.map((one) => [one.colour, one.label, one.rank])} />
          <LineChart
            name={hasPeak ? "FLOP utilisation over steps" : "FLOPs over steps"}
            unit={hasPeak ? "%" : "FLOP/s"}
            title={(i: number) => `Step ${steps[i]}`}
            x={{label: "step", whole: true, values: steps, format: (value: number) => String(value)}}
            series={series}
          />
          <Details source={report.table("flop_utilisation")} columns={columns} rows={rows} />
        </>
      ) : (
        <DataTable columns={columns} rows={rows} most={12} />
      )}
      {spread.length ? (
        <>
          <p class="metric">Over all ranks</p>
          <RangeTables report={report} rows={spread} main={[]} />
        </>
      ) : null}
    </>
  );
}

export function rooflineSection(report: Report): Section | null {
  const source = report.table("roofline");
  if (!report.has("roofline")) return null;
  const rows = source.rows();
  if (rows.length === 0) return null;
  if (rows.every((row) => source.get(row, "op") === null)) {
    return {
      id: "roofline",
      title: "Roofline",
      body: (
        <p class="empty">
          {"No op has both device work and recorded shapes: "}
          <code>profile(record_shapes=True)</code>
          {" records them."}
        </p>
      ),
    };
  }
  const devices = distinct(rows.map((row) => source.get(row, "device")));
  const known = rows.filter((row) => source.get(row, "efficiency_pct") !== null);
  const first = largestNamed(source, known, "share_pct", (row) => source.text(row, "op"));
  return {
    id: "roofline",
    title: "Roofline",
    tables: ["roofline", "flop_utilisation"],
    answer:
      first === null ? null : (
        <>
          {front(source.text(first, "op"), 60)} (<CellSpan cell={source.cell(first, "share_pct")} />) reaches{" "}
          <CellSpan cell={source.cell(first, "efficiency_pct")} /> of its roof
        </>
      ),
    how: "How far ops are from what the device can do. Each point is an op with its input shapes, as large as its device time. To the left of a roof's bend memory bandwidth is the limit, to the right the computing units; the distance to the roof is what a perfect kernel would gain.",
    body: (
      <>
        {devices.map((device) =>
          rooflineOf(
            report,
            source,
            device,
            rows.filter((row) => source.get(row, "device") === device),
            devices.length === 1,
          ),
        )}
        {utilisation(report)}
      </>
    ),
  };
}
