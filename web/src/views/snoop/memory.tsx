// What processes allocated in windows of snoop and never freed in them: which line, how fast, and the level over time.

import {useMemo} from "preact/hooks";
import {Legend} from "../../draw/legend";
import {type Line, LineChart} from "../../draw/line_chart";
import {human} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import type {Report, Table} from "../../model/report";
import {front} from "../../model/text";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {ByWindow, StackFlames} from "./shared";

const lineColours = ["series-1", "series-2", "series-3", "series-4"];

function domainOf(source: Table, row: number): string {
  return `${source.text(row, "level")}, ${source.text(row, "memory")}`;
}

// Live bytes of the window: a line for each level and kind of memory.
function Levels({report, window}: {readonly report: Report; readonly window: number}) {
  const source = report.table("snoop_memory_over_time");
  const made = useMemo(() => {
    const rows = source.where("window", window);
    const linesOf = new Map<string, string>();
    for (const row of rows) {
      const domain = domainOf(source, row);
      linesOf.set(domain, `${linesOf.get(domain) ?? source.text(row, "memory")} ${source.text(row, "last_bytes")}`);
    }
    // What the runtime asks the driver for is the same line twice: the first, of the highest level, is enough.
    const domains = distinct([...linesOf.values()])
      .map((line) => [...linesOf].find(([, one]) => one === line)?.[0] ?? "")
      .slice(0, lineColours.length);
    const times = distinct(rows.map((row) => source.amount(row, "ts_ns"))).sort((a, b) => a - b);
    const place = new Map(times.map((time, i) => [time, i]));
    const series = domains.map((domain, i): Line => {
      const at: (number | undefined)[] = times.map(() => undefined);
      for (const row of rows) {
        if (domainOf(source, row) === domain) at[place.get(source.amount(row, "ts_ns")) ?? 0] = row;
      }
      return {
        label: domain,
        colour: lineColours[i] ?? "series-1",
        width: 1.5,
        stepped: true,
        values: at.map((row) => (row === undefined ? null : source.number(row, "last_bytes"))),
        cell: (point) => {
          const row = at[point];
          return row === undefined ? null : source.cell(row, "last_bytes");
        },
      };
    });
    return {times, series};
  }, [source, window]);
  if (made.times.length === 0) return null;
  return (
    <>
      <h4>Live memory of the window</h4>
      <Legend entries={made.series.map((line) => [line.colour ?? "series-1", line.label])} />
      <LineChart
        name="Live memory of the window"
        unit="bytes"
        title={(i) => `at ${human(made.times[i] ?? null, "ns")}`}
        series={made.series}
        x={{label: "time from the job's origin", values: made.times, format: (value) => human(value, "ns")}}
      />
    </>
  );
}

function keptColumns(source: Table) {
  return [
    plain(source, "rank"),
    plain(source, "bytes", "kept"),
    plain(source, "bytes_per_s", "a second"),
    plain(source, "count", "allocations"),
    plain(source, "allocations", "of the stack's"),
    plain(source, "grows", "in all quarters", "word"),
    plain(source, "place", "place", "name"),
    plain(source, "call", "call", "word"),
    plain(source, "level", "level", "word"),
    plain(source, "memory", "memory", "word"),
  ];
}

// "8 kB a second stay from log_loss (train.py:19)", of the fastest that grows.
function answerOf(source: Table): string {
  const growing = sorted(
    source.rows().filter((row) => source.get(row, "grows") === true && source.get(row, "inner") !== true),
    (row) => source.number(row, "bytes_per_s"),
    true,
  );
  const [first] = growing;
  if (first === undefined) return "No stack kept what it allocates all through its window.";
  const place = source.get(first, "place") === null ? "a stack that is not known" : source.text(first, "place");
  return `${human(source.get(first, "bytes"), "bytes")} that ${front(place, 120)} allocated stay, in all quarters of the window.`;
}

export function snoopMemorySection(report: Report): Section | null {
  const memory = report.table("snoop_memory");
  if (memory.empty) return null;
  const kept = report.table("snoop_allocations");
  const failures = report.table("snoop_failures");
  const totals = [
    plain(memory, "rank"),
    plain(memory, "level", "level", "word"),
    plain(memory, "memory", "memory", "word"),
    plain(memory, "allocated_bytes", "allocated"),
    plain(memory, "freed_bytes", "freed"),
    plain(memory, "live_bytes", "kept"),
    plain(memory, "peak_bytes", "at most"),
    plain(memory, "allocations", "allocations"),
    plain(memory, "frees", "frees"),
    plain(memory, "frees_of_earlier", "frees of earlier"),
  ];
  return {
    id: "snoop-memory",
    title: "Memory, seen from outside",
    tables: ["snoop_memory", "snoop_allocations"],
    answer: answerOf(kept),
    how: "What processes allocated and freed while rankscope-agent snoop looked at them. What a window kept is a leak only where it goes on: then each quarter of the window added to it. The runtime calls the driver, so one allocation is seen at both levels, and levels are never added up.",
    body: (
      <ByWindow report={report} source={memory}>
        {(rows, window) => {
          const ofWindow = kept.where("window", window);
          const outer = ofWindow.filter((row) => kept.get(row, "inner") !== true);
          const onDevice = outer.filter((row) => kept.text(row, "memory").startsWith("device"));
          const failed = failures.where("window", window);
          return (
            <>
              <DataTable columns={totals} rows={rows} most={12} />
              <Levels report={report} window={window} />
              {outer.length === 0 ? (
                <p class="empty">All that was allocated in the window was freed in it.</p>
              ) : (
                <>
                  <h4>Allocated and never freed, by stack</h4>
                  <DataTable columns={keptColumns(kept)} rows={outer} most={12} />
                  <StackFlames
                    name="Bytes of the device that were never freed, by stack"
                    source={kept}
                    rows={onDevice}
                    weight="bytes"
                    unit="bytes"
                    label="never freed"
                  />
                  <Details
                    source={kept}
                    columns={[...keptColumns(kept), plain(kept, "stack", "stack", "text")]}
                    rows={ofWindow}
                  />
                </>
              )}
              {failed.length === 0 ? null : (
                <>
                  <h4>Allocations that failed</h4>
                  <DataTable
                    columns={[
                      plain(failures, "call", "call", "word"),
                      plain(failures, "count", "how often"),
                      plain(failures, "asked_bytes", "asked for"),
                      plain(failures, "errors", "errors", "word"),
                      plain(failures, "place", "place", "name"),
                    ]}
                    rows={failed}
                    most={12}
                  />
                </>
              )}
            </>
          );
        }}
      </ByWindow>
    ),
  };
}
