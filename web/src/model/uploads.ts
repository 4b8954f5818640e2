// Traces that somebody sends from the page: in parts, then analysed.

import {signal} from "@preact/signals";
import {createRun, finishRun, uploadFile} from "./api";

interface Upload {
  readonly name: string;
  readonly sent: number;
  readonly total: number;
  readonly problem: string | null;
}

// The folder of the first file, or its name without what formats add.
function nameOf(files: readonly File[]): string {
  const first = files[0];
  const folder = first?.webkitRelativePath.split("/")[0];
  return folder || (first?.name ?? "upload").replace(/\.(pt\.trace\.)?json(\.gz)?$/, "");
}

export class Uploads {
  readonly all = signal<ReadonlyMap<number, Upload>>(new Map());
  private next = 0;

  async send(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    const key = this.next++;
    const name = nameOf(files);
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const tell = (sent: number, problem: string | null = null) => {
      this.all.value = new Map(this.all.value).set(key, {name, sent, total, problem});
    };
    tell(0);
    try {
      const run = await createRun(name);
      let before = 0;
      for (const file of files) {
        await uploadFile(run.id, file.webkitRelativePath || file.name, file, (bytes) => tell(before + bytes));
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
