// Where threads waited while they did not run, in windows of offcpu.

import {sorted} from "../../model/order";
import type {Report} from "../../model/report";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {ByWindow, StackFlames} from "./shared";

export function snoopWaitsSection(report: Report): Section | null {
  const threads = report.table("snoop_threads");
  if (threads.empty) return null;
  const waits = report.table("snoop_waits");
  const ofThreads = [
    plain(threads, "rank"),
    plain(threads, "thread"),
    plain(threads, "name", "name", "name"),
    plain(threads, "lived_ns", "lived"),
    plain(threads, "on_cpu_ns", "on a core"),
    plain(threads, "sleeping_ns", "sleeping"),
    plain(threads, "disk_ns", "disk"),
    plain(threads, "runnable_ns", "no core"),
    plain(threads, "other_ns", "stopped"),
  ];
  const ofWaits = [
    plain(waits, "rank"),
    plain(waits, "total_ns", "in all"),
    plain(waits, "count", "waits"),
    plain(waits, "longest_ns", "longest"),
    plain(waits, "threads"),
    plain(waits, "waited_for", "for", "word"),
    plain(waits, "reason", "reason", "word"),
    plain(waits, "place", "place", "name"),
  ];
  return {
    id: "snoop-waits",
    title: "Waits of threads, seen from outside",
    tables: ["snoop_threads", "snoop_waits"],
    how: "Between switches of the scheduler, while rankscope-agent offcpu looked: the times of a thread sum to what it lived. No core: it could run and had none. Below, waits are as wide as their time, over all threads.",
    body: (
      <ByWindow report={report} source={threads}>
        {(rows, window) => {
          const found = waits.where("window", window);
          return (
            <>
              <DataTable columns={ofThreads} rows={rows} most={12} />
              {found.length === 0 ? (
                <p class="empty">No thread waited.</p>
              ) : (
                <>
                  <h4>Waits by stack</h4>
                  <StackFlames
                    name="Waits by stack"
                    source={waits}
                    rows={found}
                    weight="total_ns"
                    unit="ns"
                    label="waited"
                    last="waited_for"
                    lastLabel="waited for"
                  />
                  <DataTable
                    columns={ofWaits}
                    rows={sorted(found, (row) => waits.number(row, "total_ns"), true)}
                    most={12}
                  />
                  <Details source={waits} columns={[...ofWaits, plain(waits, "stack", "stack", "text")]} rows={found} />
                </>
              )}
            </>
          );
        }}
      </ByWindow>
    ),
  };
}
