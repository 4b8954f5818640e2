// Traces that somebody sends from the page: in parts, then analysed.

import {signal} from "@preact/signals";
import {createRun, finishRun, uploadFile} from "./api";
import type {Chosen} from "./chosen_files";
import {distinct} from "./order";

interface Upload {
  readonly name: string;
  readonly sent: number;
  readonly total: number;
  readonly problem: string | null;
}

// The folder of all files, or the name of the only one without what formats add.
export function nameOf(files: readonly Chosen[]): string {
  const folders = distinct(files.map(({path}) => (path.includes("/") ? (path.split("/")[0] ?? "") : "")));
  if (folders.length > 1) return "upload";
  return folders[0] || (files[0]?.path ?? "upload").replace(/\.(pt\.trace\.)?json(\.gz)?$/, "");
}

export class Uploads {
  readonly all = signal<ReadonlyMap<number, Upload>>(new Map());
  private next = 0;

  async send(files: readonly Chosen[]): Promise<void> {
    if (files.length === 0) return;
    const key = this.next++;
    const name = nameOf(files);
    const total = files.reduce((sum, {file}) => sum + file.size, 0);
    const tell = (sent: number, problem: string | null = null) => {
      this.all.value = new Map(this.all.value).set(key, {name, sent, total, problem});
    };
    tell(0);
    try {
      const run = await createRun(name);
      let before = 0;
      for (const {file, path} of files) {
        await uploadFile(run.id, path, file, (bytes) => tell(before + bytes));
        before += file.size;
      }
      await finishRun(run.id);
      const left = new Map(this.all.value);
      left.delete(key);
      this.all.value = left;
    } catch (error) {
      tell(0, error instanceof Error ? error.message : String(error));
    }
  }
}
