// What the views of the app share: the runs, which of them are compared, what names mean, links to what is seen.

import {createContext} from "preact";
import {useContext} from "preact/hooks";
import {Commands} from "../../model/commands";
import {Compared} from "../../model/compared";
import {Definitions} from "../../model/definitions";
import {RunList} from "../../model/runs";
import {Sharing} from "../../model/share";
import {Uploads} from "../../model/uploads";

export class AppState {
  readonly compared = new Compared();
  readonly runs = new RunList(this.compared);
  readonly definitions = new Definitions();
  readonly sharing = new Sharing();
  readonly uploads = new Uploads();
  readonly commands = new Commands();
}

export const AppContext = createContext<AppState | null>(null);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (app === null) throw new Error("a view of the app stands outside of it");
  return app;
}
