// No text of a trace reaches the page unchanged: whatever Preact makes a text node or a readable attribute of passes here. Markup
// is never markup with Preact; this writes out what would hide or reorder text.

import {options} from "preact";
import {visible} from "../model/text";

const readable = ["title", "aria-label", "placeholder", "alt"];

// What the hook is given, text nodes too: their type is null and their text stands in place of props.
type Made = {readonly type: unknown; props: unknown};

const before = options.vnode;
options.vnode = (node) => {
  const made: Made = node;
  if (made.type === null) {
    if (typeof made.props === "string") made.props = visible(made.props);
  } else if (typeof made.type === "string") {
    const props = made.props as Record<string, unknown>;
    for (const name of readable) {
      const text = props[name];
      if (typeof text === "string") props[name] = visible(text);
    }
  }
  before?.(node);
};
