// What to record of a job: the defaults are short and cost it least.

import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {visible} from "../../model/text";
import {type Wish, wishFor} from "../../model/captures";
import {plural} from "../../model/format";
import type {HostsState} from "./state";

function Box({
  name,
  title,
  value,
  set,
}: {
  readonly name: string;
  readonly title: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}) {
  return (
    <label title={title}>
      <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} /> {name}
    </label>
  );
}

function Whole({
  value,
  set,
  label,
  before,
  children,
  most,
}: {
  readonly value: number;
  readonly set: (value: number) => void;
  readonly label: string;
  readonly most: number;
  readonly before?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <label>
      {before}{" "}
      <input
        type="number"
        required
        min={1}
        max={most}
        step={1}
        value={value}
        aria-label={label}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
      />{" "}
      {children}
    </label>
  );
}

// What is looked at for a time, which is asked for once it is chosen; 0: it is not.
function Window({
  name,
  title,
  value,
  on,
  most,
  set,
}: {
  readonly name: string;
  readonly title: string;
  readonly value: number;
  readonly on: number;
  readonly most: number;
  readonly set: (value: number) => void;
}) {
  return (
    <span class="together">
      <Box name={name} title={title} value={value > 0} set={(isOn) => set(isOn ? on : 0)} />
      {value > 0 ? (
        <Whole label={`Milliseconds of the ${name}`} before="over" value={value} most={most} set={set}>
          ms
        </Whole>
      ) : null}
    </span>
  );
}

export function CaptureForm({state, job}: {readonly state: HostsState; readonly job: string}) {
  const chosen = [...state.chosen.value];
  const [wish, setWish] = useState<Wish>(() => wishFor(job, []));
  const [problem, setProblem] = useState("");
  const [isSending, setSending] = useState(false);
  const change = (part: Partial<Wish>) => setWish({...wish, ...part});
  const known = state.jobs.value.find((one) => one.job === job);
  const name = job === "" ? "processes without a job" : `job ${visible(known?.name ?? job)}`;
  const hosts =
    chosen.length === 0
      ? known === undefined
        ? ""
        : ` on ${plural(known.host_count, "host")}`
      : ` on ${chosen.slice(0, 3).map(visible).join(", ")}${chosen.length > 3 ? ` and ${chosen.length - 3} more` : ""}`;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setSending(true);
    try {
      await state.capture({...wish, hosts: chosen});
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setSending(false);
    }
  };
  return (
    <section class="capture-panel" aria-labelledby="capture-form-title">
      <h2 id="capture-form-title">{`Capture ${name}${hosts}`}</h2>
      <form onSubmit={(event) => void send(event)}>
        <fieldset>
          <legend>How long</legend>
          <label>
            <input type="radio" name="by" checked={wish.by === "steps"} onChange={() => change({by: "steps"})} /> steps
          </label>
          {wish.by === "steps" ? (
            <>
              <Whole label="Steps" value={wish.steps} most={100_000} set={(steps) => change({steps})} />
              <Whole
                label="From the next multiple of"
                before="from the next multiple of"
                value={wish.round_up}
                most={1_000_000}
                set={(round_up) => change({round_up})}
              />
            </>
          ) : null}
          <label>
            <input type="radio" name="by" checked={wish.by === "duration"} onChange={() => change({by: "duration"})} />{" "}
            a time
          </label>
          {wish.by === "duration" ? (
            <Whole
              label="Milliseconds"
              value={wish.duration_ms}
              most={3_600_000}
              set={(duration_ms) => change({duration_ms})}
            >
              ms
            </Whole>
          ) : null}
        </fieldset>
        <fieldset>
          <legend>With</legend>
          <Box
            name="shapes"
            title="Shapes of the tensors of each op: traces grow by about a fifth"
            value={wish.shapes}
            set={(shapes) => change({shapes})}
          />
          <Box
            name="stacks"
            title="Python stacks of each op: the host slows down, and traces grow several times"
            value={wish.stacks}
            set={(stacks) => change({stacks})}
          />
          <Box
            name="memory"
            title="Allocations and frees of device memory"
            value={wish.memory}
            set={(memory) => change({memory})}
          />
          <Box
            name="CPU profile"
            title="Stacks of Python and native functions, sampled from outside: the job does not change"
            value={wish.cpu}
            set={(cpu) => change({cpu})}
          />
          <Window
            name="memory snapshot"
            title="After the traces: what each process allocates over some time, and who holds its memory"
            value={wish.snapshot_ms}
            on={2000}
            most={3_600_000}
            set={(snapshot_ms) => change({snapshot_ms})}
          />
          <Window
            name="snoop"
            title="What each process allocates, launches and waits for, from outside: the helper of snoop on its host looks"
            value={wish.snoop_ms}
            on={10_000}
            most={600_000}
            set={(snoop_ms) => change({snoop_ms})}
          />
          <Window
            name="off-CPU"
            title="Where its threads wait while they do not run, from outside: the helper of snoop on its host looks"
            value={wish.offcpu_ms}
            on={10_000}
            most={600_000}
            set={(offcpu_ms) => change({offcpu_ms})}
          />
        </fieldset>
        <label>
          Name of the run{" "}
          <input
            type="text"
            size={32}
            maxLength={200}
            value={wish.name}
            onInput={(event) => change({name: event.currentTarget.value})}
          />
        </label>
        <span class="together">
          <button type="submit" class="strong" disabled={isSending}>
            Start
          </button>
          <button
            type="button"
            onClick={() => {
              state.form.value = null;
            }}
          >
            Not now
          </button>
        </span>
      </form>
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem)}
        </p>
      )}
    </section>
  );
}
