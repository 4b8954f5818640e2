// The app of the server. Each of its pages is a document of its own.

import "../style/all.css";
import "../style/app.css";
import "../style/act.css";
import "../style/rank.css";
import "../style/sql.css";
import "../style/timeline.css";
import "../style/whatif.css";
import "../style/hosts.css";
import "../style/fleet.css";
import "../style/memory.css";
import "../style/serving.css";
import "../draw/guard";
import {pages} from "../app/pages";
import {AppShell} from "../app/shell";

new AppShell(pages).open();
