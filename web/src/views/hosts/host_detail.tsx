// One host that is open: a row for each device and each process.

import {front, visible} from "../../model/text";
import {human, plural} from "../../model/format";
import {type Host, type HostDevice, healthOf, type HostProcess} from "../../model/hosts";
import {Head, type HeadColumn} from "./head";
import {LastHour} from "./last_hour";

const mostRows = 256;

const deviceColumns: readonly HeadColumn[] = [
  {label: "device", doc: "Its number on the host, as the driver counts", isNumber: true},
  {label: "name", doc: "As the driver says it"},
  {
    label: "verdict",
    doc: "ok, degraded (slowed down by heat, power or a fault, or errors are counted) or failed (to be taken out), from what the driver reports",
  },
  {label: "why", doc: "The readings that the verdict follows from"},
  {
    label: "busy",
    doc: "Share of the time in which at least one kernel ran, over the agent's last interval",
    isNumber: true,
  },
  {label: "power", doc: "Power drawn at the last reading", isNumber: true},
  {label: "temperature", doc: "Of the device's die", isNumber: true},
  {label: "memory", doc: "Device memory in use, of all that there is", isNumber: true},
];
const processColumns: readonly HeadColumn[] = [
  {label: "rank", doc: "Its rank in the job, by its environment (torchrun, Slurm, MPI)", isNumber: true},
  {label: "job", doc: "SLURM_JOB_ID or TORCHELASTIC_RUN_ID of its environment"},
  {label: "user", doc: "Whose process it is"},
  {label: "command", doc: "Its command line"},
  {label: "pod", doc: "The pod that it runs in, else the container"},
  {label: "pid", doc: "Its number on the host", isNumber: true},
  {label: "recording", doc: "Whether it records a trace now"},
];

export function watts(value: number | null): string {
  return value === null
    ? "\u2013"
    : value >= 9995
      ? `${Number((value / 1000).toPrecision(3))} kW`
      : `${Math.round(value)} W`;
}
export function degrees(value: number | null): string {
  return value === null ? "\u2013" : `${Math.round(value)} \u00b0C`;
}
export function share(value: number | null): string {
  return value === null ? "\u2013" : `${Math.round(100 * value)}%`;
}
export function memoryText(used: number | null, total: number | null): string {
  if (used === null) return "\u2013";
  return total === null ? human(used, "bytes") : `${human(used, "bytes")} of ${human(total, "bytes")}`;
}

const signs = {failed: "\u2715 ", degraded: "\u25b2 ", unknown: "", ok: ""} as const;

function DeviceRow({device}: {readonly device: HostDevice}) {
  const health = healthOf(device);
  return (
    <tr data-device={device.index}>
      <td class="number">{device.index}</td>
      <td class="word">{visible(device.name ?? "")}</td>
      <td class={`word health ${health}`}>
        {signs[health]}
        {health === "unknown" ? "not known" : health}
      </td>
      <td class="text">{visible(device.reasons.join("; "))}</td>
      <td class="number">{share(device.busy)}</td>
      <td class="number">{watts(device.power_watts)}</td>
      <td class="number">{degrees(device.temperature_celsius)}</td>
      <td class="number">{memoryText(device.memory_used_bytes, device.memory_total_bytes)}</td>
    </tr>
  );
}

function ProcessRow({one}: {readonly one: HostProcess}) {
  return (
    <tr data-pid={one.pid}>
      <td class="number">
        {one.rank === null ? "\u2013" : `${one.rank}${one.world_size === null ? "" : ` of ${one.world_size}`}`}
      </td>
      <td class="word">
        {visible(one.job_name ?? one.job ?? "")}
        {one.job_name === null || one.job === null ? null : <span class="muted"> {visible(one.job)}</span>}
      </td>
      <td class="word">{visible(one.user ?? "")}</td>
      <td class="text cmdline" title={visible(one.command ?? "")}>
        {front(one.command ?? "", 160)}
      </td>
      <td class="word" title={visible(one.container ?? "")}>
        {visible(one.pod ?? (one.container ?? "").slice(0, 24))}
      </td>
      <td class="number">{one.pid}</td>
      <td class="word">{one.recording ? "yes" : ""}</td>
    </tr>
  );
}

export function HostDetail({host}: {readonly host: Host}) {
  const processes = [...host.processes].sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || a.pid - b.pid);
  return (
    <div class="host-detail">
      {host.devices.length === 0 ? (
        <p class="muted">No device was found: the agent reads NVIDIA's by NVML and AMD's by the files of amdgpu.</p>
      ) : (
        <table aria-label={`Devices of ${visible(host.host)}`}>
          <Head columns={deviceColumns} />
          <tbody>
            {host.devices.slice(0, mostRows).map((device) => (
              <DeviceRow key={device.index} device={device} />
            ))}
          </tbody>
        </table>
      )}
      <LastHour host={host.host} />
      {processes.length === 0 ? (
        <p class="muted">
          No process asks for work: start training with <code>KINETO_USE_DAEMON=1</code>.
        </p>
      ) : (
        <table aria-label={`Processes of ${visible(host.host)}`}>
          <Head columns={processColumns} />
          <tbody>
            {processes.slice(0, mostRows).map((one) => (
              <ProcessRow key={one.pid} one={one} />
            ))}
          </tbody>
        </table>
      )}
      {Math.max(host.devices.length, processes.length) > mostRows ? (
        <p class="muted">
          The first {mostRows} of {plural(host.devices.length, "device")} and {processes.length} processes.
        </p>
      ) : null}
    </div>
  );
}
