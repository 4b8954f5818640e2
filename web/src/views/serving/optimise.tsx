// Better settings for a serving program, on a server: how they are searched, the searches there are, and where its operator has set one
// up, the button that begins one.

import type {RunTuning} from "@made/api_types";
import {useEffect, useState} from "preact/hooks";
import {getTuning, launchTuning} from "../../model/api";
import {toRun} from "../../model/routes";
import {problemOf, visible} from "../../model/text";
import {CommandLine, LaunchButton} from "../shared/commands";

function Searches({tuning}: {readonly tuning: RunTuning}) {
  return tuning.runs.length === 0 ? null : (
    <ul class="second-runs" aria-label="Searches for better settings">
      {tuning.runs.map((one) => (
        <li key={one.id} data-run={one.id}>
          <a href={toRun(one.id)}>{visible(one.name || one.id)}</a>
          {`: ${visible(one.headline ?? one.state)}`}
        </li>
      ))}
    </ul>
  );
}

export function Optimise({run}: {readonly run: string}) {
  const [tuning, setTuning] = useState<RunTuning | null>(null);
  const [problem, setProblem] = useState("");
  const load = () => {
    getTuning(run).then(setTuning, (error: unknown) => setProblem(problemOf(error)));
  };
  useEffect(load, [run]);
  if (problem !== "")
    return (
      <p class="wrong" role="alert">
        {problem}
      </p>
    );
  if (tuning === null) return <p class="muted">Asked {"\u2026"}</p>;
  return (
    <>
      <Searches tuning={tuning} />
      {tuning.can_launch ? <LaunchButton label="Optimise" launch={() => launchTuning(run)} done={load} /> : null}
      <p class="muted">
        {tuning.can_launch ? "Or where the program can be started:" : "Where the program can be started:"}
      </p>
      <CommandLine text={tuning.command} />
    </>
  );
}
