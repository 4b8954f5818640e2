// Every address of the app. Views link to others by these alone.

export type Route = {readonly page: "runs"} | {readonly page: "run"; readonly id: string} | {readonly page: "unknown"};

export const toRuns = "/";
export function toRun(id: string): string { return `/runs/${id}`; }

export function routeOf(path: string): Route {
  if (path === "/" || path === "/runs") return {page: "runs"};
  const run = /^\/runs\/([0-9a-f]{16})$/.exec(path);
  return run?.[1] ? {page: "run", id: run[1]} : {page: "unknown"};
}
