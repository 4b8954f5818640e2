// The map of all devices: a group for each rack, in it a column for each host and a cell for each device. A host leads to its row.

import {Component} from "preact";
import {visible} from "../../model/text";
import {plural} from "../../model/format";
import {type Host, healthOf} from "../../model/hosts";
import {mapSentence, type MapMeasure, meanOf, measureOf, measures, racksOf, scaleOf} from "../../model/rack_map";
import {heatOf, stripName} from "./device_strip";
import type {HostsState} from "./state";

// Of fewer hosts the table shows as much.
export const leastHosts = 8;
const mostCells = 16;
// Of more, cells are lower, and the map scrolls.
const manyHosts = 300;

interface ColumnProps {
  readonly host: Host;
  readonly measure: MapMeasure;
  readonly low: number;
  readonly high: number;
  readonly isFound: boolean;
  readonly onChoose: (host: string) => void;
}

// Of an unchanged host nothing is done: there may be thousands.
class HostColumn extends Component<ColumnProps> {
  override shouldComponentUpdate(next: ColumnProps): boolean {
    const now = this.props;
    return (
      next.host !== now.host ||
      next.measure !== now.measure ||
      next.high !== now.high ||
      next.low !== now.low ||
      next.isFound !== now.isFound
    );
  }
  override render({host, measure, low, high, isFound, onChoose}: ColumnProps) {
    const mean = meanOf([host], measure);
    const said = host.here
      ? `${stripName(host.devices)}; ${mean === null ? `${measure.label} not known` : `${measure.text(mean)} ${measure.is}`}`
      : "gone";
    const name = `${visible(host.host)}: ${said}`;
    const span = high - low;
    return (
      <button
        type="button"
        class={`rack-host${host.here ? "" : " gone"}${isFound ? "" : " faded"}`}
        title={name}
        aria-label={name}
        onClick={() => onChoose(host.host)}
      >
        {host.devices.slice(0, mostCells).map((device) => {
          const value = measure.valueOf(device);
          const health = healthOf(device);
          const isWrong = health === "failed" || health === "degraded";
          const heat = heatOf(value === null || !host.here ? null : span > 0 ? (value - low) / span : 0);
          return <i key={device.index} class={`${heat}${isWrong ? ` ${health}` : ""}`} />;
        })}
      </button>
    );
  }
}

function Scale({measure, low, high}: {readonly measure: MapMeasure; readonly low: number; readonly high: number}) {
  return (
    <span class="rack-scale">
      <span>{measure.text(low)}</span>
      {[0, 1, 2, 3, 4].map((level) => (
        <i key={level} class={`heat-${level}`} />
      ))}
      <span>{measure.text(high)}</span>
      <i class="heat-none" />
      <span>not known</span>
      <i class="heat-0 failed" />
      <span>failed</span>
      <i class="heat-0 degraded" />
      <span>degraded</span>
    </span>
  );
}

export function RackMap({state}: {readonly state: HostsState}) {
  const hosts = state.hosts.value.filter((host) => host.devices.length > 0);
  if (hosts.length < leastHosts) return null;
  const measure = measureOf(state.map.value);
  const [low, high] = scaleOf(hosts, measure);
  const racks = racksOf(hosts);
  const isDense = hosts.length > manyHosts;
  const found = new Set(state.found.value.map((host) => host.host));
  const choose = (host: string) => {
    state.wanted.value = host;
    if (!state.open.value.has(host)) state.toggleOpen(host);
  };
  return (
    <section aria-labelledby="racks-title">
      <h2 id="racks-title">{visible(mapSentence(hosts, measure))}</h2>
      <div class="tools">
        <label>
          Shown is{" "}
          <select
            value={measure.by}
            title={measure.doc}
            onChange={(event) => {
              state.map.value = event.currentTarget.value;
            }}
          >
            {measures.map((one) => (
              <option key={one.by} value={one.by}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
        <Scale measure={measure} low={low} high={high} />
      </div>
      <div
        class={isDense ? "racks dense" : "racks"}
        tabIndex={isDense ? 0 : undefined}
        role="region"
        aria-label="Map of racks"
      >
        {racks.map((rack) => {
          const mean = meanOf(rack.hosts, measure);
          const label = rack.name === null ? (racks.length === 1 ? "All hosts" : "No rack named") : visible(rack.name);
          return (
            <figure key={rack.name ?? ""}>
              <figcaption>
                {rack.name === null ? (
                  label
                ) : (
                  <button
                    type="button"
                    class="link"
                    onClick={() => {
                      state.wanted.value = rack.name ?? "";
                    }}
                  >
                    {label}
                  </button>
                )}{" "}
                <span class="muted">
                  {plural(rack.hosts.length, "host")}
                  {mean === null ? "" : `, ${measure.text(mean)}`}
                </span>
              </figcaption>
              <div class="rack">
                {rack.hosts.map((host) => (
                  <HostColumn
                    key={host.host}
                    host={host}
                    measure={measure}
                    low={low}
                    high={high}
                    isFound={found.has(host.host)}
                    onChoose={choose}
                  />
                ))}
              </div>
            </figure>
          );
        })}
      </div>
      {racks.length === 1 && racks[0]?.name === null ? (
        <p class="muted">With host.rack in the settings of their agents, hosts lie by rack.</p>
      ) : null}
    </section>
  );
}
