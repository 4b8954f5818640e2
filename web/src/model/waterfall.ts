// The course of a request: what its record tells of where its time went, and the steps of the engine meanwhile.

import type {Table} from "./report";

export interface Stretch {
  readonly id: string; // a stage; "unknown": what its stages leave of it
  readonly begin: number; // since it came
  readonly end: number;
  // How long it is is known, where in the request it lies is not.
  readonly isSomewhere: boolean;
}
export interface Course {
  readonly total: number;
  readonly stretches: readonly Stretch[];
}

// Queue, prefill and decode follow each other from the arrival on. What lies around the engine (frontend, network) is before, between and
// behind them; a record has its sum. Of a service they are queue, read, handler and send; locks lie somewhere in the handler. Null: its time is
// not known.
export function courseOf(source: Table, row: number): Course | null {
  const part = (name: string) => source.number(row, `${name}_ns`);
  const [queue, prefill, decode, first] = [part("queue"), part("prefill"), part("decode"), part("first_token")];
  const network = part("network");
  const handler = part("handler");
  // What no hook saw of a service's request is in none of its parts.
  const known = (["queue", "read", "lock", "handler", "send"] as const).reduce(
    (sum, name) => sum + (part(name) ?? 0),
    0,
  );
  const whole = part("e2e") ?? (handler === null ? null : known);
  if (whole === null) return null;
  const total = whole + Math.max(0, network ?? 0);
  const stretches: Stretch[] = [];
  let at = 0;
  const add = (id: string, length: number | null, isSomewhere = false) => {
    if (length === null || length <= 0) return;
    const end = Math.min(total, at + length);
    stretches.push({id, begin: at, end, isSomewhere});
    at = end;
  };
  if (handler !== null) {
    add("queue", queue);
    add("read", part("read"));
    add("lock", part("lock"), true);
    add("handler", handler);
    add("send", part("send"));
  } else if (queue !== null && prefill !== null) {
    add("queue", queue);
    add("prefill", prefill);
  } else if (queue !== null) {
    add("queue", queue);
    add("first_token", first === null ? null : first - queue);
  } else add("first_token", first);
  add("decode", decode);
  add("frontend", part("frontend"), true);
  add("network", network, true);
  // A millionth is what rounding leaves.
  if (total - at > total * 1e-6) add(stretches.length === 0 ? "response" : "unknown", total - at, stretches.length > 0);
  return {total, stretches};
}

export interface Step {
  readonly begin: number; // since the request came
  readonly end: number;
  readonly kind: string;
  readonly context: number;
  readonly generation: number;
}

// The steps that overlap it, by their begins.
export function stepsOf(source: Table, arrival: number, total: number): Step[] {
  const steps: Step[] = [];
  for (const row of source.rows()) {
    const end = source.number(row, "time_ns");
    const took = source.number(row, "elapsed_ns");
    if (end === null || took === null || end <= arrival || end - took >= arrival + total) continue;
    steps.push({
      begin: end - took - arrival,
      end: end - arrival,
      kind: source.text(row, "kind"),
      context: source.amount(row, "context_requests"),
      generation: source.amount(row, "generation_requests"),
    });
  }
  return steps.sort((a, b) => a.begin - b.begin);
}

// Whether moments of steps tell them apart. vLLM's log has whole seconds, in which a hundred steps end "at once": where a tenth of them ends
// with the one before, they cannot be placed.
export function canPlace(steps: readonly Step[]): boolean {
  const ends = steps.map((step) => step.end).sort((a, b) => a - b);
  const equal = ends.filter((end, i) => i > 0 && end === ends[i - 1]).length;
  return equal * 10 <= steps.length;
}

export interface Steps extends Step {
  readonly count: number;
}
// Of many steps one for each stretch of a `most`-th of the time: of the kind that takes most of it, with the greatest batch of all.
export function merged(steps: readonly Step[], total: number, most: number): Steps[] {
  if (steps.length <= most) return steps.map((step) => ({...step, count: 1}));
  const bins = new Map<number, Step[]>();
  for (const step of steps) {
    const bin = Math.floor((((step.begin + step.end) / 2) * most) / total);
    const found = bins.get(bin);
    if (found === undefined) bins.set(bin, [step]);
    else found.push(step);
  }
  return [...bins.values()].map((own) => {
    const times = new Map<string, number>();
    for (const {kind, begin, end} of own) times.set(kind, (times.get(kind) ?? 0) + end - begin);
    const [[kind] = ["", 0]] = [...times].sort((a, b) => b[1] - a[1]);
    return {
      begin: Math.min(...own.map((step) => step.begin)),
      end: Math.max(...own.map((step) => step.end)),
      kind,
      context: Math.max(...own.map((step) => step.context)),
      generation: Math.max(...own.map((step) => step.generation)),
      count: own.length,
    };
  });
}
