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

// What the program wrote into the page: JSON, or JSON as gzip in base64 (src/report/html/html_page.h).
async function embedded<Raw>(): Promise<Raw> {
  const node = document.getElementById("data");
  if (node === null) throw new Error("the page has no data");
  const text = node.textContent ?? "";
  return JSON.parse(node.getAttribute("type") === "application/gzip" ? await unpacked(text) : text) as Raw;
}

async function unpacked(text: string): Promise<string> {
  if (!("DecompressionStream" in window))
    throw new Error("this browser cannot unpack the page: it takes Chrome 80, Firefox 113, Safari 16.4 or newer");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// `dataOf` makes the page's data of what was written into it.
export async function showEmbedded<Raw, Data>(page: SectionsOf<Data>, dataOf: (raw: Raw) => Data): Promise<void> {
  let data: Data;
  try {
    data = dataOf(await embedded<Raw>());
  } catch (error) {
    document.body.append(`The page cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
    throw error;
  }
  const state = new PageState();
  const header = (
    <Header name={page.name} about={page.about(data)}>
      <ThemeButton theme={state.drawing.theme} />
    </Header>
  );
  const place = document.body.appendChild(document.createElement("div"));
  await showPage(place, {state, data, groups: page.groups(data), header, footer: page.footer(data)});
}
