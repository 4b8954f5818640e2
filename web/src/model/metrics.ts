// Numbers that a job tells of itself: loss, learning rate, tokens per second. No DOM.

import type {Sample} from "@made/api_types";

export interface Series {
  readonly name: string;
  readonly who: string; // "" of the whole job
  readonly unit: string;
  readonly hasSteps: boolean;
  readonly x: readonly number[]; // steps, else seconds from the first sample of all
  readonly values: readonly number[];
}

// By name, and of each those of the whole job first.
export function seriesOf(samples: readonly Sample[]): Series[] {
  const [first] = samples;
  if (first === undefined) return [];
  const begin = samples.reduce(
    (least, one) => (BigInt(one.time) < least ? BigInt(one.time) : least),
    BigInt(first.time),
  );
  const found = new Map<string, Sample[]>();
  for (const one of samples) {
    const key = JSON.stringify([one.name, one.rank ?? null, one.host ?? null]);
    const list = found.get(key);
    if (list) list.push(one);
    else found.set(key, [one]);
  }
  return [...found.values()]
    .map((list) => {
      const [one] = list;
      // Steps that run backwards are a job that began again: then time is what goes on.
      const hasSteps = list.every(
        (sample, i) => sample.step !== undefined && (i === 0 || sample.step > (list[i - 1]?.step ?? -Infinity)),
      );
      return {
        name: one?.name ?? "",
        who: [one?.rank === undefined ? "" : `rank ${one.rank}`, one?.host ?? ""].filter(Boolean).join(", "),
        unit: one?.unit ?? "",
        hasSteps,
        x: list.map((sample) => (hasSteps ? (sample.step ?? 0) : Number(BigInt(sample.time) - begin) / 1e9)),
        values: list.map((sample) => sample.value),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name) || a.who.localeCompare(b.who, "en", {numeric: true}));
}

// "loss" of the whole job, else what is called something like it.
export function lossOf(series: readonly Series[]): Series | null {
  const called = (test: (name: string) => boolean) =>
    series.find((one) => one.who === "" && test(one.name.toLowerCase()));
  return (
    called((name) => name === "loss") ??
    called((name) => /(^|[/_. ])loss$/.test(name)) ??
    called((name) => name.includes("loss")) ??
    null
  );
}
