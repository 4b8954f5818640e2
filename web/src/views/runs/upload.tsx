// What somebody drops on the page, on its way.

import {chosenIn} from "../../model/chosen_files";
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

function Chooser({label, isOfFolders}: {readonly label: string; readonly isOfFolders: boolean}) {
  const {uploads} = useApp();
  return (
    <label class="upload-button">
      {label}
      <input
        type="file"
        multiple
        ref={(input) => {
          if (input !== null) input.webkitdirectory = isOfFolders;
        }}
        onChange={(event) => {
          const input = event.currentTarget;
          void uploads.send(chosenIn(input.files));
          input.value = "";
        }}
      />
    </label>
  );
}

export function UploadButtons() {
  return (
    <>
      <Chooser label="Upload traces" isOfFolders={false} />
      <Chooser label="Upload a folder" isOfFolders={true} />
    </>
  );
}
