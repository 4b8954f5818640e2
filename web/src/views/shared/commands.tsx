// Commands to be copied, and buttons that have the server start what its operator has set up.

import {useRef, useState} from "preact/hooks";
import {copyText} from "../../draw/save";
import {problemOf, visible} from "../../model/text";
import {useAnswer} from "./use_answer";

export function Copy({text}: {readonly text: string}) {
  const [said, say] = useAnswer("Copy");
  return (
    <button type="button" onClick={() => void copyText(text).then((isDone) => say(isDone ? "Copied" : "Select it"))}>
      {said}
    </button>
  );
}

export function CommandLine({text}: {readonly text: string}) {
  return (
    <div class="command">
      <code>{visible(text)}</code>
      <Copy text={text} />
    </div>
  );
}

// `launch` answers with what the operator's program said.
export function LaunchButton({
  label,
  launch,
  done,
}: {
  readonly label: string;
  readonly launch: () => Promise<string>;
  readonly done?: () => void;
}) {
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  // At once, whenever the button is drawn again.
  const isAsked = useRef(false);
  const ask = async () => {
    if (isAsked.current) return;
    isAsked.current = true;
    setBusy(true);
    try {
      setSaid((await launch()) || "Started.");
      setProblem("");
      done?.();
    } catch (error) {
      setProblem(problemOf(error));
    }
    isAsked.current = false;
    setBusy(false);
  };
  return (
    <p class="tools">
      <button type="button" disabled={isBusy} onClick={() => void ask()}>
        {label}
      </button>
      <span class={problem === "" ? undefined : "wrong"} role="status">
        {problem === "" ? visible(said) : problem}
      </span>
    </p>
  );
}
