// The Markdown of docs/findings and docs/verdicts: headings, paragraphs, items and fenced code; in lines code and links. No DOM.

export type Block =
  | {readonly kind: "heading"; readonly level: number; readonly text: string}
  | {readonly kind: "paragraph" | "code"; readonly text: string}
  | {readonly kind: "list"; readonly items: readonly string[]};

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = []; // of a paragraph
  let items: string[] = [];
  let code: string[] | null = null;
  const end = () => {
    if (lines.length > 0) blocks.push({kind: "paragraph", text: lines.join(" ")});
    if (items.length > 0) blocks.push({kind: "list", items});
    [lines, items] = [[], []];
  };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) {
      end();
      if (code !== null) blocks.push({kind: "code", text: code.join("\n")});
      code = code === null ? [] : null;
    } else if (code !== null) code.push(line);
    else if (line.trim() === "") end();
    else if (line.startsWith("#")) {
      end();
      const level = /^#+/.exec(line)?.[0].length ?? 1;
      blocks.push({kind: "heading", level, text: line.slice(level).trim()});
    } else if (line.startsWith("- ")) {
      if (lines.length > 0) end();
      items.push(line.slice(2).trim());
    } else if (items.length > 0) items.push(`${items.pop() ?? ""} ${line.trim()}`);
    else lines.push(line.trim());
  }
  end();
  return blocks;
}

export interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

// Links lead to files that only a checkout has: their words stay.
export function piecesOf(text: string): readonly Piece[] {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/`([^`]+)`/)
    .map((piece, i) => ({text: piece, isCode: i % 2 === 1}))
    .filter((piece) => piece.text !== "");
}
