// What the palette of commands offers: places of the app, and what the view that is shown can do. No DOM.

import {signal} from "@preact/signals";

export interface Command {
  readonly label: string;
  readonly keys?: string; // that do the same, as people read them
  readonly take: () => void;
}

// All words of the text stand in the label, case aside; the label that begins with the text comes first.
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({label}) => {
    const lower = label.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  const begins = (one: Command) => Number(one.label.toLowerCase().startsWith(text.trim().toLowerCase()));
  return words.length === 0 ? found : [...found].sort((a, b) => begins(b) - begins(a));
}

export class Commands {
  readonly isOpen = signal(false);
  // Of the view that is shown; asked for when the palette opens.
  readonly ofView = signal<() => readonly Command[]>(() => []);
}
