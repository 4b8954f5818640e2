// Every address of the app. Views link to others by these alone.

export type Route =
  | {readonly page: "runs" | "hosts" | "fleet"}
  | {readonly page: "run"; readonly id: string}
  | {readonly page: "timeline" | "sql"; readonly id: string}
  | {readonly page: "memory"; readonly id: string; readonly file: string; readonly later: string}
  | {readonly page: "rank"; readonly id: string; readonly rank: number}
  | {readonly page: "explain"; readonly cause: string}
  | {readonly page: "share"; readonly hash: string}
  | {readonly page: "compare"; readonly base: string; readonly test: string}
  | {readonly page: "unknown"};

function isId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

export const toRuns = "/";
export const toHosts = "/hosts";
export const toFleet = "/fleet";
export function toRun(id: string): string {
  return `/runs/${id}`;
}
export function toTimeline(id: string, query = ""): string {
  return `/runs/${id}/timeline${query}`;
}

export function toRank(id: string, rank: number): string {
  return `/runs/${id}/ranks/${rank}`;
}

// Of a snapshot among the run's files; without a name the first. `later`: one of the same process, to say what grew.
export function toMemory(id: string, file = "", later = ""): string {
  const query = new URLSearchParams({...(file === "" ? {} : {file}), ...(later === "" ? {} : {later})}).toString();
  return `/runs/${id}/memory${query === "" ? "" : `?${query}`}`;
}

// One of the run's files, to be downloaded.
export function toFile(id: string, name: string): string {
  return `/api/v1/runs/${id}/files/${name.split("/").map(encodeURIComponent).join("/")}`;
}

export function toSql(id: string): string {
  return `/runs/${id}/sql`;
}

// What a finding, or a verdict on recordings, means.
export function toExplanation(cause: string): string {
  return `/explain/${cause}`;
}

export function toCompare(base: string, test: string): string {
  return `/compare?base=${base}&test=${test}`;
}

export function routeOf(path: string, search = ""): Route {
  if (path === "/" || path === "/runs") return {page: "runs"};
  if (path === "/hosts") return {page: "hosts"};
  if (path === "/fleet") return {page: "fleet"};
  if (path === "/compare") {
    const asked = new URLSearchParams(search);
    const [base, test] = [asked.get("base") ?? "", asked.get("test") ?? ""];
    return isId(base) && isId(test) ? {page: "compare", base, test} : {page: "unknown"};
  }
  const cause = /^\/explain\/([a-z0-9-]{1,64})$/.exec(path);
  if (cause?.[1]) return {page: "explain", cause: cause[1]};
  const share = /^\/s\/([0-9a-f]{8,64})$/.exec(path);
  if (share?.[1]) return {page: "share", hash: share[1]};
  const rank = /^\/runs\/([0-9a-f]{16})\/ranks\/(\d{1,9})$/.exec(path);
  if (rank?.[1]) return {page: "rank", id: rank[1], rank: Number(rank[2])};
  const [, id, part] = /^\/runs\/([0-9a-f]{16})(?:\/(timeline|sql|memory))?$/.exec(path) ?? [];
  if (id === undefined) return {page: "unknown"};
  const asked = new URLSearchParams(search);
  if (part === "memory") return {page: "memory", id, file: asked.get("file") ?? "", later: asked.get("later") ?? ""};
  return part === "timeline" || part === "sql" ? {page: part, id} : {page: "run", id};
}
