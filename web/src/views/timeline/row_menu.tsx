// What can be done with a row: by the right button on it, or by the menu key on the row of the cursor.

import {useEffect, useRef} from "preact/hooks";
import {visible} from "../../model/text";
import type {TimelineState} from "./state";

export function RowMenu({state, back}: {readonly state: TimelineState; readonly back: () => void}) {
  const menu = state.cursor.menu.value;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (menu !== null) place.current?.querySelector("button")?.focus({preventScroll: true});
  }, [menu]);
  if (menu === null) return null;
  const {row} = menu;
  const key = state.rows.keyOf(row) ?? "";
  const {arrangement} = state;
  const close = () => {
    state.cursor.menu.value = null;
    back();
  };
  const isRank = row.track === null;
  const entries: readonly (readonly [label: string, keys: string, take: () => void])[] = [
    ...(isRank
      ? [
          [
            state.ranks.open.value.includes(row.rank) ? "Close" : "Open",
            "Enter",
            () => state.ranks.toggle(row.rank),
          ] as const,
        ]
      : []),
    [arrangement.pinned.value.includes(key) ? "Unpin" : "Pin to the top", "P", () => arrangement.togglePin(key)],
    ["Hide", "H", () => arrangement.hide(key)],
    ["Move up", "Shift+\u2191", () => state.rows.move(row, -1)],
    ["Move down", "Shift+\u2193", () => state.rows.move(row, 1)],
    ...(isRank
      ? [
          [
            "Only this rank",
            "",
            () => {
              state.ranks.shown.value = [row.rank];
            },
          ] as const,
        ]
      : []),
  ];
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(place.current?.querySelectorAll("button") ?? [])];
    const at = items.findIndex((one) => one === document.activeElement);
    const go = (to: number) => items[(to + items.length) % items.length]?.focus();
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="row-menu"
      ref={place}
      role="menu"
      aria-label={visible(row.label)}
      style={{
        left: `${Math.max(0, Math.min(menu.x, innerWidth - 216))}px`,
        top: `${Math.max(0, Math.min(menu.y, innerHeight - entries.length * 28 - 12))}px`,
      }}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) state.cursor.menu.value = null;
      }}
    >
      {entries.map(([label, keys, take]) => (
        <button
          type="button"
          role="menuitem"
          key={label}
          onClick={() => {
            close();
            take();
          }}
        >
          {label} <kbd>{keys}</kbd>
        </button>
      ))}
    </div>
  );
}
