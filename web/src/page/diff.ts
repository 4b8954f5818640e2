// Two jobs compared, as one file.

import "../style/all.css";
import {Diff} from "../model/report";
import {diffPage} from "../views/pages";
import {embedded, showEmbedded} from "../views/shared/embedded";

void showEmbedded(diffPage, new Diff(embedded()));
