// The palette of commands: Ctrl+K on every page of a run. A combobox over a list, as ARIA describes it: the focus stays in the text.

import {useEffect, useRef, useState} from "preact/hooks";
import {type Command, matching} from "../model/commands";
import {useApp} from "../views/shared/app_state";

const mostShown = 50;

export function Palette({places}: {readonly places: readonly Command[]}) {
  const {isOpen} = useApp().commands;
  useEffect(() => {
    const ask = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      isOpen.value = !isOpen.value;
    };
    addEventListener("keydown", ask);
    return () => removeEventListener("keydown", ask);
  }, [isOpen]);
  return (
    <>
      <button type="button" class="palette-button" aria-keyshortcuts="Control+K" onClick={() => (isOpen.value = true)}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      {isOpen.value ? <Dialog places={places} /> : null}
    </>
  );
}

function Dialog({places}: {readonly places: readonly Command[]}) {
  const {isOpen, ofView} = useApp().commands;
  const dialog = useRef<HTMLDialogElement>(null);
  const [[all, offer]] = useState(() => {
    const own = ofView.value();
    return [[...own, ...places], own.length > 0 ? "A page, a rank, a finding or what to do" : "A page"] as const;
  });
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(all, text);
  const shown = found.slice(0, mostShown);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus({preventScroll: true});
    };
  }, []);
  useEffect(() => {
    document.getElementById(`command-${at}`)?.scrollIntoView({block: "nearest"});
  }, [at]);
  const take = (command: Command | undefined) => {
    if (command === undefined) return;
    isOpen.value = false;
    // When the focus is back where it was.
    setTimeout(command.take, 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = shown.length - 1;
    if (event.key === "ArrowDown") setAt(at >= last ? 0 : at + 1);
    else if (event.key === "ArrowUp") setAt(at <= 0 ? Math.max(0, last) : at - 1);
    else if (event.key === "PageDown") setAt(Math.min(Math.max(0, last), at + 8));
    else if (event.key === "PageUp") setAt(Math.max(0, at - 8));
    else if (event.key === "Enter") take(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Commands"
      onClose={() => {
        isOpen.value = false;
      }}
      onClick={(event) => {
        if (event.target === dialog.current) isOpen.value = false;
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label={offer}
        aria-expanded="true"
        aria-controls="command-list"
        aria-autocomplete="list"
        aria-activedescendant={shown.length === 0 ? undefined : `command-${at}`}
        placeholder={offer}
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="command-list" role="listbox" aria-label="Commands">
        {shown.map((one, i) => (
          <li
            key={`${i}/${one.label}`}
            id={`command-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerMove={() => setAt(i)}
            onClick={() => take(one)}
          >
            <span>{one.label}</span>
            {one.keys === undefined ? null : <kbd>{one.keys}</kbd>}
          </li>
        ))}
      </ul>
      <p class="muted" role="status">
        {found.length === 0
          ? "Nothing is called so"
          : found.length > shown.length
            ? `${shown.length} of ${found.length}; more words narrow it down`
            : ""}
      </p>
    </dialog>
  );
}
