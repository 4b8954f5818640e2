// How much of a text fits into a width, in the font of the plots.

let made: CanvasRenderingContext2D | null = null;

function ruler(): CanvasRenderingContext2D {
  if (made !== null) return made;
  made = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  made.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return made;
}

export function textWidth(text: string): number {
  return ruler().measureText(text).width;
}

// The longest front of `text` that fits, with an ellipsis where something is missing; "" when nothing worth reading does.
export function fitted(text: string, width: number): string {
  if (width < 14) return "";
  if (textWidth(text) <= width) return text;
  // At least this many characters fit, or none.
  let fits = 0;
  let tooMany = Math.min(text.length, Math.ceil(width / 2));
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (ruler().measureText(`${text.slice(0, middle)}\u2026`).width <= width) fits = middle;
    else tooMany = middle;
  }
  return fits >= 2 ? `${text.slice(0, fits)}\u2026` : "";
}
