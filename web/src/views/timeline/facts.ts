// What the run's tables say of it: its steps, where each rank is in the layout, the file of each capture.

import {signal} from "@preact/signals";
import {getTable, type Rows} from "../../model/api";
import {type StepTime, stepsIn} from "../../model/run_pair";
import type {TimelineStore} from "../../model/timeline_store";
import {type Dimension, dimensions} from "./address";

// Of each rank its coordinates along the dimensions in which ranks differ.
export type Layout = ReadonlyMap<number, Partial<Record<Dimension, string | number | null>>>;

function columnOf(rows: Rows, name: string): number {
  return rows.columns.findIndex((one) => one.name === name);
}

export function layoutIn(rows: Rows): {readonly differing: readonly Dimension[]; readonly layout: Layout} {
  const differing = dimensions.filter((name) => {
    const at = columnOf(rows, name);
    return at >= 0 && new Set(rows.rows.map((row) => row[at])).size > 1;
  });
  const value = (row: Rows["rows"][number], name: Dimension) => {
    const found = row[columnOf(rows, name)];
    return typeof found === "string" || typeof found === "number" ? found : null;
  };
  const rank = columnOf(rows, "rank");
  const layout = new Map(
    rows.rows.map((row) => [Number(row[rank]), Object.fromEntries(differing.map((name) => [name, value(row, name)]))]),
  );
  return {differing, layout};
}

// "pp1 dp3".
function placeOf(at: Partial<Record<Dimension, string | number | null>>, differing: readonly Dimension[]): string {
  return differing
    .filter((name) => name !== "host")
    .map((name) => `${name}${at[name] ?? "?"}`)
    .join(" ");
}

export class TimelineFacts {
  readonly steps = signal<readonly StepTime[]>([]);
  readonly places = signal<ReadonlyMap<number, string>>(new Map()); // of ranks in the layout
  readonly layout = signal<Layout>(new Map());
  readonly differing = signal<readonly Dimension[]>([]);
  readonly files = signal<ReadonlyMap<string, string>>(new Map()); // by "RANK/CAPTURE"
  private loading: Promise<void> = Promise.resolve();

  constructor(private readonly store: TimelineStore) {}

  load(): void {
    this.loading = this.ask();
  }
  // Until all of it is here.
  whenLoaded(): Promise<void> {
    return this.loading;
  }

  // The first, where a rank was captured more often.
  captureOf(rank: number): number {
    return this.store.info.captures.find(([of]) => of === rank)?.[1] ?? 0;
  }
  fileOf(rank: number, capture: number): string | undefined {
    return this.files.value.get(`${rank}/${capture}`);
  }

  private async ask(): Promise<void> {
    const [steps, layout, captures] = await Promise.all(
      ["job_steps", "layout_ranks", "captures"].map((name) => getTable(this.store.run, name).catch(() => null)),
    );
    if (steps) this.steps.value = stepsIn(steps);
    if (layout) {
      const found = layoutIn(layout);
      this.differing.value = found.differing;
      this.layout.value = found.layout;
      this.places.value = new Map([...found.layout].map(([rank, at]) => [rank, placeOf(at, found.differing)]));
    }
    if (captures)
      this.files.value = new Map(
        captures.rows.map((row) => [
          `${row[columnOf(captures, "rank")]}/${row[columnOf(captures, "capture")]}`,
          String(row[columnOf(captures, "file")]).replace(/^TRACES\//, ""),
        ]),
      );
  }
}
