// The page of a memory snapshot or a memory timeline.

import "../style/all.css";
import "../style/memory.css";
import {el} from "../draw/dom";
import {type SnapshotData, setSnapshot} from "../model/report";
import {aboutMemory, showMemory} from "../views/memory_page";
import {themeButton} from "../views/shared/theme_button";
import {embedded} from "./embedded";

setSnapshot(embedded<SnapshotData>());
showMemory(
  el(
    "header",
    {class: "top"},
    el("h1", {}, "rankscope memory"),
    el("span", {class: "about"}, aboutMemory()),
    themeButton(),
  ),
);
