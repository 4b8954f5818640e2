// A page of sections, in the one-file pages and in the app: a section after the other, so that what is above can be read while the rest
// is made.

import "../../draw/guard";
import {type Signal, signal, useSignal} from "@preact/signals";
import {type ComponentChildren, render, type VNode} from "preact";
import {useEffect} from "preact/hooks";
import {followChoices} from "../../draw/choosable";
import {DrawingContext} from "../../draw/drawing";
import {slices} from "../../draw/slices";
import {Tooltip} from "../../draw/tooltip";
import {addressed, addressOf} from "../../model/choice";
import {numbersOf, rangesOf} from "../../model/ranks";
import {PageContext, type PageState, usePage} from "./page_state";
import {type Group, type MadeGroup, type Section, SectionFrame} from "./section";
import {SkipLink} from "./skip_link";

export interface SectionsPage<Data> {
  readonly state: PageState;
  readonly data: Data;
  readonly groups: readonly Group<Data>[];
  readonly header: ComponentChildren;
  readonly footer: ComponentChildren;
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly sections: Signal<readonly VNode[]>;
}

// Makes the page in this place, once a document.
export async function showPage<Data>(
  place: HTMLElement,
  {state, data, groups, header, footer}: SectionsPage<Data>,
): Promise<void> {
  const shown = signal<readonly Shown[]>([]);

  render(<Page state={state} header={header} shown={shown} footer={footer} />, place);
  const pause = slices();
  const made: MadeGroup[] = [];
  for (const {id, name, sections: makers} of groups) {
    const found: Section[] = [];
    const group: Shown = {id: `group-${id}`, name, sections: signal([])};
    for (const make of makers) {
      const section = make(data);
      await pause();
      if (section === null) continue;
      if (found.length === 0) shown.value = [...shown.value, group];
      found.push(section);
      group.sections.value = [...group.sections.value, <SectionFrame key={section.id} section={section} />];
      await Promise.resolve();
      await pause();
      await state.drawing.sizes.tellNew(pause);
    }
    if (found.length > 0) made.push({id: group.id, name, sections: found});
  }
  state.groups.value = made;
  await Promise.resolve();
  state.drawing.sizes.watch();
  followAddress(state);
  document.documentElement.dataset["drawn"] = String(Math.round(performance.now()));
}

function Page({
  state,
  header,
  shown,
  footer,
}: {
  readonly state: PageState;
  readonly header: ComponentChildren;
  readonly shown: Signal<readonly Shown[]>;
  readonly footer: ComponentChildren;
}) {
  return (
    <PageContext.Provider value={state}>
      <DrawingContext.Provider value={state.drawing}>
        <div class="page">
          <SkipLink />
          {header}
          <Contents />
          <main id="content" tabIndex={-1}>
            <Groups shown={shown} />
            {state.groups.value === null ? null : footer}
          </main>
        </div>
        <Tooltip />
      </DrawingContext.Provider>
    </PageContext.Provider>
  );
}

function Groups({shown}: {readonly shown: Signal<readonly Shown[]>}) {
  return (
    <>
      {shown.value.map(({id, name, sections}) => (
        <div key={id} class="group" id={id} role="group" aria-label={name}>
          <div class="group-name" aria-hidden="true">
            {name}
          </div>
          <Sections made={sections} />
        </div>
      ))}
    </>
  );
}
function Sections({made}: {readonly made: Signal<readonly VNode[]>}) {
  return <>{made.value}</>;
}

function Contents() {
  const {groups} = usePage();
  const here = useSignal("");
  const made = groups.value;
  useEffect(() => {
    if (made === null) return;
    const seen = new Set<string>();
    const order = made.flatMap((group) => group.sections.map(({id}) => id));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) seen.add(entry.target.id);
          else seen.delete(entry.target.id);
        }
        here.value = order.find((id) => seen.has(id)) ?? "";
      },
      {rootMargin: "-90px 0px -60% 0px"},
    );
    for (const id of order) {
      const node = document.getElementById(id);
      if (node) observer.observe(node);
    }
    return () => observer.disconnect();
  }, [made]);
  const link = (id: string, title: string, isHere: boolean, kind = "") => (
    <a key={id} href={`#${id}`} class={[kind, isHere ? "here" : ""].filter(Boolean).join(" ") || undefined}>
      {title}
    </a>
  );
  return (
    <nav class="contents" aria-label="Sections">
      {made === null ? null : <ChoiceChip />}
      {made?.map(({id, name, sections}) => (
        <div key={id} class="contents-group">
          {link(
            id,
            name,
            sections.some((one) => one.id === here.value),
            "group-link",
          )}
          {sections.map((one) =>
            link(one.id, one.title, one.id === here.value, one.folded === undefined ? "" : "quiet"),
          )}
        </div>
      ))}
    </nav>
  );
}

// Stands in the frame while ranks are chosen.
function ChoiceChip() {
  const {choice} = usePage().drawing;
  const count = choice.ranks.value.size;
  const ranks = rangesOf(choice.ranks.value);
  const said = ranks.length > 24 ? `${ranks.slice(0, 23)}\u2026` : ranks.replace(/,/g, ", ");
  return (
    <span class="choice" role="status" hidden={count === 0}>
      <span>{`${count === 1 ? "Rank" : "Ranks"} ${said} marked`}</span>
      <button
        type="button"
        aria-label="Clear the choice of ranks"
        title="Clear (Escape)"
        onClick={() => choice.choose([])}
      >
        {"\u00d7"}
      </button>
    </span>
  );
}

// The link by which the reader left this page; null on coming to it.
function linkLeft(): Element | null {
  const state: unknown = history.state;
  const href = typeof state === "object" && state !== null && "left" in state ? state.left : null;
  if (typeof href !== "string") return null;
  return [...document.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === href) ?? null;
}

// Once the page stands: what its address says.
function followAddress({drawing: {choice, tips}}: PageState): void {
  followChoices(choice);
  const {place, ranks} = addressed(location.hash);
  const left = linkLeft();
  history.replaceState({ranks: rangesOf(ranks ?? [])}, "");
  choice.show(ranks ?? []);
  if (left !== null) left.scrollIntoView({block: "center"});
  else if (place) document.getElementById(place)?.scrollIntoView();
  // A link that leads away: Back returns to where it stood, once the page is made again.
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (link === null || link.getAttribute("href")?.startsWith("#")) return;
    history.replaceState({...(history.state as object | null), left: link.getAttribute("href")}, "");
  });
  addEventListener("popstate", (event) => {
    const state: unknown = event.state;
    if (typeof state === "object" && state !== null && "ranks" in state && typeof state.ranks === "string")
      return choice.show(numbersOf(state.ranks));
    // A link, or an address that was typed.
    const typed = addressed(location.hash);
    const kept = typed.ranks ?? Array.from(choice.ranks.value);
    // Without ranks what was typed stays: it may say more than the page's ranks and sections.
    const address = kept.length > 0 ? addressOf(typed.place, kept) : undefined;
    history.replaceState({ranks: rangesOf(kept)}, "", address);
    choice.show(kept);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && choice.ranks.value.size > 0 && tips.shown.value === null)
      choice.choose([]);
  });
}
