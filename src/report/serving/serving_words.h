// Sentences of the serving report, shared by text and Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/base/table_view.h"
#include "report/serving/serving_report.h"
#include "schemas/serving.h"

namespace rankscope {

// What the report reads of the tables.
struct ServingView {
  explicit ServingView(const ServingReport& report);

  RowsOf<ServingFindings> findings;
  RowsOf<ServingStages> stages;
  RowsOf<ServingMethods> methods;
  RowsOf<ServingTail> tail;
  RowsOf<ServingLittle> little;
  RowsOf<ServingLevels> levels;
  RowsOf<ServingBatches> batches;
  RowsOf<ServingLoad> load;
  RowsOf<ServingMetrics> metrics;
  RowsOf<ServingGoodput> goodput;
  RowsOf<ServingEnergy> energy;
  RowsOf<ServingTunings> tunings;
  RowsOf<ServingTrials> trials;
  RowsOf<ServingSources> sources;
  RowsOf<ServingNotes> notes;

  // The row of a stage; nullopt without.
  std::optional<std::size_t> Stage(std::string_view stage) const;
};

std::string ServingHeadlineOf(const ServingView& view);

// A line each; unknown ones are left out: methods, tail, steps, Little's law, load, goodput,
// energy.
struct ServingLine {
  std::string name;
  std::string text;
};
std::vector<ServingLine> ServingLines(const ServingView& view);

// "15.3%", "12.1 s", "-": cells of the table of stages. Of metrics "<= 300 ms" and the like.
std::vector<std::string> StageCells(const ServingView& view, std::size_t row);
// "by 2,000 requests", "by metrics".
std::string StagesFrom(const ServingView& view);
// "gain 41.0% of mean time by replay (model error 3.1%)", or why there is none.
std::string GainWords(const ServingView& view, std::size_t finding);

}  // namespace rankscope
