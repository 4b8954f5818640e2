// The report as one file.

import "../style/all.css";
import {Report} from "../model/report";
import {reportPage} from "../views/pages";
import {embedded, showEmbedded} from "../views/shared/embedded";

void showEmbedded(reportPage, new Report(embedded()));
