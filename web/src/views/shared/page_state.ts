// What the sections of a page share beside what plots share.

import {signal} from "@preact/signals";
import {type ComponentChildren, createContext} from "preact";
import {useContext} from "preact/hooks";
import {Drawing} from "../../draw/drawing";
import type {MadeGroup, Section} from "./section";

export class PageState {
  readonly drawing = new Drawing();
  // Once all sections are made.
  readonly groups = signal<readonly MadeGroup[] | null>(null);

  // Where a finding is in the timeline.
  readonly toFinding: ((finding: string) => string) | null;

  // What the app has and the one-file page has not: the address of the timeline with a query, and what can be done about a finding, and what one
  // means.
  constructor(
    readonly toTimeline: ((query: string) => string) | null = null,
    readonly actOn: ((finding: string) => ComponentChildren) | null = null,
    readonly explain: ((cause: string) => ComponentChildren) | null = null,
  ) {
    this.toFinding = toTimeline === null ? null : (finding) => toTimeline(`?finding=${finding}`);
  }

  // Null if the page does not have the section, and until all are made.
  section(id: string): Section | null {
    return this.sections.find((one) => one.id === id) ?? null;
  }
  // The section with the first of these tables that the page shows.
  sectionOfTables(tables: readonly string[]): Section | null {
    const found = tables.map((table) => this.sections.find((one) => one.tables?.includes(table)));
    return found.find((one) => one !== undefined) ?? null;
  }
  private get sections(): readonly Section[] {
    return this.groups.value?.flatMap((group) => group.sections) ?? [];
  }
}

export const PageContext = createContext<PageState | null>(null);

export function usePage(): PageState {
  const page = useContext(PageContext);
  if (page === null) throw new Error("a section stands outside of a page");
  return page;
}
