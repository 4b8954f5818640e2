// The devices of a host as a strip: a cell for each, the darker the busier; what is degraded or failed has a sign of its own.

import {type HostDevice, type Health, healthOf} from "../../model/hosts";
import {plural} from "../../model/format";

const mostCells = 64;
export const heatLevels = 5;

export function heatOf(busy: number | null): string {
  return busy === null
    ? "heat-none"
    : `heat-${Math.max(0, Math.min(heatLevels - 1, Math.round(busy * (heatLevels - 1))))}`;
}

const signs: Readonly<Record<Health, string>> = {failed: "\u2715", degraded: "\u25b2", unknown: "?", ok: ""};

// "8 devices: 1 degraded, 7 ok".
export function stripName(devices: readonly HostDevice[]): string {
  const counts = new Map<Health, number>();
  for (const device of devices) counts.set(healthOf(device), (counts.get(healthOf(device)) ?? 0) + 1);
  const words: Readonly<Record<Health, string>> = {
    failed: "failed",
    degraded: "degraded",
    unknown: "not known",
    ok: "ok",
  };
  return `${plural(devices.length, "device")}: ${(Object.keys(words) as Health[])
    .filter((one) => counts.has(one))
    .map((one) => `${counts.get(one)} ${words[one]}`)
    .join(", ")}`;
}

export function DeviceStrip({devices}: {readonly devices: readonly HostDevice[]}) {
  if (devices.length === 0) return <span class="muted">none</span>;
  const name = stripName(devices);
  return (
    <span class="device-strip" role="img" aria-label={name} title={name}>
      {devices.slice(0, mostCells).map((device) => {
        const health = healthOf(device);
        return (
          <i key={device.index} class={health === "ok" ? `cell ${heatOf(device.busy)}` : `cell ${health}`}>
            {signs[health]}
          </i>
        );
      })}
      {devices.length > mostCells ? ` +${devices.length - mostCells}` : null}
    </span>
  );
}
