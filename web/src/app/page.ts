// What a page of the app is: where it is, what it is called, who links to it, what it shows. app/pages.tsx lists all.

import {createContext, type ComponentChildren} from "preact";
import {useContext} from "preact/hooks";
import type {Theme} from "../draw/theme";
import type {Run} from "../model/api";
import {parametersOf, type ParametersOf} from "../model/routes";
import type {AppState} from "../views/shared/app_state";
import type {PageState} from "../views/shared/page_state";
import type {Group} from "../views/shared/section";
import type {SectionsOf} from "../views/pages";

// Where a page draws (app/shell.tsx).
export interface Shell {
  // Of a page that is a view of its own; pages of sections have a theme with their state.
  readonly theme: Theme;
  readonly app: AppState;
  draw(header: ComponentChildren, view: ComponentChildren): void;
  showSections<Data>(
    page: SectionsOf<Data>,
    data: Data,
    state: PageState,
    header: ComponentChildren,
    groups?: readonly Group<Data>[],
  ): Promise<void>;
  // A sentence in place of a page.
  says(title: string, text: string, here?: string): void;
  saysOfRun(run: Run, here: string, title: string, text: string): void;
  // Whether an address is one of a page that can be shared.
  isPage(path: string, search: string): boolean;
  // Shows the page of the document's address.
  open(): void;
}

// What an address asks of a page.
export interface Asked<Name extends string = string> {
  readonly of: Readonly<Record<Name, string>>;
  readonly query: URLSearchParams;
}

export interface PlaceInRun {
  readonly run: Run;
  readonly rank?: number | undefined;
  // Ranks that are chosen, as an address says them: they go along.
  readonly ranks: string;
}
interface Link<Place> {
  readonly text: string | ((place: Place) => string);
  // In the palette of commands.
  readonly command?: string;
  // Null: not from here.
  readonly to: (place: Place) => string | null;
}

interface Common<Path extends string> {
  readonly name: string;
  readonly path: Path;
  readonly alsoAt?: string;
  // Whether the query says what the page needs.
  readonly accepts?: (query: URLSearchParams) => boolean;
  // What is said if the server refuses.
  readonly failed: string;
}
export interface PlainPage<Path extends string = string> extends Common<Path> {
  readonly title: string | ((asked: Asked<ParametersOf<Path>>) => string);
  // In the head of every page.
  readonly link?: Link<{readonly app: AppState; readonly isHere: boolean}>;
  readonly show: (shell: Shell, asked: Asked<ParametersOf<Path>>) => void | Promise<void>;
}
// The run is asked for before the page shows it.
export interface RunPage<Path extends string = string> extends Common<Path> {
  readonly titleOfRun: (name: string, asked: Asked<ParametersOf<Path>>) => string;
  // In the head of the run's pages.
  readonly linkOfRun: Link<PlaceInRun>;
  // A page of sections has no title of its own but the run's.
  readonly hasSections?: boolean;
  // What is said of a run without ranks, if the page shows ranks.
  readonly withoutRanks?: string;
  readonly showRun: (shell: Shell, run: Run, asked: Asked<ParametersOf<Path>>) => void | Promise<void>;
}
export type Page = PlainPage | RunPage;

// With the parameters of its path typed.
export function page<Path extends string>(one: PlainPage<Path>): Page {
  return one as Page;
}
export function pageOfRun<Path extends string>(one: RunPage<Path>): Page {
  return one as Page;
}
export function isOfRun(one: Page): one is RunPage {
  return "showRun" in one;
}

// The page of an address, and what it is asked.
export function pageAt(
  pages: readonly Page[],
  path: string,
  search: string,
): {readonly page: Page; readonly asked: Asked} | null {
  const query = new URLSearchParams(search);
  for (const one of pages) {
    const of = path === one.alsoAt ? {} : parametersOf(one.path, path);
    if (of !== null && (one.accepts?.(query) ?? true)) return {page: one, asked: {of, query}};
  }
  return null;
}

export const PagesContext = createContext<readonly Page[]>([]);
export function usePages(): readonly Page[] {
  return useContext(PagesContext);
}
