// The capture that is followed: how far it is, what is missing by name, the run that it becomes.

import {toRun} from "../../model/routes";
import {visible} from "../../model/text";
import {type CaptureDetail, isOver, missingOf, phasesOf, progressOf} from "../../model/captures";
import type {HostsState} from "./state";

const phaseWords = {
  asking: "agents are asked",
  recording: "processes record",
  snapshots: "snapshots of memory",
  sending: "files are sent",
  done: "done",
} as const;

function Phases({one}: {readonly one: CaptureDetail}) {
  const phases = phasesOf(one);
  const at = phases.findIndex((phase) => phase === one.phase);
  return (
    <ol class="phases">
      {phases.map((phase, i) => (
        <li
          key={phase}
          class={i < at || one.phase === "done" ? "past" : undefined}
          aria-current={i === at ? "step" : undefined}
        >
          {phaseWords[phase]}
        </li>
      ))}
    </ol>
  );
}

function Bar({name, value, all}: {readonly name: string; readonly value: number; readonly all: number}) {
  return (
    <label class="count">
      {name} <progress value={value} max={Math.max(1, all)} />{" "}
      <span class="number">
        {value} of {all}
      </span>
    </label>
  );
}

export function Progress({state, id}: {readonly state: HostsState; readonly id: string}) {
  const one = state.detail.value;
  const problem = state.detailProblem.value;
  const close = (
    <button
      type="button"
      class="plain"
      aria-label="Follow it no longer"
      onClick={() => {
        state.watched.value = null;
      }}
    >
      {"\u2715"}
    </button>
  );
  if (one === null)
    return (
      <section class="capture-panel" aria-label="Capture">
        <h2>
          Capture {id} {close}
        </h2>
        {problem === "" ? (
          <p class="muted">Looking it up {"\u2026"}</p>
        ) : (
          <p class="wrong" role="alert">
            {visible(problem)}
          </p>
        )}
      </section>
    );
  const {names, more} = missingOf(one);
  const over = isOver(one.phase);
  return (
    <section class="capture-panel" aria-labelledby="capture-title" data-capture={one.id} data-phase={one.phase}>
      <h2 id="capture-title">
        <span role="status">
          {visible(one.name ?? "capture")}: {progressOf(one)}
        </span>{" "}
        {close}
      </h2>
      {one.phase === "failed" || one.phase === "cancelled" ? (
        <p class={one.phase === "failed" ? "wrong" : "muted"}>{visible(one.reason ?? "")}</p>
      ) : (
        <Phases one={one} />
      )}
      {one.asked > 0 ? (
        <p class="counts">
          <Bar name="written" value={one.written} all={one.asked} />{" "}
          {one.snapshot_ms > 0 ? (
            <>
              <Bar name="snapshots" value={one.snapshots} all={one.asked} />{" "}
            </>
          ) : null}
          <Bar name="arrived" value={one.arrived} all={one.snapshot_ms > 0 ? 2 * one.asked : one.asked} />
        </p>
      ) : null}
      {one.warnings.length === 0 ? null : (
        <ul class="warnings">
          {one.warnings.slice(0, 8).map((warning) => (
            <li key={warning}>{visible(warning)}</li>
          ))}
        </ul>
      )}
      {names.length === 0 ? null : (
        <>
          <h3>{over ? "Missing" : "Not here yet"}</h3>
          <ul class="missing">
            {names.map((name) => (
              <li key={name}>{visible(name)}</li>
            ))}
            {more > 0 ? <li class="muted">and {more} more</li> : null}
          </ul>
        </>
      )}
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem)}
        </p>
      )}
      <p class="together">
        {one.run === null || !over ? null : (
          <a class="button strong" href={toRun(one.run)}>
            Open the run
          </a>
        )}
        {over || !state.mayCapture ? null : (
          <button type="button" onClick={() => void state.cancel(one.id)}>
            Cancel
          </button>
        )}
      </p>
    </section>
  );
}
