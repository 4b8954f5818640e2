// What the page of a memory snapshot shows of each device.

import {type Signal, useSignal} from "@preact/signals";
import type {ComponentProps} from "preact";
import {useState} from "preact/hooks";
import {CellSpan, Swatch} from "../../draw/cells";
import {PatternEntry} from "../../draw/legend";
import {grouped} from "../../model/format";
import {sorted} from "../../model/order";
import type {CellValue, Snapshot, Table} from "../../model/report";
import {front} from "../../model/text";
import {capitalised, inMicros} from "../../model/vocabulary";
import {DataTable, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {Tile} from "../shared/tiles";
import {CategoriesLegend, categoryColours, categoryLabel, frameList, stackCell} from "./allocation_colours";
import {AllocationTimeline} from "./allocation_timeline";
import {Allocations} from "./allocations";
import {CategoryTimeline} from "./category_timeline";
import {SegmentMap} from "./segment_map";

const mostMemoryRows = 40;

function rowsOfDevice(source: Table, device: CellValue) {
  return source.rows().filter((row) => source.get(row, "device") === device);
}

// Ids of sections: the device's number where there are several.
export function idOf(snapshot: Snapshot, base: string, device: CellValue) {
  return snapshot.table("snapshot_summary").count > 1 ? `${base}-${device}` : base;
}
export function titleOfDevice(snapshot: Snapshot, title: string, device: CellValue) {
  return snapshot.table("snapshot_summary").count > 1 ? `${title}, GPU ${device}` : title;
}

function restNote(source: Table, rows: readonly number[]) {
  return rows.length > mostMemoryRows || source.total > source.count ? (
    <p class="note">
      {`The ${grouped(Math.min(mostMemoryRows, rows.length))} largest. The whole table: `}
      <code>{source.command}</code>
    </p>
  ) : null;
}

export function memoryOverview(snapshot: Snapshot, row: number) {
  const summary = snapshot.table("snapshot_summary");
  const device = summary.get(row, "device");
  const words = snapshot.data.devices[row];
  const tile = (name: string, column: string, more: string) => (
    <Tile name={name} cell={summary.cell(row, column)} more={more}>
      <CellSpan cell={summary.cell(row, column)} />
    </Tile>
  );
  return {
    id: idOf(snapshot, "overview", device),
    title: titleOfDevice(snapshot, "Memory", device),
    body: (
      <>
        <p class="lead">{inMicros(words?.headline ?? "")}</p>
        <div class="tiles">
          {tile("Held at the peak", "peak_active_bytes", "all that is active at once, as requested")}
          {tile("Reserved at most", "peak_reserved_bytes", "of the device, by this process")}
          {tile("Held at the end", "active_bytes", "when the snapshot was taken")}
          {tile("Unused between blocks", "split_bytes", "cached, in segments that are in use")}
          {tile("Unused segments", "idle_segment_bytes", "which empty_cache() returns")}
          {tile("Largest unused piece", "largest_free_bytes", "a larger request asks the device for more")}
        </div>
        {words?.reasons.length ? (
          <ul class="headlines">
            {words.reasons.map((text) => (
              <li>{inMicros(capitalised(text))}</li>
            ))}
          </ul>
        ) : null}
      </>
    ),
  };
}

export function allocationsSection(snapshot: Snapshot, row: number): Section | null {
  const summary = snapshot.table("snapshot_summary");
  const device = summary.get(row, "device");
  const source = snapshot.table("snapshot_allocations");
  const rest = snapshot.table("snapshot_rest");
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
  const timeline = snapshot.table("snapshot_timeline");
  const reserved = rowsOfDevice(timeline, device).map(
    (one) => [timeline.amount(one, "time_ns"), timeline.amount(one, "reserved_bytes")] as const,
  );
  return {
    id: idOf(snapshot, "timeline", device),
    title: titleOfDevice(snapshot, "What is held over time", device),
    how: "A box is an allocation: as high as its bytes, as long as it is held. It moves down when what lies below it is freed; the lowest are from before the recording.",
    body: (
      <>
        <CategoriesLegend
          snapshot={snapshot}
          categories={new Set(rows.map((one) => source.get(one, "category")))}
          more={restRows.length ? [["line", "band at the bottom: small ones, summed"]] : []}
        />
        <HeldOverTime
          snapshot={snapshot}
          name={titleOfDevice(snapshot, "What is held over time", device)}
          all={all}
          length={length + 1}
          most={summary.amount(row, "peak_active_bytes")}
          reserved={reserved}
        />
      </>
    ),
  };
}

// The plot, and the stack of the allocation that the reader points at or keeps.
function HeldOverTime(plot: Omit<ComponentProps<typeof AllocationTimeline>, "pinned" | "show" | "pin">) {
  // The plot is not painted again for what is only pointed at.
  const pointed = useSignal<number | null>(null);
  const [pinned, setPinned] = useState<number | null>(null);
  const show = (row: number | null) => {
    pointed.value = row;
  };
  const pin = (row: number | null) => {
    show(null);
    setPinned(row);
  };
  return (
    <>
      <AllocationTimeline {...plot} pinned={pinned} show={show} pin={pin} />
      <div class="frames" role="region" aria-label="Stack of the allocation">
        <AllocationFacts snapshot={plot.snapshot} pointed={pointed} pinned={pinned} />
      </div>
    </>
  );
}

function AllocationFacts({
  snapshot,
  pointed,
  pinned,
}: {
  readonly snapshot: Snapshot;
  readonly pointed: Signal<number | null>;
  readonly pinned: number | null;
}) {
  const row = pinned ?? pointed.value;
  const source = snapshot.table("snapshot_allocations");
  if (row === null)
    return <div class="facts">Point at a box: the stack that allocated it stands here. A click keeps it.</div>;
  const stack = source.get(row, "stack");
  return (
    <>
      <div class="what">{front(source.get(row, "place") || "(no stack)", 300)}</div>
      <div class="facts">
        {categoryLabel(snapshot, source.get(row, "category"))}
        {", "}
        <CellSpan cell={source.cell(row, "bytes")} />
        {"; "}
        {source.get(row, "begin_ns") === null ? (
          "from before the recording; "
        ) : (
          <>
            from <CellSpan cell={source.cell(row, "begin_ns")} />
            {"; "}
          </>
        )}
        {source.get(row, "end_ns") === null ? (
          "held at the end"
        ) : (
          <>
            {"to "}
            <CellSpan cell={source.cell(row, "end_ns")} />
          </>
        )}
        {source.get(row, "metadata") === null ? null : `; ${front(source.get(row, "metadata"), 200)}`}
        {pinned !== null ? "; kept, click it again to let go" : null}
      </div>
      {stack === null ? null : frameList(stack)}
    </>
  );
}

export function segmentsSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const segments = snapshot.table("snapshot_segments");
  const blocks = snapshot.table("snapshot_blocks");
  const rows = rowsOfDevice(segments, device);
  const blockRows = rowsOfDevice(blocks, device);
  if (rows.length === 0 || blockRows.length === 0) return null;
  const pools = snapshot.table("snapshot_fragmentation");
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
  return {
    id: idOf(snapshot, "segments", device),
    title: titleOfDevice(snapshot, "What is reserved at the end", device),
    how: "The segments that the allocator got from the device, the largest first, and the blocks in them. What is empty is cached: a request that fits in none of the gaps asks the device for another segment.",
    body: (
      <>
        <CategoriesLegend
          snapshot={snapshot}
          categories={new Set(blockRows.map((one) => blocks.get(one, "category")).filter(Boolean))}
        >
          <PatternEntry kind="unused">unused</PatternEntry>
        </CategoriesLegend>
        <SegmentMap
          snapshot={snapshot}
          name={titleOfDevice(snapshot, "Segments", device)}
          segments={segments}
          blocks={blocks}
          segmentRows={rows}
          blockRows={blockRows}
        />
        {cut ? (
          <p class="note">
            {`Of ${grouped(segments.total)} segments and ${grouped(blocks.total)} blocks the first are drawn. All: `}
            <code>{blocks.command}</code>
          </p>
        ) : null}
        <DataTable columns={columns} rows={poolRows} />
      </>
    ),
  };
}

export function holdersSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const source = snapshot.table("snapshot_peak");
  const rows = rowsOfDevice(source, device);
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {
      ...plain(source, "category", "by", "word"),
      text: (one: number) => categoryLabel(snapshot, source.get(one, "category")),
    },
    plain(source, "bytes", "at the peak"),
    plain(source, "of_peak_pct", "of it"),
    plain(source, "count", "allocations"),
    {...plain(source, "since_ns", "since"), unknown: "(before)"},
    {...plain(source, "until_ns", "until"), unknown: "(held)"},
    plain(source, "lifetime_ns", "mean lifetime"),
  ];
  return {
    id: idOf(snapshot, "peak", device),
    title: titleOfDevice(snapshot, "Who holds the peak", device),
    how: "What is held when most is held, by the stack that allocated it. A place opens to its frames.",
    body: (
      <>
        <DataTable columns={columns} rows={rows} most={mostMemoryRows} />
        {restNote(source, rows)}
      </>
    ),
  };
}

export function stacksSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const source = snapshot.table("snapshot_stacks");
  const rows = sorted(
    rowsOfDevice(source, device).filter((one) => source.amount(one, "allocations") > 0),
    (one) => source.number(one, "allocated_bytes"),
    true,
  );
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {
      ...plain(source, "category", "by", "word"),
      text: (one: number) => categoryLabel(snapshot, source.get(one, "category")),
    },
    plain(source, "allocated_bytes", "allocated in all"),
    plain(source, "allocations"),
    plain(source, "peak_bytes", "at the peak"),
    plain(source, "end_bytes", "at the end"),
  ];
  return {
    id: idOf(snapshot, "stacks", device),
    title: titleOfDevice(snapshot, "Who allocates most", device),
    how: "All allocations of the recording, by stack: those that are made and freed again and again, too.",
    body: (
      <>
        <DataTable columns={columns} rows={rows} most={mostMemoryRows} />
        {restNote(source, rows)}
      </>
    ),
  };
}

export function categoriesSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const source = snapshot.table("snapshot_categories");
  const rows = rowsOfDevice(source, device);
  if (rows.length === 0) return null;
  const name = (one: number) => (
    <span class="label">
      <Swatch colour={categoryColours.get(source.text(one, "category"))} />
      {categoryLabel(snapshot, source.get(one, "category"))}
    </span>
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
  return {
    id: idOf(snapshot, "categories", device),
    title: titleOfDevice(snapshot, "By what the program did", device),
    how: "A snapshot does not say what a tensor is for. The frames say what the program did when it asked for the memory: activations are of forward, gradients of backward, state of the optimizer of optimizer.",
    body: <DataTable columns={columns} rows={rows} />,
  };
}

export function oomSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const source = snapshot.table("snapshot_oom");
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
  return {
    id: idOf(snapshot, "oom", device),
    title: titleOfDevice(snapshot, "Out of memory", device),
    body: (
      <>
        <DataTable columns={columns} rows={rows} most={mostMemoryRows} />
        {restNote(source, rows)}
      </>
    ),
  };
}

export function leaksSection(snapshot: Snapshot, row: number): Section | null {
  const device = snapshot.table("snapshot_summary").get(row, "device");
  const source = snapshot.table("snapshot_leaks");
  const rows = source.empty
    ? []
    : rowsOfDevice(source, device).filter(
        (one) => source.number(one, "growth_bytes") !== 0 || source.number(one, "new_bytes") !== 0,
      );
  if (rows.length === 0) return null;
  const columns = [
    {...plain(source, "place", "allocated in", "name"), node: (one: number) => stackCell(source, one)},
    {
      ...plain(source, "category", "by", "word"),
      text: (one: number) => categoryLabel(snapshot, source.get(one, "category")),
    },
    plain(source, "growth_bytes", "growth"),
    plain(source, "before_bytes", "in the first"),
    plain(source, "after_bytes", "in the later"),
    plain(source, "new_bytes", "new"),
    plain(source, "new_count", "allocations"),
    plain(source, "kept_bytes", "in both"),
  ];
  return {
    id: idOf(snapshot, "leaks", device),
    title: titleOfDevice(snapshot, "What grew", device),
    how: "What the later snapshot holds and the first does not, by stack. What grows from snapshot to snapshot is a leak.",
    body: (
      <>
        <DataTable columns={columns} rows={rows} most={mostMemoryRows} />
        {restNote(source, rows)}
      </>
    ),
  };
}

export function timelineCategories(snapshot: Snapshot): Section {
  const source = snapshot.table("timeline_categories");
  const columns = [
    {
      label: "category",
      kind: "word",
      node: (row: number) => (
        <span class="label">
          <Swatch colour={categoryColours.get(source.text(row, "category"))} />
          {categoryLabel(snapshot, source.get(row, "category"))}
        </span>
      ),
    },
    plain(source, "peak_bytes", "at the peak"),
    plain(source, "of_peak_pct", "of it"),
    plain(source, "own_peak_bytes", "at its own peak"),
    plain(source, "own_peak_ns", "which is at"),
    plain(source, "before_bytes", "from before"),
    plain(source, "end_bytes", "at the end"),
  ];
  return {id: "categories", title: "By category", body: <DataTable columns={columns} rows={source.rows()} />};
}

export function timelineOverview(snapshot: Snapshot): Section {
  const words = snapshot.data.devices[0];
  return {
    id: "overview",
    title: "Memory",
    body: (
      <>
        <p class="lead">{capitalised(inMicros(words?.headline ?? ""))}</p>
        <ul class="headlines">
          {words?.reasons.map((text) => (
            <li key={text}>{inMicros(capitalised(text))}</li>
          ))}
        </ul>
      </>
    ),
  };
}

export function timelineOfCategories(snapshot: Snapshot): Section | null {
  const changes = snapshot.table("hta.memory_timeline");
  if (changes.count < 2) return null;
  return {
    id: "timeline",
    title: "Memory by category over time",
    how: "As torch.profiler told tensors apart.",
    body: <CategoryTimeline snapshot={snapshot} source={changes} />,
  };
}
