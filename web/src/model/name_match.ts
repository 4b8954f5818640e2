// Which names a search lights. No DOM.

import type {NameMatch} from "./api";

// A pattern that is none matches nothing: the server says what is wrong with it.
export function matcherOf(text: string, match: NameMatch): (name: string) => boolean {
  if (match === "whole") return (name) => name === text;
  if (match === "part") {
    const wanted = text.toLowerCase();
    return (name) => name.toLowerCase().includes(wanted);
  }
  try {
    const pattern = new RegExp(text, "i");
    return (name) => pattern.test(name.slice(0, 1000));
  } catch {
    return () => false;
  }
}
