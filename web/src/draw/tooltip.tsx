// The tooltip of a page, and what screen readers hear.

import {useLayoutEffect, useRef} from "preact/hooks";
import {exact} from "../model/format";
import {front} from "../model/text";
import {cellAttributes, cellText, Swatch} from "./cells";
import {useDrawing} from "./drawing";
import type {TipLine} from "./tips";

function Line({line: [colour, label, cell]}: {readonly line: TipLine}) {
  const isKnown = cell.value !== null && cell.id && cell.unit && cell.unit !== "name";
  return (
    <tr>
      <td>{colour ? <Swatch colour={colour} /> : null}</td>
      <td>{label}</td>
      <td {...cellAttributes(cell)} title={undefined}>
        {cellText(cell)}
      </td>
      <td class="exact">{isKnown ? exact(cell.value, cell.unit) : ""}</td>
    </tr>
  );
}

export function Tooltip() {
  const {tips} = useDrawing();
  const ref = useRef<HTMLDivElement>(null);
  const shown = tips.shown.value;
  // What is hidden keeps its words.
  const last = useRef(shown);
  last.current = shown ?? last.current;
  const said = last.current;
  useLayoutEffect(() => {
    if (ref.current === null || shown === null) return;
    const {at} = shown;
    const box = ref.current.getBoundingClientRect();
    const left = at.x + 14 + box.width > innerWidth - 8 ? at.x - 14 - box.width : at.x + 14;
    const top = at.y + 14 + box.height > innerHeight - 8 ? at.y - 14 - box.height : at.y + 14;
    ref.current.style.transform = `translate(${Math.max(8, Math.min(left, innerWidth - box.width - 8))}px, ${Math.max(8, top)}px)`;
  }, [shown]);
  return (
    <>
      <div class="tip" hidden={shown === null} role="presentation" ref={ref}>
        {said === null ? null : (
          <>
            <b>{front(said.title, 300)}</b>
            <table>
              {said.lines.map((line, i) => (
                <Line key={i} line={line} />
              ))}
            </table>
          </>
        )}
      </div>
      <div class="spoken" role="status" aria-live="polite">
        {tips.spoken.value}
      </div>
    </>
  );
}
