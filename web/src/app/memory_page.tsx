// A memory snapshot of a run, and what grew until a later one.

import {getMemory, listSnapshots, type Run} from "../model/api";
import {Snapshot} from "../model/report";
import {toMemory} from "../model/routes";
import {visible} from "../model/text";
import {memoryPage} from "../views/pages";
import {PageState} from "../views/shared/page_state";
import {RunHeader} from "./frame";
import type {Asked, Shell} from "./page";

interface SnapshotChoice {
  readonly label: string;
  readonly now: string;
  readonly first: string | null;
  readonly names: readonly string[];
  readonly to: (name: string) => string;
}
function SnapshotChoice({label, now, first, names, to}: SnapshotChoice) {
  return (
    <label>
      {`${label} `}
      <select value={now} onChange={(event) => location.assign(to(event.currentTarget.value))}>
        {first === null ? null : <option value="">{first}</option>}
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

// One of the run's snapshots, and a choice of the others.
export async function showMemory(shell: Shell, run: Run, {query}: Asked): Promise<void> {
  const {id} = run;
  const [file, later] = [query.get("file") ?? "", query.get("later") ?? ""];
  const names = await listSnapshots(id);
  const chosen = file === "" ? names[0] : file;
  if (chosen === undefined) {
    return shell.saysOfRun(
      run,
      "memory",
      "This run has no memory snapshot",
      "rankscope capture --memory-snapshot 2s takes one of each process; files NAME.pickle that are uploaded with the traces are shown here.",
    );
  }
  shell.says(`Reading ${visible(chosen)} \u2026`, "A snapshot of a gigabyte takes some ten seconds.");
  const snapshot = new Snapshot(await getMemory(id, chosen, later));
  const state = new PageState();
  const about = (
    <>
      <SnapshotChoice label="Snapshot" now={chosen} first={null} names={names} to={(one) => toMemory(id, one)} />
      {names.length > 1 ? (
        <SnapshotChoice
          label=" and a later one"
          now={later}
          first="none"
          names={names}
          to={(one) => toMemory(id, chosen, one)}
        />
      ) : null}
    </>
  );
  const header = <RunHeader theme={state.drawing.theme} run={run} here="memory" about={about} />;
  await shell.showSections(memoryPage, snapshot, state, header);
}
