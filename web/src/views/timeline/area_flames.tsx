// The flame graph of an area: what its threads called, and for how long.

import {useMemo} from "preact/hooks";
import {FlameGraph, type FlameFrame, type FlameWeight} from "../../draw/flame_graph";
import {paintOfHost} from "../../draw/timeline_paint";
import type {TimelineCalls} from "../../model/api";
import {humanDuration} from "../../model/format";
import {shortFrame} from "../../model/frame_names";
import type {Cell} from "../../model/report";
import {front, visible} from "../../model/text";
import type {TimelineState} from "./state";

const kinds = ["frame-python", "frame-op", "frame-annotation", "frame-call", "frame-none"] as const;

function time(ns: number): Cell {
  return {value: ns, unit: "ns", type: "int64", id: ""};
}

// The first frame holds all others.
function framesOf(calls: TimelineCalls): readonly FlameFrame[] {
  return [
    {parent: null, name: "all", label: "all", kind: null, isRest: false},
    ...calls.frames.map(
      ({parent, name, kind}): FlameFrame => ({
        parent: parent === null ? 0 : parent + 1,
        name: visible(name === "" ? "(others)" : name),
        label: visible(name === "" ? "(others)" : shortFrame(name)),
        kind: name === "" ? null : paintOfHost(kind),
        isRest: name === "",
      }),
    ),
  ];
}
function weightOf(calls: TimelineCalls): FlameWeight {
  const total = calls.frames.reduce((sum, one) => sum + (one.parent === null ? Number(one.total_ns) : 0), 0);
  const of = (frame: number) => (frame === 0 ? total : Number(calls.frames[frame - 1]?.total_ns ?? 0));
  return {
    label: "host time",
    total: of,
    lines: (frame) => {
      const one = calls.frames[frame - 1];
      return [
        ["", "host time", time(of(frame))],
        ...(one === undefined
          ? []
          : ([
              ["", "of that its own", time(Number(one.self_ns))],
              ["", "calls", {value: one.count, unit: "", type: "int64", id: ""}],
            ] as const)),
      ];
    },
  };
}

export function AreaFlames({state}: {readonly state: TimelineState}) {
  const {isOpen, thread, found} = state.calls;
  const calls = found.value;
  const frames = useMemo(() => (calls === null ? [] : framesOf(calls)), [calls]);
  const weights = useMemo(() => (calls === null ? [] : [weightOf(calls)]), [calls]);
  return (
    <details
      class="area-flames"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>What the threads called</summary>
      {calls === null ? (
        <p class="muted">{isOpen.value ? "Adding up \u2026" : ""}</p>
      ) : frames.length < 2 ? (
        <p class="muted">No thread called anything that was recorded here.</p>
      ) : (
        <>
          <p class="tools">
            <label>
              Thread{" "}
              <select
                value={thread.value}
                onChange={(event) => {
                  thread.value = event.currentTarget.value;
                }}
              >
                <option value="">all</option>
                {calls.threads.map((one) => (
                  <option key={one.name} value={one.name}>
                    {front(one.name, 60)}, {humanDuration(Number(one.total_ns))}
                  </option>
                ))}
              </select>
            </label>
            {calls.complete ? null : <span class="muted">Not all events were looked at: there are too many.</span>}
          </p>
          <FlameGraph
            name="Flame graph of the area"
            frames={frames}
            kinds={{...Object.fromEntries(kinds.map((one) => [one, one])), none: "frame-none"}}
            weights={weights}
          />
        </>
      )}
    </details>
  );
}
