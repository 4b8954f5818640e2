// The jobs that train now, and captures of jobs: those underway and those that are over.

import {toRun} from "../../model/routes";
import {front, visible} from "../../model/text";
import {type Capture, doneOf, isOver, progressOf} from "../../model/captures";
import {grouped, plural} from "../../model/format";
import type {HostJob} from "../../model/hosts";
import {Head, type HeadColumn} from "./head";
import type {HostsState} from "./state";

const mostRows = 100;

const jobColumns: readonly HeadColumn[] = [
  {label: "job", doc: "SLURM_JOB_ID or TORCHELASTIC_RUN_ID of its processes, and Slurm's name"},
  {label: "capture", doc: "Record a few steps on all of its hosts at once", isUnseen: true},
  {label: "user", doc: "Whose processes they are"},
  {label: "hosts", doc: "On which processes of it ask for work", isNumber: true},
  {label: "processes", doc: "That ask an agent for work, of as many as the job says it has", isNumber: true},
  {label: "recording", doc: "Processes that record a trace now", isNumber: true},
];
const captureColumns: readonly HeadColumn[] = [
  {label: "capture", doc: "The name of the run that it becomes"},
  {label: "job", doc: "Of which processes were asked"},
  {label: "of", doc: "How much of it was asked for"},
  {label: "how it goes", doc: "asking, recording, sending, done; failed or cancelled"},
  {label: "by", doc: "Whose token asked for it"},
  {label: "asked for", doc: "When"},
  {label: "run", doc: "The run of its traces", isUnseen: true},
];

function JobRow({one, state}: {readonly one: HostJob; readonly state: HostsState}) {
  const name = visible(one.name ?? (one.job === "" ? "no job named" : one.job));
  const isShort = one.world_size !== null && one.processes < one.world_size;
  return (
    <tr data-job={one.job}>
      <td class="name">
        {name}
        {one.name === null || one.job === "" ? null : <span class="muted"> {visible(one.job)}</span>}
      </td>
      <td>
        {state.mayCapture ? (
          <button
            type="button"
            aria-label={`Capture ${name}`}
            aria-pressed={state.form.value === one.job}
            onClick={() => {
              state.chosen.value = new Set();
              state.form.value = one.job;
            }}
          >
            Capture
          </button>
        ) : null}
      </td>
      <td class="word">{visible(one.user ?? "")}</td>
      <td class="number">{grouped(one.host_count)}</td>
      <td class="number">
        {isShort ? (
          <b title="Not all of its processes ask for work">{`${grouped(one.processes)} of ${grouped(one.world_size)}`}</b>
        ) : (
          grouped(one.processes)
        )}
      </td>
      <td class="number">{one.recording === 0 ? "" : grouped(one.recording)}</td>
    </tr>
  );
}

export function Jobs({state}: {readonly state: HostsState}) {
  const jobs = state.jobs.value;
  if (!state.hosts.value.some((host) => host.here)) return null;
  return (
    <section aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs</h2>
      {jobs.length === 0 ? (
        <p class="muted">
          No process asks for work. Start training with <code>KINETO_USE_DAEMON=1 python train.py</code>
        </p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Table of jobs">
          <table>
            <Head columns={jobColumns} />
            <tbody>
              {jobs.slice(0, mostRows).map((one) => (
                <JobRow key={one.job} one={one} state={state} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {jobs.length > mostRows ? (
        <p class="muted">
          The first {mostRows} of {plural(jobs.length, "job")}.
        </p>
      ) : null}
    </section>
  );
}

function CaptureRow({one, state}: {readonly one: Capture; readonly state: HostsState}) {
  const isFollowed = state.watched.value === one.id;
  return (
    <tr data-capture-row={one.id}>
      <td class="name">
        <button
          type="button"
          class="link"
          aria-expanded={isFollowed}
          onClick={() => {
            state.watched.value = isFollowed ? null : one.id;
          }}
        >
          {visible(one.name ?? "capture")}
        </button>
      </td>
      <td class="word">{visible(one.job ?? "")}</td>
      <td class="word">{one.steps > 0 ? plural(one.steps, "step") : `${grouped(one.duration_ms)} ms`}</td>
      <td class="text">
        {isOver(one.phase) ? null : (
          <progress
            value={doneOf(one)[0]}
            max={Math.max(1, doneOf(one)[1])}
            aria-label={`${one.phase}: ${progressOf(one)}`}
          />
        )}{" "}
        <span class={one.phase === "failed" ? "wrong" : undefined}>
          {one.phase === "failed" ? `\u26a0 failed: ${front(one.reason ?? "", 200)}` : progressOf(one)}
        </span>
      </td>
      <td class="word">{visible(one.user ?? "")}</td>
      <td class="word">
        <time dateTime={one.made}>{one.made.replace("T", " ").replace("Z", " UTC")}</time>
      </td>
      <td>{one.run !== null && one.phase === "done" ? <a href={toRun(one.run)}>Run</a> : null}</td>
    </tr>
  );
}

export function CaptureList({state}: {readonly state: HostsState}) {
  const captures = [...state.captures.value.values()];
  if (captures.length === 0) return null;
  const underway = captures.filter((one) => !isOver(one.phase)).length;
  return (
    <section aria-labelledby="captures-title">
      <h2 id="captures-title">Captures{underway === 0 ? "" : `: ${underway} underway`}</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Captures">
        <table>
          <Head columns={captureColumns} />
          <tbody>
            {captures.slice(0, mostRows).map((one) => (
              <CaptureRow key={one.id} one={one} state={state} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
