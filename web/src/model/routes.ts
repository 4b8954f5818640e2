// Addresses of the app's pages (app/pages.tsx lists them): views link to others by these alone.

// What stands for `{name}` in the pattern of an address.
const parameters = {id: "[0-9a-f]{16}", rank: "\\d{1,9}", cause: "[a-z0-9-]{1,64}", hash: "[0-9a-f]{8,64}"} as const;
type Parameter = keyof typeof parameters;

// "/runs/{id}/ranks/{rank}" has "id" and "rank".
export type ParametersOf<Path extends string> = Path extends `${string}{${infer Name extends Parameter}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;

// What an address of this pattern says; null of another address.
export function parametersOf(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const named = pattern.replace(/\{(\w+)\}/g, (_, name: Parameter) => `(?<${name}>${parameters[name]})`);
  const found = new RegExp(`^${named}$`).exec(path);
  return found === null ? null : {...found.groups};
}

export function isId(text: string): boolean {
  return new RegExp(`^${parameters.id}$`).test(text);
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
