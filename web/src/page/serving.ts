// The page of a serving program as one file.

import "../style/all.css";
import "../style/serving.css";
import type {ServingData} from "../model/data";
import {Serving} from "../model/report";
import {servingPage} from "../views/pages";
import {showEmbedded} from "../views/shared/embedded";

void showEmbedded(servingPage, (raw: ServingData) => {
  const serving = new Serving(raw);
  serving.choice.follow();
  return serving;
});
