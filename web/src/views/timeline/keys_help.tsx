// Which keys there are, and where they work.

import {keepKeysEverywhere} from "./keys";
import type {TimelineState} from "./state";

const keys = [
  ["W S", "zoom"],
  ["A D", "pan"],
  ["F", "fit what is chosen, or all"],
  ["Home", "show all"],
  ["\u2191 \u2193", "the row above, the row below"],
  ["Enter", "open or close the row; of a stream or thread its first event"],
  ["M", "leave a mark here"],
  ["Shift+M", "add up between two marks"],
  ["P, H", "pin the row, hide it (Shift+H: show all)"],
  ["Shift+\u2191 \u2193", "move the row"],
  ["right click, \u2263", "what can be done with a row"],
  [". ,", "the next event of the row or the list, the one before"],
  ["[ ]", "to its launch or forward op, and back"],
  ["/", "search"],
  ["Ctrl+K, :", "commands: pages, ranks, findings, what to do"],
  ["Esc", "clear"],
  ["drag", "add up an area"],
  ["Shift+drag", "pan"],
  ["Ctrl+wheel", "zoom"],
  ["Shift+wheel", "pan"],
  ["click a rank", "its streams and threads"],
  ["click a group", "fold and unfold it"],
  ["click the ruler\u2019s lower edge", "a finding\u2019s steps"],
] as const;

export function KeysHelp({state}: {readonly state: TimelineState}) {
  return (
    <details id="timeline-keys" class="keys">
      <summary>Keys</summary>
      <label>
        <input
          id="timeline-keys-everywhere"
          type="checkbox"
          checked={state.keysEverywhere.value}
          onChange={(event) => {
            state.keysEverywhere.value = event.currentTarget.checked;
            keepKeysEverywhere(event.currentTarget.checked);
          }}
        />{" "}
        Keys work anywhere outside of text fields; otherwise only in the picture
      </label>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
