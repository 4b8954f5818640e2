// Sentences of the program in the page.

import type {Report, SentenceList} from "../../model/report";
import {capitalised, inMicros} from "../../model/vocabulary";

// Options, commands and tables in a sentence are code.
function SaidWords({text}: {readonly text: string}) {
  const pieces = text.split(/(--[a-z-]+ [A-Z]+|rankscope [a-z]+ [a-z_]+|(?<=\(table )[a-z_]+)/);
  return <>{pieces.map((piece, i) => (i % 2 ? <code key={i}>{piece}</code> : piece))}</>;
}

// Sentences in the words of the text report, which writes them as lines of a list.
export function SaidLines({report, name}: {readonly report: Report; readonly name: SentenceList}) {
  return (
    <>
      {(report.sentences[name] ?? []).map((text) => (
        <p key={text} class="said">
          <SaidWords text={inMicros(capitalised(`${text}.`))} />
        </p>
      ))}
    </>
  );
}
