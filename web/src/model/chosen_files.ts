// Files that somebody chose or dropped, with those in folders, each with its path from there.

export interface Chosen {
  readonly file: File;
  readonly path: string; // "job/rank0.json" in a folder, else the name
}

export function chosenIn(files: ArrayLike<File> | null | undefined): readonly Chosen[] {
  return Array.from(files ?? [], (file) => ({file, path: file.webkitRelativePath || file.name}));
}

// A reader gives some entries at a time, and none when it has given all.
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<readonly FileSystemEntry[]>((take, fail) => reader.readEntries(take, fail));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function chosenBelow(entry: FileSystemEntry): Promise<readonly Chosen[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((take, fail) => (entry as FileSystemFileEntry).file(take, fail));
    return [{file, path: entry.fullPath.replace(/^\//, "")}];
  }
  const entries = await entriesOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(entries.map(chosenBelow))).flat();
}

// Call it while the event is handled: later the browser has forgotten what was dropped.
export async function droppedIn(transfer: DataTransfer | null): Promise<readonly Chosen[]> {
  const entries = Array.from(transfer?.items ?? [], (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  const chosen = entries.length > 0 ? (await Promise.all(entries.map(chosenBelow))).flat() : chosenIn(transfer?.files);
  // Hidden files are the file manager's.
  return chosen.filter(({path}) => !path.split("/").some((part) => part.startsWith(".")));
}
