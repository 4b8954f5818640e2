// Better settings for a serving program, on a server: how they are searched, the searches there are, and where its operator has set one
// up, the button that begins one.

import type {RunTuning} from "@made/api_types";
import {useEffect, useRef, useState} from "preact/hooks";
import {copyText} from "../../draw/save";
import {getTuning, launchTuning} from "../../model/api";
import {toRun} from "../../model/routes";
import {visible} from "../../model/text";
import {useAnswer} from "../shared/use_answer";

function problemOf(error: unknown): string {
  return visible(error instanceof Error ? error.message : String(error));
}

function Launch({run, done}: {readonly run: string; readonly done: () => void}) {
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  // At once, whenever the button is drawn again.
  const isAsked = useRef(false);
  const launch = async () => {
    if (isAsked.current) return;
    isAsked.current = true;
    setBusy(true);
    try {
      setSaid((await launchTuning(run)) || "Started.");
      setProblem("");
      done();
    } catch (error) {
      setProblem(problemOf(error));
    }
    isAsked.current = false;
    setBusy(false);
  };
  return (
    <p class="tools">
      <button type="button" disabled={isBusy} onClick={() => void launch()}>
        Optimise
      </button>
      <span class={problem === "" ? undefined : "wrong"} role="status">
        {problem === "" ? visible(said) : problem}
      </span>
    </p>
  );
}

function Command({text}: {readonly text: string}) {
  const [said, say] = useAnswer("Copy");
  return (
    <div class="command">
      <code>{visible(text)}</code>
      <button type="button" onClick={() => void copyText(text).then((isDone) => say(isDone ? "Copied" : "Select it"))}>
        {said}
      </button>
    </div>
  );
}

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
      {tuning.can_launch ? <Launch run={run} done={load} /> : null}
      <p class="muted">
        {tuning.can_launch ? "Or where the program can be started:" : "Where the program can be started:"}
      </p>
      <Command text={tuning.command} />
    </>
  );
}
