// The files of a run, to be downloaded: commands of findings want them on the reader's own machine.

import {listFiles} from "../../model/api";
import {grouped, human} from "../../model/format";
import {toFile} from "../../model/routes";
import {visible} from "../../model/text";
import {useAnswered} from "../shared/use_answered";

const mostFiles = 200;

export function Files({run}: {readonly run: string}) {
  const {answer: files, problem} = useAnswered(() => listFiles(run), run);
  if (problem !== "")
    return (
      <p class="wrong" role="alert">
        {problem}
      </p>
    );
  if (files === null) return <p class="muted">Looking for files {"\u2026"}</p>;
  return (
    <details open={files.length <= 8}>
      <summary>Their names</summary>
      <ul class="run-files">
        {files.slice(0, mostFiles).map((file) => (
          <li key={file.name}>
            <a href={toFile(run, file.name)} download>
              {visible(file.name)}
            </a>{" "}
            <span class="muted">{human(file.bytes, "bytes")}</span>
          </li>
        ))}
      </ul>
      {files.length > mostFiles ? (
        <p class="note">
          {`The first ${mostFiles} of ${grouped(files.length)}. All: `}
          <code>{`GET /api/v1/runs/${run}/files`}</code>
        </p>
      ) : null}
    </details>
  );
}
