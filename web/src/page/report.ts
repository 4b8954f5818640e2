// The report as one file.

import "../style/all.css";
import type {ReportData} from "../model/data";
import {Report} from "../model/report";
import {reportPage} from "../views/pages";
import {showEmbedded} from "../views/shared/embedded";

void showEmbedded(reportPage, (raw: ReportData) => new Report(raw));
