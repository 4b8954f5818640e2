// What the page of a memory snapshot shows of each device.

import {el, front, swatch} from "../../draw/dom";
import {TimeView} from "../../draw/time_view";
import {grouped} from "../../model/format";
import {sorted} from "../../model/order";
import {type CellValue, type Table, snapshot, table} from "../../model/report";
import {capitalised, inMicros} from "../../model/vocabulary";
import {dataTable, plain} from "../shared/data_table";
import {section} from "../shared/section";
import {cellSpan, tile} from "../shared/tiles";
import {categoriesLegend, categoryColours, categoryLabel, frameList, stackCell, withUnused} from "./allocation_colours";
import {Allocations, allocationTimeline} from "./allocation_timeline";
import {categoryTimeline} from "./category_timeline";
import {segmentMap} from "./segment_map";

const mostMemoryRows = 40;

function rowsOfDevice(source: Table, device: CellValue) {
  return source.rows().filter((row) => source.get(row, "device") === device);
}

// Ids of sections: the device's number where there are several.
export function idOf(base: string, device: CellValue) {
  return table("snapshot_summary").count > 1 ? `${base}-${device}` : base;
}
export function titleOfDevice(title: string, device: CellValue) {
  return table("snapshot_summary").count > 1 ? `${title}, GPU ${device}` : title;
}

function restNote(source: Table, rows: readonly number[]) {
  return rows.length > mostMemoryRows || source.total > source.count
    ? el(
        "p",
        {class: "note"},
        `The ${grouped(Math.min(mostMemoryRows, rows.length))} largest. The whole table: `,
        el("code", {}, source.command),
      )
    : null;
}

export function memoryOverview(row: number) {
  const summary = table("snapshot_summary");
  const device = summary.get(row, "device");
  const cell = (column: string) => cellSpan(summary.cell(row, column));
  const words = snapshot.devices[row];
  return section(
    idOf("overview", device),
    titleOfDevice("Memory", device),
    null,
    el("p", {class: "lead"}, inMicros(words.headline)),
    el(
      "div",
      {class: "tiles"},
      tile("Held at the peak", cell("peak_active_bytes"), "all that is active at once, as requested"),
      tile("Reserved at most", cell("peak_reserved_bytes"), "of the device, by this process"),
      tile("Held at the end", cell("active_bytes"), "when the snapshot was taken"),
      tile("Unused between blocks", cell("split_bytes"), "cached, in segments that are in use"),
      tile("Unused segments", cell("idle_segment_bytes"), "which empty_cache() returns"),
      tile("Largest unused piece", cell("largest_free_bytes"), "a larger request asks the device for more"),
    ),
    words.reasons.length
      ? el(
          "ul",
          {class: "headlines"},
          words.reasons.map((text) => el("li", {}, inMicros(capitalised(text)))),
        )
      : null,
  );
}

export function allocationsSection(row: number) {
  const summary = table("snapshot_summary");
  const device = summary.get(row, "device");
  const source = table("snapshot_allocations");
  const rest = table("snapshot_rest");
  const rows = rowsOfDevice(source, device);
  const length = summary.amount(row, "duration_ns");
  if (rows.length === 0 || !(length > 0)) return null;
  const restRows = rest.empty ? [] : rowsOfDevice(rest, device);
  const all = new Allocations(source, rest, rows, restRows);
  const stacks = new Map<CellValue, number>();
  rows.forEach((one, i) => {
    const stack = source.get(one, "stack");
    const place = stacks.get(stack) ?? stacks.size;
    stacks.set(stack, place);
    all.shade[i] = place % 3;
  });
  const timeline = table("snapshot_timeline");
  const reserved = rowsOfDevice(timeline, device).map(
    (one) => [timeline.amount(one, "time_ns"), timeline.amount(one, "reserved_bytes")] as const,
  );
  const panel = el("div", {class: "frames", role: "region", "aria-label": "Stack of the allocation"});
  let pinnedRow: number | null = null;
  const show = (one: number | null) => {
    const shownRow = one === null ? pinnedRow : one;
    if (shownRow === null) {
      panel.replaceChildren(
        el("div", {class: "facts"}, "Point at a box: the stack that allocated it stands here. A click keeps it."),
      );
      return;
    }
    const fact = (label: string, column: string) => [label, " ", cellSpan(source.cell(shownRow, column)), "; "];
    const stack = source.get(shownRow, "stack");
    panel.replaceChildren(
      el("div", {class: "what"}, front(source.get(shownRow, "place") || "(no stack)", 300)),
      el(
        "div",
        {class: "facts"},
        categoryLabel(source.get(shownRow, "category")),
        ", ",
        cellSpan(source.cell(shownRow, "bytes")),
        "; ",
        source.get(shownRow, "begin_ns") === null ? "from before the recording; " : fact("from", "begin_ns"),
        source.get(shownRow, "end_ns") === null
          ? "held at the end"
          : ["to ", cellSpan(source.cell(shownRow, "end_ns"))],
        source.get(shownRow, "metadata") === null ? null : `; ${front(source.get(shownRow, "metadata"), 200)}`,
        shownRow === pinnedRow ? "; kept, click it again to let go" : null,
      ),
      ...(stack === null ? [] : [frameList(stack)]),
    );
  };
  show(null);
  return section(
    idOf("timeline", device),
    titleOfDevice("What is held over time", device),
    "A box is an allocation: as high as its bytes, as long as it is held. It moves down when what lies below it is freed; the lowest are from before the recording.",
    categoriesLegend(
      new Set(rows.map((one) => source.get(one, "category"))),
      restRows.length ? [["line", "band at the bottom: small ones, summed"]] : [],
    ),
    allocationTimeline({
      name: titleOfDevice("What is held over time", device),
      all,
      view: new TimeView(length + 1, 1000),
      most: summary.amount(row, "peak_active_bytes"),
      reserved,
      onShow: show,
      onPin: (one) => {
        pinnedRow = one;
        show(one);
      },
    }),
    panel,
  );
}

export function segmentsSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const segments = table("snapshot_segments");
  const blocks = table("snapshot_blocks");
  const rows = rowsOfDevice(segments, device);
  const blockRows = rowsOfDevice(blocks, device);
  if (rows.length === 0 || blockRows.length === 0) return null;
  const pools = table("snapshot_fragmentation");
  const poolRows = rowsOfDevice(pools, device);
  const columns = [
    plain(pools, "type", "requests", "word"),
    plain(pools, "stream"),
    plain(pools, "segments"),
    plain(pools, "reserved_bytes", "reserved"),
    plain(pools, "requested_bytes", "requested"),
    plain(pools, "rounding_bytes", "rounding"),
    plain(pools, "pending_bytes", "pending"),
    plain(pools, "split_bytes", "between blocks"),
    plain(pools, "idle_segment_bytes", "unused segments"),
    plain(pools, "largest_free_bytes", "largest unused"),
    plain(pools, "fragmentation_pct", "fragmentation"),
  ];
  const cut = segments.total > segments.count || blocks.total > blocks.count;
  return section(
    idOf("segments", device),
    titleOfDevice("What is reserved at the end", device),
    "The segments that the allocator got from the device, the largest first, and the blocks in them. What is empty is cached: a request that fits in none of the gaps asks the device for another segment.",
    withUnused(categoriesLegend(new Set(blockRows.map((one) => blocks.get(one, "category")).filter(Boolean)))),
    segmentMap(titleOfDevice("Segments", device), segments, blocks, rows, blockRows),
    cut
      ? el(
          "p",
          {class: "note"},
          `Of ${grouped(segments.total)} segments and ${grouped(blocks.total)} blocks the first are drawn. All: `,
          el("code", {}, blocks.command),
        )
      : null,
    dataTable(columns, poolRows),
  );
}

export function holdersSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const source = table("snapshot_peak");
  const rows = rowsOfDevice(source, device);
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {...plain(source, "category", "by", "word"), text: (one: number) => categoryLabel(source.get(one, "category"))},
    plain(source, "bytes", "at the peak"),
    plain(source, "of_peak_pct", "of it"),
    plain(source, "count", "allocations"),
    {...plain(source, "since_ns", "since"), unknown: "(before)"},
    {...plain(source, "until_ns", "until"), unknown: "(held)"},
    plain(source, "lifetime_ns", "mean lifetime"),
  ];
  return section(
    idOf("peak", device),
    titleOfDevice("Who holds the peak", device),
    "What is held when most is held, by the stack that allocated it. A place opens to its frames.",
    dataTable(columns, rows, mostMemoryRows),
    restNote(source, rows),
  );
}

export function stacksSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const source = table("snapshot_stacks");
  const rows = sorted(
    rowsOfDevice(source, device).filter((one) => source.amount(one, "allocations") > 0),
    (one) => source.number(one, "allocated_bytes"),
    true,
  );
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {...plain(source, "category", "by", "word"), text: (one: number) => categoryLabel(source.get(one, "category"))},
    plain(source, "allocated_bytes", "allocated in all"),
    plain(source, "allocations"),
    plain(source, "peak_bytes", "at the peak"),
    plain(source, "end_bytes", "at the end"),
  ];
  return section(
    idOf("stacks", device),
    titleOfDevice("Who allocates most", device),
    "All allocations of the recording, by stack: those that are made and freed again and again, too.",
    dataTable(columns, rows, mostMemoryRows),
    restNote(source, rows),
  );
}

export function categoriesSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const source = table("snapshot_categories");
  const rows = rowsOfDevice(source, device);
  if (rows.length === 0) return null;
  const name = (one: number) =>
    el(
      "span",
      {class: "label"},
      swatch(categoryColours.get(source.text(one, "category"))),
      categoryLabel(source.get(one, "category")),
    );
  const columns = [
    {label: "allocated in", kind: "word", node: name},
    plain(source, "peak_bytes", "at the peak"),
    plain(source, "peak_count", "allocations"),
    plain(source, "end_bytes", "at the end"),
    plain(source, "allocated_bytes", "allocated in all"),
    plain(source, "allocations", "allocations"),
    plain(source, "before_bytes", "from before"),
  ];
  return section(
    idOf("categories", device),
    titleOfDevice("By what the program did", device),
    "A snapshot does not say what a tensor is for. The frames say what the program did when it asked for the memory: activations are of forward, gradients of backward, state of the optimizer of optimizer.",
    dataTable(columns, rows),
  );
}

export function oomSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const source = table("snapshot_oom");
  const rows = source.empty ? [] : rowsOfDevice(source, device);
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "asked for in", "name"), node: (one: number) => stackCell(source, one)},
    plain(source, "time_ns", "at"),
    plain(source, "requested_bytes", "asked for"),
    plain(source, "device_free_bytes", "device had"),
    plain(source, "active_bytes", "held"),
    plain(source, "reserved_bytes", "reserved"),
    plain(source, "cached_bytes", "unused"),
    plain(source, "largest_gap_bytes", "largest piece"),
    plain(source, "missing_bytes", "missing"),
    plain(source, "cause", "cause", "word"),
    plain(source, "holder", "held most", "text"),
    plain(source, "holder_bytes", "of it"),
  ];
  return section(
    idOf("oom", device),
    titleOfDevice("Out of memory", device),
    null,
    dataTable(columns, rows, mostMemoryRows),
    restNote(source, rows),
  );
}

export function leaksSection(row: number) {
  const device = table("snapshot_summary").get(row, "device");
  const source = table("snapshot_leaks");
  const rows = source.empty
    ? []
    : rowsOfDevice(source, device).filter(
        (one) => source.number(one, "growth_bytes") !== 0 || source.number(one, "new_bytes") !== 0,
      );
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {...plain(source, "category", "by", "word"), text: (one: number) => categoryLabel(source.get(one, "category"))},
    plain(source, "growth_bytes", "growth"),
    plain(source, "before_bytes", "in the first"),
    plain(source, "after_bytes", "in the later"),
    plain(source, "new_bytes", "new"),
    plain(source, "new_count", "allocations"),
    plain(source, "kept_bytes", "in both"),
  ];
  return section(
    idOf("leaks", device),
    titleOfDevice("What grew", device),
    "What the later snapshot holds and the first does not, by stack. What grows from snapshot to snapshot is a leak.",
    dataTable(columns, rows, mostMemoryRows),
    restNote(source, rows),
  );
}

export function timelineSections() {
  const source = table("timeline_categories");
  const columns = [
    {
      label: "category",
      kind: "word",
      node: (row: number) =>
        el(
          "span",
          {class: "label"},
          swatch(categoryColours.get(source.text(row, "category"))),
          categoryLabel(source.get(row, "category")),
        ),
    },
    plain(source, "peak_bytes", "at the peak"),
    plain(source, "of_peak_pct", "of it"),
    plain(source, "own_peak_bytes", "at its own peak"),
    plain(source, "own_peak_ns", "which is at"),
    plain(source, "before_bytes", "from before"),
    plain(source, "end_bytes", "at the end"),
  ];
  const changes = table("hta.memory_timeline");
  return [
    section(
      "overview",
      "Memory",
      null,
      el("p", {class: "lead"}, capitalised(inMicros(snapshot.devices[0].headline))),
      el(
        "ul",
        {class: "headlines"},
        snapshot.devices[0].reasons.map((text) => el("li", {}, inMicros(capitalised(text)))),
      ),
    ),
    changes.count < 2
      ? null
      : section(
          "timeline",
          "Memory by category over time",
          "As torch.profiler told tensors apart.",
          categoryTimeline(changes),
        ),
    section("categories", "By category", null, dataTable(columns, source.rows())),
  ].filter(Boolean);
}
