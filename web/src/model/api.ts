// The server's API, typed: what docs/server.md says.

import type {FleetAnswer} from "./fleet";
import type {
  CaptureDetail,
  CaptureList,
  CaptureRequest,
  CaptureSummary,
  Explanation,
  HostList,
  HostMetrics,
  NewNote,
  NewRun,
  Note,
  NoteList,
  Patch,
  RunAgain,
  RunTuning,
  Run,
  RunFile,
  RunFileList,
  RunPage,
  Sample,
  SampleList,
  SavedQuery,
  SavedQueryList,
  Session,
  SignInWays,
  TableDefinition,
  TableDefinitionList,
  TimelineHit,
  TimelineHits,
} from "@made/api_types";
import type {CellValue, RawTable} from "./data";
import {toFile} from "./routes";
import type {TimelineCollective, TimelineInfo, TimelinePath} from "./timeline";

export type {Run, TimelineHit, TimelineHits};
export type RunState = Run["state"];
// Of what a serving program recorded, without ranks and their timeline.
export function isServing(run: Run): boolean {
  return run.summary?.subject === "serving";
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// status 0: the server cannot be reached.
async function request(
  method: string,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> {
  let answer: Response;
  try {
    const json = body === undefined ? {} : {headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)};
    answer = await fetch(path, {method, credentials: "same-origin", signal, ...json});
  } catch {
    throw new ApiError(0, "The server cannot be reached.");
  }
  if (answer.ok) return answer;
  let message = `The server answers ${answer.status}.`;
  try {
    const said = (await answer.json()) as {error?: {message?: string}};
    message = said.error?.message ?? message;
  } catch {
    /* no JSON: the number has to do */
  }
  throw new ApiError(answer.status, message);
}

export async function listRuns(): Promise<RunPage> {
  return (await (await request("GET", "/api/v1/runs?limit=1000")).json()) as RunPage;
}
export async function getRun(id: string): Promise<Run> {
  return (await (await request("GET", `/api/v1/runs/${id}`)).json()) as Run;
}
export async function getView<T>(id: string): Promise<T> {
  return (await (await request("GET", `/api/v1/runs/${id}/view`)).json()) as T;
}
export function addressOfPatch(id: string, finding: string): string {
  return `/api/v1/runs/${id}/patch?format=diff&finding=${encodeURIComponent(finding)}`;
}
export async function getPatch(id: string, finding: string): Promise<Patch> {
  const query = new URLSearchParams({finding}).toString();
  return (await (await request("GET", `/api/v1/runs/${id}/patch?${query}`)).json()) as Patch;
}
export async function getAgain(id: string): Promise<RunAgain> {
  return (await (await request("GET", `/api/v1/runs/${id}/again`)).json()) as RunAgain;
}
// What the launcher said.
export async function launchAgain(id: string, finding: string): Promise<string> {
  const answer = await request("POST", `/api/v1/runs/${id}/again`, {finding});
  return ((await answer.json()) as {output: string}).output;
}
export async function getTuning(id: string): Promise<RunTuning> {
  return (await (await request("GET", `/api/v1/runs/${id}/tuning`)).json()) as RunTuning;
}
export async function launchTuning(id: string): Promise<string> {
  const answer = await request("POST", `/api/v1/runs/${id}/tuning`);
  return ((await answer.json()) as {output: string}).output;
}
export async function getDiff<T>(base: string, test: string): Promise<T> {
  return (await (await request("GET", `/api/v1/diff?base=${base}&test=${test}&view=1`)).json()) as T;
}
export async function getMemory<T>(id: string, file: string, later: string): Promise<T> {
  const query = new URLSearchParams({file, ...(later === "" ? {} : {later}), view: "1"}).toString();
  return (await (await request("GET", `/api/v1/runs/${id}/memory?${query}`)).json()) as T;
}
// In the order of their names.
export async function listFiles(id: string): Promise<readonly RunFile[]> {
  const {files} = (await (await request("GET", `/api/v1/runs/${id}/files`)).json()) as RunFileList;
  const order = new Intl.Collator("en", {numeric: true});
  return [...files].sort((a, b) => order.compare(a.name, b.name));
}
// Names of those that are memory snapshots.
export async function listSnapshots(id: string): Promise<readonly string[]> {
  const files = await listFiles(id);
  return files.map(({name}) => name).filter((name) => /\.pickle(\.gz|\.zst)?$/.test(name));
}
export async function getTimeline(id: string): Promise<TimelineInfo> {
  return (await (await request("GET", `/api/v1/runs/${id}/timeline`)).json()) as TimelineInfo;
}
export async function getBytes(path: string, signal: AbortSignal): Promise<ArrayBuffer> {
  return await (await request("GET", path, undefined, signal)).arrayBuffer();
}
export interface TimelineSums {
  readonly parts: Readonly<Record<string, number>>;
  readonly name_count: number;
  readonly names: readonly {
    readonly name: string;
    readonly kind: string;
    readonly role: string;
    readonly count: number;
    readonly total_ns: number;
    readonly self_ns: number;
  }[];
}
// What threads called in a stretch of time, merged by the way to it; "" in place of a name: smaller ones.
export interface TimelineCalls {
  readonly complete: boolean;
  readonly threads: readonly {readonly name: string; readonly total_ns: number}[];
  readonly frames: readonly {
    readonly parent: number | null;
    readonly name: string;
    readonly kind: string;
    readonly total_ns: number;
    readonly self_ns: number;
    readonly count: number;
  }[];
}
export async function getCalls(
  id: string,
  version: number,
  {from, to}: {readonly from: number; readonly to: number},
  ranks: string,
  thread: string,
  signal: AbortSignal,
): Promise<TimelineCalls> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/calls?version=${version}&from_ns=${from}&to_ns=${to}&ranks=${ranks}${thread === "" ? "" : `&thread=${encodeURIComponent(thread)}`}`,
      undefined,
      signal,
    )
  ).json()) as TimelineCalls;
}
export async function getSums(
  id: string,
  version: number,
  from: number,
  to: number,
  ranks: string,
  signal: AbortSignal,
): Promise<TimelineSums> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/sums?version=${version}&from_ns=${from}&to_ns=${to}&ranks=${ranks}`,
      undefined,
      signal,
    )
  ).json()) as TimelineSums;
}
interface Stretch {
  readonly from: number;
  readonly to: number;
}
export async function getCollectives(
  id: string,
  version: number,
  {from, to}: Stretch,
  limit: number,
  signal: AbortSignal,
): Promise<{complete: boolean; collectives: TimelineCollective[]}> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/collectives?version=${version}&from_ns=${from}&to_ns=${to}&limit=${limit}`,
      undefined,
      signal,
    )
  ).json()) as {complete: boolean; collectives: TimelineCollective[]};
}
export async function getCollectiveOf(
  id: string,
  version: number,
  rank: number,
  event: number,
  {from, to}: Stretch,
  signal: AbortSignal,
): Promise<TimelineCollective | null> {
  const found = (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/collectives?version=${version}&from_ns=${from}&to_ns=${to}&rank=${rank}&event=${event}`,
      undefined,
      signal,
    )
  ).json()) as {collectives: TimelineCollective[]};
  return found.collectives[0] ?? null;
}
export async function getPath(
  id: string,
  version: number,
  {from, to}: Stretch,
  width: number,
  signal: AbortSignal,
): Promise<TimelinePath> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/path?version=${version}&from_ns=${from}&to_ns=${to}&width=${width}`,
      undefined,
      signal,
    )
  ).json()) as TimelinePath;
}
// How names are meant: to have the text, to be it, or to have what a regular expression describes.
export type NameMatch = "part" | "whole" | "pattern";
export async function searchTimeline(
  id: string,
  text: string,
  match: NameMatch,
  ranks: string,
  signal: AbortSignal,
  from: number | null = null,
): Promise<TimelineHits> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/search?q=${encodeURIComponent(text)}&match=${match}&ranks=${ranks}&limit=1000${from === null ? "" : `&from_ns=${from}`}`,
      undefined,
      signal,
    )
  ).json()) as TimelineHits;
}
// What the events of such names come to on each rank that has one.
export interface Occurrences {
  readonly rank: number;
  readonly count: number;
  readonly total_ns: number | string;
  readonly min_ns: number;
  readonly longest: TimelineHit;
}
export async function getOccurrences(
  id: string,
  text: string,
  match: NameMatch,
  signal: AbortSignal,
): Promise<{complete: boolean; ranks: readonly Occurrences[]}> {
  return (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/occurrences?q=${encodeURIComponent(text)}&match=${match}`,
      undefined,
      signal,
    )
  ).json()) as {complete: boolean; ranks: Occurrences[]};
}
// Events of a file by what SQL calls `event`: up to 1,000.
export async function getEvents(
  id: string,
  rank: number,
  capture: number,
  events: string,
  signal: AbortSignal,
): Promise<readonly TimelineHit[]> {
  const found = (await (
    await request(
      "GET",
      `/api/v1/runs/${id}/timeline/events?rank=${rank}&capture=${capture}&events=${events}`,
      undefined,
      signal,
    )
  ).json()) as TimelineHits;
  return found.hits;
}
export interface Rows {
  readonly columns: readonly {readonly name: string; readonly type: string; readonly unit: string}[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  readonly row_count?: number; // of the whole table
}
export async function getTable(id: string, name: string, query = ""): Promise<Rows> {
  return (await (await request("GET", `/api/v1/runs/${id}/tables/${name}?limit=100000${query}`)).json()) as Rows;
}
// Over one file, which takes no longer the more ranks there are; "": all.
export async function runQuery(id: string, sql: string, signal: AbortSignal | null = null, file = ""): Promise<Rows> {
  return (await (await request("POST", `/api/v1/runs/${id}/query`, {sql, file}, signal)).json()) as Rows;
}
export async function whatIf(id: string, changes: readonly string[], signal: AbortSignal): Promise<Rows> {
  return (await (await request("POST", `/api/v1/runs/${id}/whatif`, {changes}, signal)).json()) as Rows;
}
// In Markdown, as docs/findings has it.
export async function getExplanation(cause: string): Promise<string> {
  const answer = await request("GET", `/api/v1/explanations/${encodeURIComponent(cause)}`);
  return ((await answer.json()) as Explanation).markdown;
}
export async function getDefinitions(): Promise<readonly TableDefinition[]> {
  return ((await (await request("GET", "/api/v1/tables")).json()) as TableDefinitionList).tables;
}
export async function listNotes(id: string): Promise<readonly Note[]> {
  return ((await (await request("GET", `/api/v1/runs/${id}/notes`)).json()) as NoteList).notes;
}
export async function addNote(id: string, note: NewNote): Promise<Note> {
  return (await (await request("POST", `/api/v1/runs/${id}/notes`, note)).json()) as Note;
}
export async function removeNote(id: string, note: number): Promise<void> {
  await request("DELETE", `/api/v1/runs/${id}/notes/${note}`);
}
export async function getMetrics(id: string, points: number, name = ""): Promise<readonly Sample[]> {
  return (
    (await (
      await request(
        "GET",
        `/api/v1/runs/${id}/metrics?points=${points}${name === "" ? "" : `&name=${encodeURIComponent(name)}`}`,
      )
    ).json()) as SampleList
  ).metrics;
}
export async function listQueries(id: string): Promise<readonly SavedQuery[]> {
  return ((await (await request("GET", `/api/v1/runs/${id}/queries`)).json()) as SavedQueryList).queries;
}
export async function saveQuery(id: string, name: string, sql: string): Promise<void> {
  await request("POST", `/api/v1/runs/${id}/queries`, {name, sql});
}
export async function removeQuery(id: string, query: number): Promise<void> {
  await request("DELETE", `/api/v1/runs/${id}/queries/${query}`);
}
// A state of a page that is too long for an address; the address that stands for it.
export async function share(state: Readonly<Record<string, unknown>>): Promise<string> {
  return ((await (await request("POST", "/api/v1/shares", {state})).json()) as {url: string}).url;
}
export async function getShare(hash: string): Promise<unknown> {
  return (await (await request("GET", `/api/v1/shares/${hash}`)).json()) as unknown;
}
export async function createRun(name: string): Promise<Run> {
  return (await (await request("POST", "/api/v1/runs", {name} satisfies NewRun)).json()) as Run;
}
export async function finishRun(id: string): Promise<void> {
  await request("POST", `/api/v1/runs/${id}/finish`, {});
}
export async function removeRun(id: string): Promise<void> {
  await request("DELETE", `/api/v1/runs/${id}`);
}
// How a browser may be let in.
export async function getSignInWays(): Promise<SignInWays> {
  return (await (await request("GET", "/api/v1/session/ways")).json()) as SignInWays;
}
export async function logOut(): Promise<void> {
  await request("DELETE", "/api/v1/session");
}
export async function logIn(token: string): Promise<void> {
  await request("POST", "/api/v1/session", {token});
}

export async function askFleet(question: string, query: string, signal: AbortSignal): Promise<FleetAnswer> {
  const path = `/api/v1/fleet/${question}${query === "" ? "" : `?${query}`}`;
  return (await (await request("GET", path, undefined, signal)).json()) as FleetAnswer;
}
export async function getSession(): Promise<Session> {
  return (await (await request("GET", "/api/v1/session")).json()) as Session;
}
export async function listHosts(): Promise<HostList> {
  return (await (await request("GET", "/api/v1/hosts")).json()) as HostList;
}
export async function getHostMetrics(host: string, points: number, signal: AbortSignal): Promise<HostMetrics> {
  return (await (
    await request("GET", `/api/v1/hosts/${encodeURIComponent(host)}/metrics?points=${points}`, undefined, signal)
  ).json()) as HostMetrics;
}
export async function listCaptures(): Promise<readonly CaptureSummary[]> {
  return ((await (await request("GET", "/api/v1/captures")).json()) as CaptureList).captures;
}
export async function getCapture(id: string): Promise<CaptureDetail> {
  return (await (await request("GET", `/api/v1/captures/${encodeURIComponent(id)}`)).json()) as CaptureDetail;
}
export async function startCapture(body: CaptureRequest): Promise<CaptureDetail> {
  return (await (await request("POST", "/api/v1/captures", body)).json()) as CaptureDetail;
}
export async function cancelCapture(id: string): Promise<void> {
  await request("DELETE", `/api/v1/captures/${encodeURIComponent(id)}`);
}

const partBytes = 8 << 20;

// In parts, each where the last one ended; `told` hears how many bytes have come.
export async function uploadFile(run: string, name: string, file: Blob, told: (bytes: number) => void): Promise<void> {
  const path = toFile(run, name);
  let offset = 0;
  do {
    const end = Math.min(file.size, offset + partBytes);
    let answer: Response;
    try {
      answer = await fetch(path, {
        method: "PATCH",
        credentials: "same-origin",
        body: file.slice(offset, end),
        headers: {"Upload-Offset": String(offset), "Upload-Complete": end === file.size ? "?1" : "?0"},
      });
    } catch {
      throw new ApiError(0, `${name}: the server was lost while it was sent.`);
    }
    if (!answer.ok) {
      const said = (await answer.json().catch(() => ({}))) as {error?: {message?: string}};
      throw new ApiError(answer.status, `${name}: ${said.error?.message ?? `the server answers ${answer.status}`}`);
    }
    offset = end;
    told(offset);
  } while (offset < file.size);
}

// Rows of a table of a run, as tables of pages are.
export async function getRows(id: string, table: string, query: URLSearchParams): Promise<RawTable> {
  const {columns, rows} = (await (
    await request("GET", `/api/v1/runs/${id}/tables/${table}?${query.toString()}`)
  ).json()) as {
    columns: readonly {readonly name: string; readonly type: string; readonly unit?: string; readonly doc?: string}[];
    rows: readonly (readonly CellValue[])[];
  };
  return {
    rows: rows.length,
    columns: columns.map(({name, type, unit = "", doc = ""}, column) => ({
      name,
      type,
      unit,
      doc,
      cells: rows.map((row) => row[column] ?? null),
    })),
  };
}
