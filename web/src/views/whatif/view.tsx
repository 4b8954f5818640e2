// What if: changes to the job, and how long a step would take then, by the server's replay of all ranks.

import {useEffect, useState} from "preact/hooks";
import {front, visible} from "../../model/text";
import {whatIf} from "../../model/api";
import {humanDuration} from "../../model/format";
import {changeForms, changesOf, cureOf, type Prediction, predictionOf, searchOf} from "../../model/whatif";

function Bar({
  words,
  ns,
  most,
  what,
}: {
  readonly words: string;
  readonly ns: number;
  readonly most: number;
  readonly what: string;
}) {
  return (
    <div class="bar">
      <span class="name">{words}</span>
      <span class="track">
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect width={(ns / most) * 100} height="10" />
        </svg>
      </span>
      <span class="value" data-ns={ns} data-what={what} title={`${ns} ns`}>
        {humanDuration(ns)}
      </span>
    </div>
  );
}

function Form({add}: {readonly add: (change: string) => void}) {
  const [id, setId] = useState(changeForms[0]?.id ?? "");
  const form = changeForms.find((one) => one.id === id);
  const take = (event: SubmitEvent) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    if (form)
      add(form.text(Object.fromEntries(form.fields.map((field) => [field.name, String(said.get(field.name) ?? "")]))));
  };
  return (
    <form class="tools" onSubmit={take}>
      <label>
        What if{" "}
        <select value={id} onChange={(event) => setId(event.currentTarget.value)}>
          {changeForms.map((one) => (
            <option key={one.id} value={one.id}>
              {one.words}
            </option>
          ))}
        </select>
      </label>
      {form?.fields.map((field) => (
        <label key={`${id}/${field.name}`}>
          {field.label}
          {field.kind === "choice" ? (
            <select name={field.name} aria-label={field.label || field.name}>
              {field.choices?.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          ) : (
            <input
              name={field.name}
              aria-label={field.label}
              required
              type={field.kind === "text" ? "text" : "number"}
              step={field.name === "factor" ? "any" : "1"}
              min="0"
              defaultValue={field.start}
            />
          )}
        </label>
      ))}
      <button type="submit">Add</button>
    </form>
  );
}

// A finding of the job, whose cause can be taken away.
export interface Curable {
  readonly id: string;
  readonly who: string;
  readonly gain_ns: number | null;
}

function Findings({
  findings,
  changes,
  choose,
}: {
  readonly findings: readonly Curable[];
  readonly changes: readonly string[];
  readonly choose: (changes: readonly string[]) => void;
}) {
  if (findings.length === 0) return null;
  return (
    <fieldset class="cures">
      <legend>What if the cause of a finding were gone</legend>
      {findings.map(({id, who, gain_ns}) => {
        const change = cureOf(id);
        const isOn = changes.includes(change);
        return (
          <label key={id}>
            <input
              type="checkbox"
              name={id}
              checked={isOn}
              onChange={() => choose(isOn ? changes.filter((one) => one !== change) : [...changes, change])}
            />
            <code>{id}</code>{" "}
            <span class="muted">
              {front(who, 60)}
              {gain_ns === null ? "" : `, ${humanDuration(gain_ns)} alone`}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

export function WhatIf({run, findings}: {readonly run: string; readonly findings: readonly Curable[]}) {
  const [changes, setChanges] = useState<readonly string[]>(() => changesOf(location.search));
  const [told, setTold] = useState<Prediction | null>(null);
  const [problem, setProblem] = useState("");
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    const back = () => setChanges(changesOf(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => {
    setProblem("");
    if (changes.length === 0) return setTold(null);
    const abort = new AbortController();
    setWaiting(true);
    whatIf(run, changes, abort.signal)
      .then((answer) => {
        const prediction = predictionOf(answer);
        setTold(prediction);
        if (prediction === null) setProblem("The replay of this job predicts nothing.");
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        setTold(null);
        setProblem(error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        if (!abort.signal.aborted) setWaiting(false);
      });
    return () => abort.abort();
  }, [changes]);
  const choose = (next: readonly string[]) => {
    history.pushState(history.state, "", location.pathname + searchOf(next) + location.hash);
    setChanges(next);
  };
  // Those that are ticked above need no place of their own.
  const ticked = new Set(findings.map(({id}) => cureOf(id)));
  const others = changes.filter((one) => !ticked.has(one));
  return (
    <div class="whatif">
      <Findings findings={findings} changes={changes} choose={choose} />
      <Form
        add={(change) => {
          if (!changes.includes(change)) choose([...changes, change]);
        }}
      />
      {changes.length === 0 ? (
        <p class="muted">
          Nothing is changed. Tick a finding, or add what you think of doing, and the job is replayed with it.
        </p>
      ) : others.length === 0 ? null : (
        <ul class="changes" aria-label="Changes">
          {others.map((change) => (
            <li key={change}>
              <code>{visible(change)}</code>
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${visible(change)}`}
                onClick={() => choose(changes.filter((one) => one !== change))}
              >
                {"\u2715"}
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem)}
        </p>
      )}
      <div role="status" class={isWaiting ? "waiting" : ""}>
        {told === null ? (
          isWaiting ? (
            <p class="muted">Replaying {"\u2026"}</p>
          ) : null
        ) : (
          <>
            <p class="said">
              <b>{humanDuration(told.changed_ns)}</b> in place of {humanDuration(told.step_ns)} per step:{" "}
              {told.gain_pct >= 0 ? "\u2212" : "+"}
              {Math.abs(told.gain_pct).toFixed(1)}%
              {told.confidence === null ? "" : `; confidence ${Math.floor(told.confidence * 100)}%`}
            </p>
            <div class="result-plot">
              <Bar words="now" what="now" ns={told.step_ns} most={Math.max(told.step_ns, told.changed_ns)} />
              <Bar
                words="with these changes"
                what="changed"
                ns={told.changed_ns}
                most={Math.max(told.step_ns, told.changed_ns)}
              />
            </div>
          </>
        )}
      </div>
    </div>
  );
}
