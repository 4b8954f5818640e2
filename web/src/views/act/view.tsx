// Below a finding's change: how much of the promise is to be expected, the patch, and the job run again.

import type {ExpectedGain, Patch, RunAgain, SecondRun} from "@made/api_types";
import {useState} from "preact/hooks";
import {addressOfPatch, launchAgain} from "../../model/api";
import {human, humanDuration, plural} from "../../model/format";
import {toCompare, toRun} from "../../model/routes";
import {problemOf, visible} from "../../model/text";
import {CommandLine, Copy, LaunchButton} from "../shared/commands";
import type {ActState} from "./state";

const kinds: Readonly<Record<string, string>> = {"+": "added", "-": "removed", "@": "place", "#": "why"};

// The signs at the begin of lines say what the colours say.
function Diff({text}: {readonly text: string}) {
  return (
    <pre class="diff" tabIndex={0} aria-label="The patch">
      {text.split("\n").map((line, i) => (
        <code key={i} class={/^(\+\+\+|---) /.test(line) ? "place" : kinds[line[0] ?? ""]}>
          {visible(line)}
        </code>
      ))}
    </pre>
  );
}

function place({file, line}: Patch["left"][number]): string {
  return file === null ? "" : `${visible(file)}${line === null ? "" : `:${line}`}: `;
}

function PatchText({
  state,
  finding,
  patch,
}: {
  readonly state: ActState;
  readonly finding: string;
  readonly patch: Patch;
}) {
  return (
    <>
      {patch.nothing === null ? null : <p>{visible(patch.nothing)}</p>}
      {patch.diff === "" ? null : (
        <>
          <Diff text={patch.diff} />
          <p class="tools">
            <Copy text={patch.diff} />
            <a href={addressOfPatch(state.run.id, finding)} download={`${finding}.patch`}>
              Download
            </a>
            <span class="muted">git apply {finding}.patch</span>
          </p>
        </>
      )}
      {patch.left.length === 0 ? null : (
        <>
          <p>To be changed by hand:</p>
          <ul class="left">
            {patch.left.map((left, i) => (
              <li key={i}>
                {place(left)}
                {visible(left.why)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function PatchPart({state, finding}: {readonly state: ActState; readonly finding: string}) {
  const [patch, setPatch] = useState<Patch | null>(null);
  const [problem, setProblem] = useState("");
  const show = () => {
    if (patch === null)
      state.patchFor(finding).then(
        (made) => {
          setPatch(made);
          setProblem("");
        },
        (error: unknown) => setProblem(problemOf(error)),
      );
  };
  return (
    <details class="patch" onToggle={(event) => event.currentTarget.open && show()}>
      <summary>Patch</summary>
      {problem !== "" ? (
        <p class="wrong" role="alert">
          {problem}
        </p>
      ) : patch === null ? (
        <p class="muted">The code is read {"\u2026"}</p>
      ) : (
        <PatchText state={state} finding={finding} patch={patch} />
      )}
    </details>
  );
}

function Expected({expected}: {readonly expected: ExpectedGain}) {
  const {measured, of_model: ofModel} = expected;
  const model = ofModel === 0 ? "" : ofModel === measured ? ", of this model" : `, ${ofModel} of them of this model`;
  return (
    <p class="expected">
      Expect <b>{human(expected.expected_pct, "%")}</b>
      {` rather than ${human(expected.promised_pct, "%")}: `}
      {`${plural(measured, "change")} for this cause ${measured === 1 ? "was" : "were"} measured${model}.`}
    </p>
  );
}

// "19.5 ms a step, 19.0% less; 20.2% were promised"
function resultWords({step_ns: step, gain_pct: gain, promised_pct: promised, state}: SecondRun): string {
  if (step === null || gain === null) return state === "ready" ? "its steps are not known" : state;
  const change = gain >= 0 ? `${human(gain, "%")} less` : `${human(-gain, "%")} more`;
  return `${humanDuration(step)} a step, ${change}${promised === null ? "" : `; ${human(promised, "%")} promised`}`;
}

function SecondRuns({base, runs}: {readonly base: string; readonly runs: readonly SecondRun[]}) {
  return (
    <ul class="second-runs" aria-label="Runs with a change for this">
      {runs.map((run) => (
        <li key={run.id} data-run={run.id}>
          <a href={toRun(run.id)}>{visible(run.name || run.id)}</a>
          {`: ${resultWords(run)} `}
          {run.state === "ready" ? <a href={toCompare(base, run.id)}>Compare</a> : null}
        </li>
      ))}
    </ul>
  );
}

function AgainPart({
  state,
  finding,
  again,
}: {
  readonly state: ActState;
  readonly finding: string;
  readonly again: RunAgain;
}) {
  const runs = again.runs.filter((run) => run.finding === finding);
  const command = [again.environment, again.command].filter((part) => part !== null && part !== "").join(" ");
  return (
    <>
      {runs.length === 0 ? null : <SecondRuns base={state.run.id} runs={runs} />}
      <details class="again">
        <summary>Run again</summary>
        {again.can_launch ? <LaunchButton label="Run again" launch={() => launchAgain(state.run.id, finding)} /> : null}
        <p>
          {command === "" ? "Run the job with the change and record it" : "Run and record"}
          {"; with these tags the comparison comes to this place:"}
        </p>
        {command === "" ? null : <CommandLine text={command} />}
        <CommandLine text={`${again.push} --tag finding=${finding}`} />
      </details>
    </>
  );
}

export function Act({state, finding}: {readonly state: ActState; readonly finding: string}) {
  const again = state.again.value;
  const expected = again?.expected.find((one) => one.finding === finding);
  return (
    <div class="act">
      {expected === undefined ? null : <Expected expected={expected} />}
      {state.mayHaveCode ? <PatchPart state={state} finding={finding} /> : null}
      {state.problem.value === "" ? null : <p class="wrong">{state.problem.value}</p>}
      {again === null ? null : <AgainPart state={state} finding={finding} again={again} />}
    </div>
  );
}
