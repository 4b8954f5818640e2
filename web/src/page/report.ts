// The report as one file.

import "uplot/dist/uPlot.min.css";
import "../style/all.css";
import {el} from "../draw/dom";
import {type ReportData, setReport} from "../model/report";
import {aboutJob, showReport} from "../views/report_page";
import {themeButton} from "../views/shared/theme_button";
import {embedded} from "./embedded";

setReport(embedded<ReportData>());
void showReport(
  el("header", {class: "top"}, el("h1", {}, "rankscope"), el("span", {class: "about"}, aboutJob()), themeButton()),
);
