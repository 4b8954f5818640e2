// The page of a memory snapshot or a memory timeline.

import "../style/all.css";
import "../style/memory.css";
import type {SnapshotData} from "../model/data";
import {Snapshot} from "../model/report";
import {memoryPage} from "../views/pages";
import {showEmbedded} from "../views/shared/embedded";

void showEmbedded(memoryPage, (raw: SnapshotData) => new Snapshot(raw));
