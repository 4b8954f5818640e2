// Two jobs compared, as one file.

import "../style/all.css";
import type {DiffData} from "../model/data";
import {Diff} from "../model/report";
import {diffPage} from "../views/pages";
import {showEmbedded} from "../views/shared/embedded";

void showEmbedded(diffPage, (raw: DiffData) => new Diff(raw));
