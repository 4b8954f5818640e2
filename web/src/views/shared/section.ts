// The frame of a section: a heading, how to read it, and what it shows.

import {type Child, el} from "../../draw/dom";
import {choiceChip} from "./choice";

// Null: it has nothing to show.
export type Section = HTMLElement | null;

export const sections: {readonly id: string; readonly title: string; readonly node: HTMLElement}[] = [];

export function section(id: string, title: string, how: string | null, ...children: Child[]): HTMLElement {
  const node = el(
    "section",
    {id, "aria-labelledby": `${id}-title`},
    el("h2", {id: `${id}-title`}, title),
    how ? el("p", {class: "how"}, how) : null,
    children,
  );
  sections.push({id, title, node});
  return node;
}

// A section that says nothing is folded: `line` says so in its place, and opening it shows the rest.
export function foldAway(node: HTMLElement, line: string): HTMLElement {
  const [heading, ...rest] = node.children;
  node.classList.add("folded");
  node.replaceChildren(heading, el("details", {class: "fold"}, el("summary", {}, line), rest));
  return node;
}

// Sections that belong together, below one name.
const groups: {readonly id: string; readonly name: string; readonly sections: typeof sections}[] = [];
export function group(id: string, name: string, found: readonly Section[]): HTMLElement | null {
  const members = found.filter((one) => one !== null);
  if (members.length === 0) return null;
  const node = el(
    "div",
    {class: "group", id: `group-${id}`, role: "group", "aria-label": name},
    el("div", {class: "group-name", "aria-hidden": "true"}, name),
    members,
  );
  groups.push({
    id: `group-${id}`,
    name,
    sections: members.flatMap((member) => sections.filter((one) => one.node === member)),
  });
  return node;
}

export function contents(): HTMLElement {
  const links = new Map<string, HTMLElement>();
  const link = (id: string, title: string, className: string | null) => {
    const one = el("a", {href: `#${id}`, class: className}, title);
    links.set(id, one);
    return one;
  };
  const nav = el(
    "nav",
    {class: "contents", "aria-label": "Sections"},
    choiceChip(),
    groups.map(({id, name, sections: members}) =>
      el(
        "div",
        {class: "contents-group"},
        link(id, name, "group-link"),
        members.map((one) => link(one.id, one.title, one.node.classList.contains("folded") ? "quiet" : null)),
      ),
    ),
  );
  const seen = new Set<string>();
  const order = groups.flatMap((one) => one.sections.map((member) => ({...member, group: one})));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) seen.add(entry.target.id);
        else seen.delete(entry.target.id);
      }
      const here = order.find(({id}) => seen.has(id));
      for (const [id, one] of links)
        one.classList.toggle("here", here !== undefined && (id === here.id || id === here.group.id));
    },
    {rootMargin: "-90px 0px -60% 0px"},
  );
  for (const {node} of order) observer.observe(node);
  return nav;
}
