// Sentences of the program in the page.

import {type Child, el} from "../../draw/dom";
import {report, type SentenceList} from "../../model/report";
import {capitalised, inMicros} from "../../model/vocabulary";

// Options, commands and tables in a sentence are code.
function saidWords(text: string): Child[] {
  return text
    .split(/(--[a-z-]+ [A-Z]+|rankscope [a-z]+ [a-z_]+|(?<=\(table )[a-z_]+)/)
    .map((piece, i) => (i % 2 ? el("code", {}, piece) : piece));
}
// Sentences in the words of the text report, which writes them as lines of a list.
export function saidLines(name: SentenceList): HTMLElement[] {
  return (report.sentences[name] ?? []).map((text) =>
    el("p", {class: "said"}, saidWords(inMicros(capitalised(`${text}.`)))),
  );
}
