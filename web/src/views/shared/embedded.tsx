// A page of one file, of the data that the program wrote into it.

import type {ComponentChildren} from "preact";
import type {SectionsOf} from "../pages";
import {showPage} from "./page";
import {PageState} from "./page_state";
import {ThemeButton} from "./theme_button";

function Header({
  name,
  about,
  children,
}: {
  readonly name: string;
  readonly about: string;
  readonly children: ComponentChildren;
}) {
  return (
    <header class="top">
      <h1>{name}</h1>
      <span class="about">{about}</span>
      {children}
    </header>
  );
}

// What the program wrote into the page.
export function embedded<Data>(): Data {
  const node = document.getElementById("data");
  if (node === null) throw new Error("the page has no data");
  return JSON.parse(node.textContent ?? "") as Data;
}

export async function showEmbedded<Data>(page: SectionsOf<Data>, data: Data): Promise<void> {
  const state = new PageState();
  const header = (
    <Header name={page.name} about={page.about(data)}>
      <ThemeButton theme={state.drawing.theme} />
    </Header>
  );
  const place = document.body.appendChild(document.createElement("div"));
  await showPage(place, {state, data, groups: page.groups(data), header, footer: page.footer(data)});
}
