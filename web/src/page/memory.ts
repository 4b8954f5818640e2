// The page of a memory snapshot or a memory timeline.

import "../style/all.css";
import "../style/memory.css";
import {Snapshot} from "../model/report";
import {memoryPage} from "../views/pages";
import {embedded, showEmbedded} from "../views/shared/embedded";

void showEmbedded(memoryPage, new Snapshot(embedded()));
