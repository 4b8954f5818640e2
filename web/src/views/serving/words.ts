// What stages and kinds of steps are called and which colour they have, on all pages of serving.

import type {CellValue} from "../../model/report";

export interface StageWords {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
  readonly doc: string;
}

// In the order in which a request goes through them; what lies around the engine comes last, for nothing tells where in it it lies.
export const stages: readonly StageWords[] = [
  {id: "queue", label: "queue", colour: "waiting", doc: "waiting for the engine's scheduler, or for a worker"},
  {id: "prefill", label: "prefill", colour: "forward", doc: "first scheduled to first token"},
  {
    id: "first_token",
    label: "first token",
    colour: "communication_unknown",
    doc: "arrival to first token: queue and prefill undivided",
  },
  {id: "decode", label: "decode", colour: "backward", doc: "first token to last"},
  {id: "read", label: "read", colour: "exposed_copy", doc: "of a service: a worker has the request until it is read"},
  {id: "lock", label: "lock", colour: "exposed_communication", doc: "of a service: its handler waits for locks"},
  {id: "handler", label: "handler", colour: "forward", doc: "of a service: its handler works"},
  {id: "send", label: "send", colour: "backward", doc: "of a service: the handler's end to the last byte"},
  {id: "response", label: "response", colour: "still-host", doc: "the whole request, undivided"},
  {id: "frontend", label: "frontend", colour: "idle_host", doc: "HTTP, tokenising, detokenising, streaming"},
  {id: "network", label: "network", colour: "exposed_communication", doc: "client less server"},
];
const byId = new Map<CellValue, StageWords>(stages.map((one) => [one.id, one]));

export function stageOf(id: CellValue): StageWords {
  return byId.get(id) ?? {id: String(id), label: String(id), colour: "unknown", doc: ""};
}

export const kindColours: Readonly<Record<string, string>> = {
  decode: "backward",
  mixed: "series-4",
  prefill: "forward",
  idle: "idle_gap",
};
