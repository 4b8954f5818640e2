// Two jobs compared, as one file.

import "../style/all.css";
import {el} from "../draw/dom";
import {type DiffData, setDiff} from "../model/report";
import {aboutDiff, showDiff} from "../views/diff_page";
import {themeButton} from "../views/shared/theme_button";
import {embedded} from "./embedded";

setDiff(embedded<DiffData>());
showDiff(
  el(
    "header",
    {class: "top"},
    el("h1", {}, "rankscope diff"),
    el("span", {class: "about"}, aboutDiff()),
    themeButton(),
  ),
);
