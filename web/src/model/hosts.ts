// Hosts whose agents report to the server, their devices and the jobs on them: what is wrong, in which order, in which words. No DOM.

import type {Host, HostDevice} from "@made/api_types";
import {grouped, plural} from "./format";

export type {Host, HostDevice, HostJob, HostList, HostProcess} from "@made/api_types";

export type Health = "failed" | "degraded" | "unknown" | "ok";
export function healthOf(device: HostDevice): Health {
  return device.verdict === "failed" || device.verdict === "degraded" || device.verdict === "ok"
    ? device.verdict
    : "unknown";
}

// "3 min" since a host was heard of.
export function silence(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

// How far its clock is from the server's. What is within the uncertainty is no offset.
export function clockText(host: Host): string {
  const {clock_ahead_us: ahead, clock_uncertainty_us: uncertainty} = host;
  if (ahead === null || uncertainty === null) return "not measured";
  const ms = (us: number) => `${Number((us / 1000).toPrecision(2))} ms`;
  if (Math.abs(ahead) <= uncertainty) return `within ${ms(uncertainty)}`;
  return `${ahead > 0 ? "+" : "\u2212"}${ms(Math.abs(ahead))} \u00b1 ${ms(uncertainty)}`;
}

const mostReason = 90;
function cut(text: string): string {
  return text.length > mostReason ? `${text.slice(0, mostReason - 1)}\u2026` : text;
}

export interface Problem {
  readonly host: string;
  readonly device: number;
  readonly health: "failed" | "degraded";
  readonly reasons: readonly string[];
}
export function problemsOf(hosts: readonly Host[]): Problem[] {
  const found: Problem[] = [];
  for (const host of hosts) {
    for (const device of host.devices) {
      const health = healthOf(device);
      if (health === "failed" || health === "degraded")
        found.push({host: host.host, device: device.index, health, reasons: device.reasons});
    }
  }
  return found.sort(
    (a, b) =>
      Number(a.health === "degraded") - Number(b.health === "degraded") ||
      a.host.localeCompare(b.host, "en", {numeric: true}) ||
      a.device - b.device,
  );
}

function are(count: number, what: string): string {
  return count === 1
    ? `1 device ${what === "failed" ? "has failed" : `is ${what}`}`
    : `${grouped(count)} devices ${what === "failed" ? "have failed" : `are ${what}`}`;
}

// The answer: how many there are, and what is wrong with them.
export function sentenceOf(hosts: readonly Host[]): string {
  if (hosts.length === 0) return "No host reports here";
  const here = hosts.filter((host) => host.here);
  const gone = hosts.length - here.length;
  if (here.length === 0) {
    const last = silence(Math.min(...hosts.map((host) => host.silent_ms)));
    return gone === 1
      ? `The only host is gone: it was last heard of ${last} ago`
      : `All ${grouped(gone)} hosts are gone: the last was heard of ${last} ago`;
  }
  const devices = here.flatMap((host) => host.devices);
  const what = `${plural(here.length, "host")}, ${plural(devices.length, "device")}`;
  const problems = problemsOf(here);
  const said: string[] = [];
  for (const health of ["failed", "degraded"] as const) {
    const those = problems.filter((one) => one.health === health);
    const [only] = those;
    if (only === undefined) continue;
    const where =
      those.length === 1
        ? `: ${only.host}, device ${only.device}${only.reasons[0] === undefined ? "" : `, ${cut(only.reasons[0])}`}`
        : "";
    said.push(`${are(those.length, health)}${where}`);
  }
  if (gone > 0) said.push(gone === 1 ? "1 host is gone" : `${grouped(gone)} hosts are gone`);
  const unknown = devices.filter((device) => healthOf(device) === "unknown").length;
  if (said.length === 0 && devices.length > 0)
    said.push(
      unknown === 0
        ? devices.length === 1
          ? "it is well"
          : "all are well"
        : `the health of ${unknown === devices.length ? (unknown === 1 ? "it" : "all") : grouped(unknown)} is not known`,
    );
  return said.length === 0 ? what : `${what}; ${said.join("; ")}`;
}

// The worst first: failed devices, degraded ones, gone, the others by name.
function badness(host: Host): number {
  const health = host.devices.map(healthOf);
  if (health.includes("failed")) return 0;
  if (health.includes("degraded")) return 1;
  return host.here ? 3 : 2;
}
export function worstFirst(hosts: readonly Host[]): Host[] {
  const order = new Intl.Collator("en", {numeric: true});
  return hosts
    .map((host) => ({host, bad: badness(host)}))
    .sort((a, b) => a.bad - b.bad || order.compare(a.host.host, b.host.host))
    .map(({host}) => host);
}

// Every word has to be in its name, its verdicts and their reasons, or in what runs there.
export function mentions(host: Host, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const texts = [host.host, host.team, host.version, host.rack, host.here ? "here" : "gone"];
  for (const device of host.devices) texts.push(device.name, device.verdict, ...device.reasons);
  for (const one of host.processes)
    texts.push(
      one.job,
      one.job_name,
      one.user,
      one.command,
      one.container,
      one.pod,
      one.rank === null ? null : `rank ${one.rank}`,
    );
  const all = texts
    .filter((text) => text !== null)
    .join("\n")
    .toLowerCase();
  return words.every((word) => all.includes(word));
}

export interface Summed {
  readonly busy: number | null; // the mean of those that are known
  readonly power_watts: number | null; // of all together
  readonly hottest_celsius: number | null;
  readonly memory_used_bytes: number | null;
  readonly memory_total_bytes: number | null;
}
export function summed(devices: readonly HostDevice[]): Summed {
  const known = (of: (device: HostDevice) => number | null) => devices.map(of).filter((value) => value !== null);
  const sum = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((total, one) => total + one, 0);
  const busy = known((one) => one.busy);
  const heat = known((one) => one.temperature_celsius);
  return {
    busy: busy.length === 0 ? null : (sum(busy) ?? 0) / busy.length,
    power_watts: sum(known((one) => one.power_watts)),
    hottest_celsius: heat.length === 0 ? null : Math.max(...heat),
    memory_used_bytes: sum(known((one) => one.memory_used_bytes)),
    memory_total_bytes: sum(known((one) => one.memory_total_bytes)),
  };
}

// Hosts as they are now, each the same object as before where nothing has changed: a row of it need not be drawn again.
export function kept(before: readonly Host[], now: readonly Host[]): readonly Host[] {
  const known = new Map(before.map((host) => [host.host, host]));
  const textOf = ({silent_ms: silent, ...rest}: Host) => JSON.stringify([rest, rest.here ? 0 : silence(silent)]);
  return now.map((host) => {
    const old = known.get(host.host);
    return old !== undefined && textOf(old) === textOf(host) ? old : host;
  });
}
