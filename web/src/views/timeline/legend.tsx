// What the colours mean.

import type {TimelineState} from "./state";

const legend = [
  ["compute", "computing"],
  ["exposed_communication", "transferring"],
  ["waiting", "waiting for other ranks"],
  ["communication_unknown", "communication, waiting or transfer unknown"],
  ["exposed_copy", "copying"],
  ["still-host", "idle: the host"],
  ["still-device", "idle: the device's gaps"],
  ["unknown", "idle: cause not known"],
  ["late", "came last to a collective"],
] as const;

function Swatch({name}: {readonly name: string}) {
  return <span class={`swatch ink-${name}`} aria-hidden="true" />;
}

export function Legend({state}: {readonly state: TimelineState}) {
  return (
    <ul class="legend">
      {legend.map(([name, words]) => (
        <li key={name}>
          <Swatch name={name} />
          {words}
        </li>
      ))}
      {state.colours.by.value === "class" ? null : (
        <li>events of open ranks: a colour for each {state.colours.by.value}; colours repeat</li>
      )}
    </ul>
  );
}
