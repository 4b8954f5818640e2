// The difference flame graph: the call trees of both jobs laid over each other. A box is as wide as the time of both, and its
// colour says how much longer (red) or shorter (blue) it is in the second.

import {type FlameFrame, FlameGraph} from "../../draw/flame_graph";
import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {grouped, words} from "../../model/format";
import type {Diff} from "../../model/report";
import {sideNames} from "./names";
import type {Section} from "../shared/section";

// By the change as a share of the larger side.
type ChangeKind = readonly [
  id: string,
  label: (test: string) => string,
  colour: string,
  ink: string,
  fits: (share: number) => boolean,
];
const changeKinds: readonly ChangeKind[] = [
  [
    "shorter-much",
    (test) => `${test} is shorter by 25% or more, or has none of it`,
    "faster-2",
    "on-faster-2",
    (share: number) => share <= -0.25,
  ],
  ["shorter", () => "shorter by 3% or more", "faster-1", "text", (share: number) => share <= -0.03],
  [
    "longer-much",
    (test) => `longer by 25% or more, or only in ${test}`,
    "slower-2",
    "on-slower-2",
    (share: number) => share >= 0.25,
  ],
  ["longer", () => "longer by 3% or more", "slower-1", "text", (share: number) => share >= 0.03],
  ["alike", () => "about the same", "middle", "text", () => true],
];

function changeKind(base: number, test: number): string {
  const larger = Math.max(Math.abs(base), Math.abs(test));
  const share = larger > 0 ? (test - base) / larger : 0;
  return changeKinds.find(([, , , , fits]) => fits(share))?.[0] ?? "alike";
}

// "void at::native::copy<4>(...)" -> "copy": what is narrow shows its end.
function shortFrame(diff: Diff, name: string, kind: string) {
  if (kind === "idle") return (diff.words.partById.get(name) || {label: words(name)}).label;
  if (kind !== "work") return name;
  const bare = name.replace(/^void /, "").replace(/\(anonymous namespace\)::/g, "");
  const head = bare.slice(0, bare.search(/[<(]|$/));
  return (head.includes("::") ? head.slice(head.lastIndexOf("::") + 2) : head) || bare;
}

export function diffFlamesSection(diff: Diff): Section | null {
  const source = diff.table("diff_call_tree");
  const {base: from, test: to} = sideNames(diff);
  if (source.empty) return null;
  const rows = source.rows();
  const place = new Map(rows.map((row) => [source.get(row, "frame"), row]));
  const values = (row: number): [base: number, test: number] => [
    source.amount(row, "base_ns"),
    source.amount(row, "test_ns"),
  ];
  const frames = rows.map(
    (row): FlameFrame => ({
      parent: source.get(row, "parent") === null ? null : (place.get(source.get(row, "parent")) ?? null),
      name: source.text(row, "name"),
      label: shortFrame(diff, source.text(row, "name"), source.text(row, "kind")),
      kind: changeKind(...values(row)),
      isRest: false,
    }),
  );
  const lines = (row: number): TipLine[] => [
    ["", from, source.cell(row, "base_ns")],
    ["", to, source.cell(row, "test_ns")],
    ["", "change", source.cell(row, "change_ns")],
    ["", `calls in ${from}`, source.cell(row, "base_calls")],
    ["", `calls in ${to}`, source.cell(row, "test_calls")],
  ];
  const ways: readonly (readonly [label: string, of: (base: number, test: number) => number])[] = [
    ["both", (base, test) => base + test],
    [from, (base) => base],
    [to, (_, test) => test],
  ];
  const weights = ways
    .map(([label, of]) => {
      const totals = rows.map((row) => Math.max(0, of(...values(row))));
      return {label, total: (row: number) => totals[row] ?? 0, lines};
    })
    .filter((weight) => weight.total(0) > 0);
  if (weights.length === 0) return null;
  const left =
    rows.length < source.total ? (
      <p class="note">
        {`Frames that take less than 0.05% are left out (${grouped(source.total - rows.length)}); `}
        <code>{source.command}</code>
        {" has them."}
      </p>
    ) : null;
  return {
    id: "flames",
    title: "Difference flame graph",
    how: `Phase, modules, ops and kernels of both jobs, laid over each other; idle time stands with the work that it waited for. A box is as wide as its time in both together, or in one of them; red is slower in ${to}, blue faster.`,
    body: (
      <>
        <Legend entries={changeKinds.map(([, label, colourName]) => [colourName, label(to)])} />
        <FlameGraph
          name="Difference flame graph"
          frames={frames}
          kinds={Object.fromEntries(changeKinds.map(([id, , colourName]) => [id, colourName]))}
          inks={Object.fromEntries(changeKinds.map(([id, , , ink]) => [id, ink]))}
          weights={weights}
        />
        {left}
      </>
    ),
  };
}
