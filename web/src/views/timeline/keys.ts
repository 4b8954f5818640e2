// Which keys are the picture's, by where the focus is: all while it has the focus or nothing has; elsewhere what the focused part does not
// take itself; none where one types, or in a menu or dialog. Who speaks to a browser, or hits keys by mistake, can have them in the picture
// alone (WCAG 2.1.4).

export type Focus = "picture" | "nothing" | "control" | "field";

const fields = "textarea, select, [contenteditable], [role=menu] *, dialog *, [role=menu], dialog";
// Inputs in which one does not type.
const switches = /^(checkbox|radio|button|submit|reset|image|file|color)$/;

export function focusOf(target: EventTarget | null, picture: Element): Focus {
  if (target === picture) return "picture";
  if (!(target instanceof Element) || target === document.body || target === document.documentElement) return "nothing";
  if (target.matches(fields)) return "field";
  return target instanceof HTMLInputElement && !switches.test(target.type) ? "field" : "control";
}

export function takesKey(focus: Focus, key: string, everywhere = true): boolean {
  if (focus === "field" || (!everywhere && focus !== "picture")) return false;
  // Enter, space and arrows are the control's own.
  return focus !== "control" || key === "Escape" || (key.length === 1 && key !== " ");
}

const place = "rankscope.keys";

export function keysAreEverywhere(): boolean {
  try {
    return localStorage.getItem(place) !== "picture";
  } catch {
    return true; // a browser that keeps nothing
  }
}

export function keepKeysEverywhere(everywhere: boolean): void {
  try {
    if (everywhere) localStorage.removeItem(place);
    else localStorage.setItem(place, "picture");
  } catch {
    /* then it holds until the page is left */
  }
}
