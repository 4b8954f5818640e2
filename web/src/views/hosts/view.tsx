// Hosts: what is wrong with them, what trains there, and captures of that.

import {visible} from "../../model/text";
import {sentenceOf} from "../../model/hosts";
import {CaptureForm} from "./capture_form";
import {HostTable} from "./host_table";
import {CaptureList, Jobs} from "./jobs";
import {Progress} from "./progress";
import {RackMap} from "./rack_map";
import type {HostsState} from "./state";

function Nothing({needsToken}: {readonly needsToken: boolean}) {
  return (
    <div class="nothing">
      <p>Start the agent on every host of a job; it tells this server of its devices and of what trains there:</p>
      <pre tabIndex={0}>
        rankscope-agent --server.url {location.origin}
        {needsToken ? " --server.token_file FILE" : ""}
      </pre>
      <p>The job needs one thing:</p>
      <pre tabIndex={0}>KINETO_USE_DAEMON=1 python train.py</pre>
      <p class="muted">
        {needsToken ? "The file has a token with the role upload. " : ""}Then it can be captured from here, and its
        devices watched. Nothing of a host has to be reached from this server.
      </p>
    </div>
  );
}

export function Hosts({state}: {readonly state: HostsState}) {
  const loading = state.loading.value;
  if (loading === "loading")
    return (
      <main class="runs hosts">
        <p class="muted">Looking for hosts {"\u2026"}</p>
      </main>
    );
  if (loading === "failed")
    return (
      <main class="runs hosts">
        <h1>The hosts cannot be shown</h1>
        <p class="wrong" role="alert">
          {visible(state.problem.value)}
        </p>
        <p class="muted">They are asked for again by themselves.</p>
      </main>
    );
  const form = state.form.value;
  const watched = state.watched.value;
  return (
    <main class={loading === "stale" ? "runs hosts stale" : "runs hosts"}>
      <h1>{visible(sentenceOf(state.hosts.value))}</h1>
      {loading === "stale" ? (
        <p class="wrong" role="alert">
          The server is gone; this is how it was. It is asked again by itself.
        </p>
      ) : null}
      {state.hosts.value.length === 0 ? <Nothing needsToken={state.session.needs_token} /> : null}
      {watched === null ? null : <Progress state={state} id={watched} />}
      {form === null ? null : (
        <CaptureForm key={`${form}/${[...state.chosen.value].join("/")}`} state={state} job={form} />
      )}
      <RackMap state={state} />
      <Jobs state={state} />
      <CaptureList state={state} />
      {state.hosts.value.length === 0 ? null : <HostTable state={state} />}
    </main>
  );
}
