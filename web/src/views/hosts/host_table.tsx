// All hosts, the worst first: a row for each, its devices as a strip, opened to a row for each device.

import {Component} from "preact";
import {useEffect, useState} from "preact/hooks";
import {visible} from "../../model/text";
import {grouped} from "../../model/format";
import {clockText, type Host, healthOf, silence, summed} from "../../model/hosts";
import {DeviceStrip} from "./device_strip";
import {Head, type HeadColumn} from "./head";
import {degrees, HostDetail, memoryText, share, watts} from "./host_detail";
import type {HostsState} from "./state";

// So many rows at a time, so that what is above can be read while the rest is made; and so many at all, below which find-in-page works.
const slice = 50;
const mostRows = 1000;

const columns: readonly HeadColumn[] = [
  {label: "choose", doc: "Choose hosts to capture on them alone", isUnseen: true},
  {label: "host", doc: "As its agent calls it (host.name); opens to its devices and processes"},
  {label: "devices", doc: "A cell for each, the darker the busier; a triangle is degraded, a cross failed"},
  {label: "what is wrong", doc: "Verdicts that are not ok, with the readings that they follow from"},
  {
    label: "busy",
    doc: "Share of the time in which at least one kernel ran, over the agent's last interval: the mean of its devices",
    isNumber: true,
  },
  {label: "power", doc: "Of all its devices together, at the last reading", isNumber: true},
  {label: "hottest", doc: "The highest temperature of its devices", isNumber: true},
  {label: "memory", doc: "Device memory in use, of all that its devices have", isNumber: true},
  {label: "processes", doc: "Training processes that ask its agent for work: they can be captured", isNumber: true},
  {
    label: "clock",
    doc: "How far its clock is ahead of the server's; captures allow for it. What is within the uncertainty is no offset",
  },
  {label: "agent", doc: "When the agent was heard of, and its version"},
];

function wrong(host: Host): string {
  const bad = host.devices.filter((device) => healthOf(device) === "failed" || healthOf(device) === "degraded");
  return bad
    .map(
      (device) =>
        `device ${device.index} ${healthOf(device) === "failed" ? "has failed" : "is degraded"}${device.reasons.length === 0 ? "" : `: ${device.reasons.join(", ")}`}`,
    )
    .join("; ");
}

interface RowProps {
  readonly host: Host;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly state: HostsState;
}

// Of an unchanged host nothing is done: there may be a thousand.
class HostRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return next.host !== this.props.host || next.isOpen !== this.props.isOpen || next.isChosen !== this.props.isChosen;
  }
  override render({host, isOpen, isChosen, state}: RowProps) {
    const sums = summed(host.devices);
    const name = visible(host.host);
    const problem = visible(wrong(host));
    const recording = host.processes.filter((one) => one.recording).length;
    return (
      <>
        <tr role="row" data-host={host.host} class={host.here ? undefined : "gone"}>
          <td role="cell">
            {state.mayCapture && host.here && host.processes.length > 0 ? (
              <input
                type="checkbox"
                aria-label={`Choose ${name}`}
                checked={isChosen}
                onChange={() => state.toggleChosen(host.host)}
              />
            ) : null}
          </td>
          <td role="cell" class="name">
            <button type="button" class="link" aria-expanded={isOpen} onClick={() => state.toggleOpen(host.host)}>
              {name}
            </button>
          </td>
          <td role="cell">
            <DeviceStrip devices={host.devices} />
          </td>
          <td role="cell" class="text problem" title={problem}>
            {host.here ? null : <b>gone </b>}
            {problem.length > 200 ? `${problem.slice(0, 199)}\u2026` : problem}
          </td>
          <td role="cell" class="number">
            {share(sums.busy)}
          </td>
          <td role="cell" class="number">
            {watts(sums.power_watts)}
          </td>
          <td role="cell" class="number">
            {degrees(sums.hottest_celsius)}
          </td>
          <td role="cell" class="number">
            {memoryText(sums.memory_used_bytes, sums.memory_total_bytes)}
          </td>
          <td role="cell" class="number">
            {host.processes.length}
            {recording > 0 ? <span class="muted"> {recording} recording</span> : null}
          </td>
          <td role="cell" class="word">
            {clockText(host)}
          </td>
          <td role="cell" class="word">
            {host.here ? "here" : `${silence(host.silent_ms)} ago`},{" "}
            <span class="muted">{visible(host.version ?? "")}</span>
          </td>
        </tr>
        {isOpen ? (
          <tr role="row" class="host-open">
            <td role="cell" />
            <td role="cell">
              <HostDetail host={host} />
            </td>
          </tr>
        ) : null}
      </>
    );
  }
}

export function HostTable({state}: {readonly state: HostsState}) {
  const [count, setCount] = useState(slice);
  const found = state.found.value;
  const most = Math.min(found.length, mostRows);
  const shown = Math.min(count, most);
  const isLoading = state.loading.value === "loading";
  useEffect(() => {
    state.isDrawn.value = !isLoading && shown >= most;
    if (shown >= most) return undefined;
    const timer = setTimeout(() => setCount(shown + slice), 0);
    return () => clearTimeout(timer);
  }, [shown, most, isLoading]);
  const all = state.hosts.value.length;
  return (
    <section aria-labelledby="hosts-title">
      <h2 id="hosts-title">Hosts</h2>
      <div class="tools" role="search">
        <input
          type="search"
          placeholder="Host, job, user, reason"
          aria-label="Filter the hosts"
          value={state.wanted.value}
          onInput={(event) => {
            state.wanted.value = event.currentTarget.value;
          }}
        />
        <span class="muted" role="status">
          {found.length > mostRows ? `the first ${grouped(mostRows)} of ` : ""}
          {grouped(found.length)} of {grouped(all)} {all === 1 ? "host" : "hosts"}
        </span>
        {state.chosen.value.size === 0 ? null : (
          <button
            type="button"
            onClick={() => {
              state.form.value = jobOf(state) ?? "";
            }}
          >{`Capture on ${state.chosen.value.size === 1 ? "the chosen host" : `the ${state.chosen.value.size} chosen hosts`}`}</button>
        )}
        <ul class="legend device-legend">
          <li>
            <i class="cell heat-0" />
            idle
          </li>
          <li>
            <i class="cell heat-4" />
            busy
          </li>
          <li>
            <b class="degraded">{"\u25b2"}</b> degraded
          </li>
          <li>
            <b class="failed">{"\u2715"}</b> failed
          </li>
        </ul>
      </div>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Table of hosts">
        <table class="hosts-table" role="table" aria-label="Hosts, the worst first">
          <Head columns={columns} isGrid />
          <tbody role="rowgroup">
            {found.slice(0, shown).map((host) => (
              <HostRow
                key={host.host}
                host={host}
                state={state}
                isOpen={state.open.value.has(host.host)}
                isChosen={state.chosen.value.has(host.host)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && all > 0 ? <p class="muted">No host is like that.</p> : null}
    </section>
  );
}

// The job of the chosen hosts, if it is one.
function jobOf(state: HostsState): string | null {
  const jobs = new Set(
    state.hosts.value
      .filter((host) => state.chosen.value.has(host.host))
      .flatMap((host) => host.processes.map((one) => one.job ?? "")),
  );
  const [only] = jobs;
  return jobs.size === 1 && only !== undefined ? only : null;
}
