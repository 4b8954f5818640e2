// The same names as JSON: a row a line (veRL's file logger, exports of wandb), a list of rows, or
// the log_history of a trainer_state.json.
#include <fmt/core.h>

#include "base/text.h"
#include "post_training/inputs/input_file.h"
#include "post_training/inputs/steps_of_rows.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

// A row, a list of rows, or a document that has one.
void TakeAll(const json::Value& document, StepsOfRows& steps) {
  for (const json::Value& rows : {document, document["log_history"], document["history"]})
    for (const json::Value& row : rows.Items()) steps.Take(RowOfJson(row));
  if (document.IsObject()) steps.Take(RowOfJson(document));
}

bool IsOneDocument(std::string_view text) {
  const std::string_view first = Trimmed(text.substr(0, text.find('\n')));
  return first.size() < 2 || !json::Reader::Parse(first).ok();
}

}  // namespace

Status ReadRows(const InputFile& file, PostData& to) {
  StepsOfRows steps;
  if (IsOneDocument(Trimmed(file.text))) {
    std::string text(file.text);
    const Result<json::Reader> reader = json::Reader::ParseLarge(text);
    if (!reader.ok())
      return Error(StatusCode::kBadData, "{}: rows of metrics: {}; is it whole?", file.path,
                   reader.status().message());
    TakeAll(reader->root(), steps);
  } else {
    serving::Lines lines(file.text);
    std::string_view line;
    std::int64_t bad = 0, first_bad = 0;
    while (lines.Next(line)) {
      if (Trimmed(line).empty()) continue;
      const Result<json::Reader> reader = json::Reader::Parse(line);
      if (reader.ok()) {
        TakeAll(reader->root(), steps);
      } else if (++bad == 1) {
        first_bad = lines.number();
      }
    }
    if (bad > 0)
      to.notes.push_back(fmt::format("{}: {} line{} no JSON, the first at line {}", file.path, bad,
                                     bad == 1 ? " is" : "s are", first_bad));
  }
  if (steps.Finish(file.path, "rows", to) == 0)
    return Error(StatusCode::kNotFound, "{}: no row has the times of a step", file.path);
  return OkStatus();
}

}  // namespace rankscope::post_training
