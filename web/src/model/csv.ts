// Tables as text for other programs. No DOM.

type Value = string | number | boolean | null;

// A cell that a spreadsheet would take for a formula stays a text.
function guarded(value: Value): string {
  if (value === null) return "";
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
}

// As RFC 4180 has it.
export function csvOf(headings: readonly string[], rows: readonly (readonly Value[])[]): string {
  const cell = (value: Value): string => {
    const text = guarded(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [headings, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

// As spreadsheets paste it.
export function tsvOf(headings: readonly string[], rows: readonly (readonly Value[])[]): string {
  return [headings, ...rows]
    .map((row) => `${row.map((value) => guarded(value).replace(/[\t\r\n]+/g, " ")).join("\t")}\n`)
    .join("");
}
