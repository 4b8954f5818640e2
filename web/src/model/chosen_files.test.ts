import {expect, test} from "vitest";
import {chosenIn, droppedIn} from "./chosen_files";
import {nameOf} from "./uploads";

const file = (name: string, webkitRelativePath = "") => ({name, webkitRelativePath}) as File;

function fileEntry(fullPath: string): FileSystemEntry {
  const entry = {
    isFile: true,
    fullPath,
    file: (take: (one: File) => void) => take(file(fullPath.split("/").at(-1) ?? "")),
  };
  return entry as unknown as FileSystemEntry;
}

// Gives one entry at a time, as a reader may.
function folderEntry(fullPath: string, entries: readonly FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    const left = [...entries];
    return {readEntries: (take: (some: FileSystemEntry[]) => void) => take(left.splice(0, 1))};
  };
  return {isFile: false, fullPath, createReader} as unknown as FileSystemEntry;
}

const transferOf = (entries: readonly (FileSystemEntry | null)[], files: readonly File[] = []) =>
  ({items: entries.map((entry) => ({webkitGetAsEntry: () => entry})), files}) as unknown as DataTransfer;

test("a chosen folder gives paths, files their names", () => {
  expect(chosenIn([file("a.json"), file("b.json", "job/b.json")]).map(({path}) => path)).toEqual([
    "a.json",
    "job/b.json",
  ]);
  expect(chosenIn(null)).toEqual([]);
});

test("a dropped folder is read to its end, without hidden files", async () => {
  const folder = folderEntry("/job", [
    fileEntry("/job/rank0.json"),
    fileEntry("/job/.DS_Store"),
    folderEntry("/job/more", [fileEntry("/job/more/rank1.json")]),
  ]);
  const chosen = await droppedIn(transferOf([folder, fileEntry("/alone.json")]));
  expect(chosen.map(({path}) => path)).toEqual(["job/rank0.json", "job/more/rank1.json", "alone.json"]);
});

test("what has no entry is a file", async () => {
  const chosen = await droppedIn(transferOf([null], [file("pasted.json")]));
  expect(chosen.map(({path}) => path)).toEqual(["pasted.json"]);
  expect(await droppedIn(null)).toEqual([]);
});

test("the name is that of the one folder, or of the file", () => {
  const named = (...paths: string[]) => nameOf(paths.map((path) => ({path, file: file(path)})));
  expect(named("job/a.json", "job/b/c.json")).toBe("job");
  expect(named("rank0.pt.trace.json.gz", "rank1.pt.trace.json.gz")).toBe("rank0");
  expect(named("a/x.json", "b/x.json")).toBe("upload");
});
