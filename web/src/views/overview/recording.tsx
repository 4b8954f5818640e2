// What limits all that the report can say: the verdicts on the recording, before the findings.

import {visible} from "../../model/text";
import {inMicros} from "../../model/vocabulary";

interface Verdicts {
  readonly grave: readonly string[] | undefined;
  readonly others: readonly string[] | undefined;
}

// The grave ones are read before anything else; several others are one line that opens.
export function RecordingVerdicts({grave = [], others = []}: Verdicts) {
  const said = (text: string, kind: string) => (
    <p key={text} class={kind} role="note">
      {inMicros(visible(text))}
    </p>
  );
  const [only] = others;
  return (
    <>
      {grave.map((text) => said(text, "warnings recording-verdict"))}
      {others.length === 1 && only !== undefined ? (
        said(only, "recording-verdict muted")
      ) : others.length > 1 ? (
        <details class="recording-verdicts">
          <summary>{`${others.length}${grave.length > 0 ? " more" : ""} verdicts on the recording`}</summary>
          {others.map((text) => said(text, "recording-verdict"))}
        </details>
      ) : null}
    </>
  );
}
