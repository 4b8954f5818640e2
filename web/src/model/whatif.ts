// Changes to a job, as `rankscope whatif` takes them. No DOM.

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: "rank" | "number" | "text" | "choice";
  readonly choices?: readonly string[];
  readonly start: string;
}
export interface ChangeForm {
  readonly id: string;
  readonly words: string;
  readonly fields: readonly Field[];
  readonly text: (values: Readonly<Record<string, string>>) => string;
}

export const changeForms: readonly ChangeForm[] = [
  {
    id: "rank",
    words: "a rank is as fast as its peers",
    fields: [{name: "rank", label: "rank", kind: "rank", start: "0"}],
    text: (of) => `idealise:rank=${of["rank"]}`,
  },
  {
    id: "scale",
    words: "scale the time of a kind of work",
    fields: [
      {
        name: "kind",
        label: "",
        kind: "choice",
        choices: ["communication", "compute", "host", "copy"],
        start: "communication",
      },
      {name: "factor", label: "times", kind: "number", start: "0.5"},
    ],
    text: (of) => `scale:kind=${of["kind"]},factor=${of["factor"]}`,
  },
  {
    id: "remove",
    words: "remove a cost",
    fields: [
      {
        name: "kind",
        label: "",
        kind: "choice",
        choices: ["sync", "data", "gc", "checkpoint", "compile", "allocator", "copies", "launches"],
        start: "sync",
      },
    ],
    text: (of) => `remove:kind=${of["kind"]}`,
  },
  {
    id: "op",
    words: "an op always takes its median",
    fields: [{name: "op", label: "op", kind: "text", start: "aten::mm"}],
    text: (of) => `idealise:op=${of["op"]}`,
  },
  {
    id: "stage",
    words: "a pipeline stage is as fast as the others",
    fields: [{name: "stage", label: "stage", kind: "number", start: "0"}],
    text: (of) => `idealise:stage=${of["stage"]}`,
  },
  {id: "balance", words: "all ranks compute equally long", fields: [], text: () => "balance"},
  {id: "overlap", words: "communication hides behind computing", fields: [], text: () => "overlap"},
  {
    id: "microbatches",
    words: "the pipeline does the step in more micro-batches",
    fields: [{name: "count", label: "how many", kind: "number", start: "8"}],
    text: (of) => `microbatches:count=${of["count"]}`,
  },
];

// The cause of a finding is gone.
export function cureOf(finding: string): string {
  return `cure:finding=${finding}`;
}

export interface Prediction {
  readonly step_ns: number;
  readonly changed_ns: number;
  readonly gain_pct: number;
  readonly confidence: number | null;
}

// The last row is that of all changes together.
export function predictionOf(answer: {
  readonly columns: readonly {readonly name: string}[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}): Prediction | null {
  const row = answer.rows.at(-1);
  const get = (name: string) => row?.[answer.columns.findIndex((column) => column.name === name)];
  const [step, changed, gain, confidence] = ["step_ns", "changed_ns", "gain_pct", "confidence"].map(get);
  if (typeof step !== "number" || typeof changed !== "number" || typeof gain !== "number") return null;
  return {
    step_ns: step,
    changed_ns: changed,
    gain_pct: gain,
    confidence: typeof confidence === "number" ? confidence : null,
  };
}

// The address keeps them; they are checked by the server.
export function changesOf(search: string): string[] {
  return new URLSearchParams(search)
    .getAll("change")
    .filter((one) => one.length < 300)
    .slice(0, 20);
}
export function searchOf(changes: readonly string[]): string {
  return changes.length === 0
    ? ""
    : `?${changes.map((one) => `change=${encodeURIComponent(one).replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",")}`).join("&")}`;
}
