// What somebody drops on the page, on its way.

import {useApp} from "../shared/app_state";

export function UploadList() {
  const {uploads} = useApp();
  return (
    <ul class="uploads" aria-live="polite">
      {[...uploads.all.value].map(([key, one]) => (
        <li key={key}>
          {one.problem === null ? (
            <>
              <span>Sending {one.name}</span>{" "}
              <progress value={one.sent} max={Math.max(1, one.total)} aria-label={`Sending ${one.name}`} />
            </>
          ) : (
            <span class="wrong">
              {one.name}: {one.problem}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function UploadButton() {
  const {uploads} = useApp();
  return (
    <label class="upload-button">
      Upload traces
      <input
        type="file"
        multiple
        onChange={(event) => {
          const input = event.currentTarget;
          void uploads.send([...(input.files ?? [])]);
          input.value = "";
        }}
      />
    </label>
  );
}
