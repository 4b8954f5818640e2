// The page of a serving program as one file.

import "../style/all.css";
import "../style/serving.css";
import {Serving} from "../model/report";
import {servingPage} from "../views/pages";
import {embedded, showEmbedded} from "../views/shared/embedded";

const serving = new Serving(embedded());
serving.choice.follow();
void showEmbedded(servingPage, serving);
