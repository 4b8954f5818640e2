// The frame of a section: a heading, how to read it, and what it shows.

import type {ComponentChildren} from "preact";

export interface Section {
  readonly id: string;
  readonly title: string;
  // Whose rows it shows or sums up: a finding leads to a section that has a table of its evidence.
  readonly tables?: readonly string[];
  // What the section comes to, with its number, behind the title.
  readonly answer?: ComponentChildren;
  readonly how?: string | null;
  // Of a section that says nothing: this line says so in its place, and opening it shows the rest.
  readonly folded?: string | undefined;
  readonly body?: ComponentChildren;
}

// Null: it has nothing to show.
export type MakeSection<Data> = (data: Data) => Section | null;

// Sections that belong together, below one name.
export interface Group<Data> {
  readonly id: string;
  readonly name: string;
  readonly sections: readonly MakeSection<Data>[];
}
export interface MadeGroup {
  readonly id: string;
  readonly name: string;
  readonly sections: readonly Section[];
}

export function SectionFrame({section: {id, title, answer, how, folded, body}}: {readonly section: Section}) {
  const content = (
    <>
      {how ? <p class="how">{how}</p> : null}
      {body}
    </>
  );
  return (
    <section id={id} aria-labelledby={`${id}-title`} class={folded === undefined ? undefined : "folded"}>
      <h2 id={`${id}-title`}>
        {title}
        {answer ? (
          <>
            {" "}
            <span class="answer">{answer}</span>
          </>
        ) : null}
      </h2>
      {folded === undefined ? (
        content
      ) : (
        <details class="fold">
          <summary>{folded}</summary>
          {content}
        </details>
      )}
    </section>
  );
}
