// Which ops and which modules take the time, on the device and on the host.

import {CellSpan} from "../../draw/cells";
import {largestNamed} from "../../model/largest";
import {sorted} from "../../model/order";
import {type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import {DataTable, Details, plain} from "../shared/data_table";
import {BarMark} from "../shared/range_table";
import type {Section} from "../shared/section";

const opsShown = 20;

// A share bar behind a column of times, on the scale of the largest.
export function timeBar(source: Table, rows: readonly number[], name: string, colourName: string) {
  const most = Math.max(...rows.map((row) => source.number(row, name) || 0));
  return {
    label: "",
    kind: "mark",
    node: (row: number) => <BarMark value={source.number(row, name) || 0} most={most} colour={colourName} />,
  };
}

// "27.5% of device work from aten::mm".
function largest(source: Table, rows: readonly number[], nameOf: (row: number) => string) {
  const first = largestNamed(source, rows, "share_pct", nameOf);
  return first === null ? null : (
    <>
      <CellSpan cell={source.cell(first, "share_pct")} /> of device work from {front(nameOf(first), 80)}
    </>
  );
}

export function opsSection(report: Report): Section | null {
  const source = report.table("ops_by_name");
  if (source.empty) return null;
  const rows = source.rows();
  const hasDevice = rows.some((row) => source.amount(row, "device_total_ns") > 0);
  const hasBackward = rows.some((row) => source.amount(row, "backward_ns") > 0);
  const device = hasDevice
    ? [
        plain(source, "device_self_ns", "device self"),
        timeBar(source, rows, "device_self_ns", "compute"),
        plain(source, "share_pct", "share"),
        plain(source, "device_total_ns", "device total"),
        ...(hasBackward ? [plain(source, "backward_ns", "its backward")] : []),
      ]
    : [];
  const columns = [
    {label: "op", kind: "name", cell: (row: number) => source.cell(row, "name")},
    ...device,
    plain(source, "host_self_ns", "host self"),
    timeBar(source, rows, "host_self_ns", "frame-python"),
    plain(source, "host_total_ns", "host total"),
    plain(source, "count", "calls"),
  ];
  const more = [
    ...columns,
    plain(source, "mean_ns", "mean"),
    plain(source, "p50_ns", "p50"),
    plain(source, "p99_ns", "p99"),
    plain(source, "max_ns", "max"),
    plain(source, "kernels"),
    plain(source, "slowest_rank", "slowest rank"),
    plain(source, "slowest_mean_ns", "mean there"),
  ];
  return {
    id: "ops",
    title: "Top ops",
    tables: ["ops_by_name", "ops"],
    answer: hasDevice ? largest(source, rows, (row) => source.text(row, "name")) : null,
    how: "Operators on all ranks. Device: the kernels and copies that they launch; self without those of ops inside, so that it adds up to all device work. Host: the time of threads, self without ops inside. A click on a heading shows the top by that column.",
    body: (
      <>
        <DataTable
          columns={columns}
          rows={hasDevice ? rows : sorted(rows, (row) => source.number(row, "host_self_ns"), true)}
          most={opsShown}
        />
        <Details source={report.table("ops_by_name")} columns={more} rows={rows} />
      </>
    ),
  };
}

export function modulesSection(report: Report): Section | null {
  const source = report.table("modules");
  if (source.empty) {
    if (!report.has("modules")) return null;
    return {
      id: "modules",
      title: "Top modules",
      body: (
        <p class="empty">
          {"No modules were recorded: "}
          <code>profile(with_stack=True)</code>
          {" or "}
          <code>with_modules=True</code>
          {" names them."}
        </p>
      ),
    };
  }
  const rows = source.rows();
  const has = (name: string) => rows.some((row) => source.amount(row, name) > 0);
  const backward = has("backward_total_ns")
    ? [
        plain(source, "forward_total_ns", "forward"),
        plain(source, "backward_total_ns", "backward"),
        plain(source, "forward_self_ns", "forward self"),
        plain(source, "backward_self_ns", "backward self"),
      ]
    : [plain(source, "forward_self_ns", "device self")];
  const device = has("device_total_ns")
    ? [
        plain(source, "device_total_ns", "device total"),
        timeBar(source, rows, "device_total_ns", "compute"),
        plain(source, "share_pct", "share"),
        ...backward,
      ]
    : [];
  const columns = [
    {
      label: "module",
      kind: "name",
      cell: (row: number) => source.cell(row, "path"),
      text: (row: number) => moduleLabel(source.text(row, "path")),
    },
    ...device,
    plain(source, "host_total_ns", "host total"),
    timeBar(source, rows, "host_total_ns", "frame-python"),
    plain(source, "host_self_ns", "host self"),
    plain(source, "count", "calls"),
  ];
  const more = [
    ...columns,
    plain(source, "mean_ns", "mean"),
    plain(source, "p50_ns", "p50"),
    plain(source, "p99_ns", "p99"),
    plain(source, "kernels"),
    plain(source, "slowest_rank", "slowest rank"),
    plain(source, "slowest_mean_ns", "mean there"),
  ];
  return {
    id: "modules",
    title: "Top modules",
    tables: ["modules"],
    answer: has("device_total_ns") ? largest(source, rows, (row) => moduleLabel(source.text(row, "path"))) : null,
    how: "Each module with the device work of its forward and backward; self is without the modules inside. Backward work belongs to the module of its forward op. A click on a heading shows the top by that column.",
    body: (
      <>
        <DataTable
          columns={columns}
          rows={has("device_total_ns") ? rows : sorted(rows, (row) => source.number(row, "host_total_ns"), true)}
          most={opsShown}
        />
        <Details source={report.table("modules")} columns={more} rows={rows} />
      </>
    ),
  };
}

// "Net_0/Block_3/Linear_7" -> "Linear_7 (in Net_0 / Block_3)".
export function moduleLabel(path: string): string {
  const names = path.split("/");
  const last = front(names.pop() ?? "", 120);
  return names.length === 0 ? last : `${last} (in ${front(names.join(" / "), 160)})`;
}
