// Names of frames, as people read them. No DOM.

const python = /^(.*?)\((\d+)\): (.+)$/;

// "torch/nn/modules/module.py(1501): forward" -> "forward (module.py:1501)": what matters stands first where a box is narrow.
export function shortFrame(name: string): string {
  const found = python.exec(name);
  if (found === null) return name.replace(/^nn\.Module: /, "");
  return `${found[3]} (${(found[1] ?? "").split("/").at(-1)}:${found[2]})`;
}

// The file that a Python frame is of; "": it names none.
export function fileOfFrame(name: string): string {
  return python.exec(name)?.[1] ?? "";
}
