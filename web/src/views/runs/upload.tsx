// Traces that somebody drops on the page: sent in parts, then analysed.

import {signal} from "@preact/signals";
import {visible} from "../../model/text";
import {createRun, finishRun, uploadFile} from "../../model/api";

interface Upload {
  readonly name: string;
  readonly sent: number;
  readonly total: number;
  readonly problem: string | null;
}

const uploads = signal<ReadonlyMap<number, Upload>>(new Map());
let next = 0;

// The folder of the first file, or its name without what formats add.
function nameOf(files: readonly File[]): string {
  const first = files[0];
  const folder = first?.webkitRelativePath.split("/")[0];
  return folder || (first?.name ?? "upload").replace(/\.(pt\.trace\.)?json(\.gz)?$/, "");
}

export async function upload(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const key = next++;
  const name = nameOf(files);
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const tell = (sent: number, problem: string | null = null) => {
    uploads.value = new Map(uploads.value).set(key, {name, sent, total, problem});
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
    const left = new Map(uploads.value);
    left.delete(key);
    uploads.value = left;
  } catch (error) {
    tell(0, error instanceof Error ? error.message : String(error));
  }
}

export function Uploads() {
  return (
    <ul class="uploads" aria-live="polite">
      {[...uploads.value].map(([key, one]) => (
        <li key={key}>
          {one.problem === null ? (
            <>
              <span>Sending {visible(one.name)}</span>{" "}
              <progress value={one.sent} max={Math.max(1, one.total)} aria-label={`Sending ${visible(one.name)}`} />
            </>
          ) : (
            <span class="wrong">
              {visible(one.name)}: {visible(one.problem)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function UploadButton() {
  return (
    <label class="upload-button">
      Upload traces
      <input
        type="file"
        multiple
        onChange={(event) => {
          const input = event.currentTarget;
          void upload([...(input.files ?? [])]);
          input.value = "";
        }}
      />
    </label>
  );
}
