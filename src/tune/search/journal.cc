#include "tune/search/journal.h"

#include <limits>

#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::tune {
namespace {

constexpr std::string_view kJournalSchema = "rankscope.tune_journal/1";

void WriteParameter(json::Writer& writer, const Parameter& one) {
  writer.BeginObject().Member("name", one.name);
  writer.Member("scale", static_cast<int>(one.scale)).Member("least", one.least);
  writer.Member("most", one.most).Member("standard", one.standard);
  writer.Member("resolution", one.resolution).Member("choices", one.choices).EndObject();
}

Result<Stage> StageOf(const json::Value& value) {
  RS_ASSIGN_OR_RETURN(const std::string_view text, value.NeedText());
  for (const Stage stage : {Stage::kBaseline, Stage::kDesign, Stage::kSearch, Stage::kFinal})
    if (text == ToString(stage)) return stage;
  return value.Wrong("a stage of a search is needed");
}

Result<std::vector<double>> NumbersOf(const json::Value& value) {
  RS_ASSIGN_OR_RETURN(const auto items, value.NeedItems());
  std::vector<double> numbers;
  for (const json::Value& item : items) {
    // What could not be measured is written as null.
    if (item.IsNull()) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    RS_ASSIGN_OR_RETURN(const double number, item.NeedNumber());
    numbers.push_back(number);
  }
  return numbers;
}

Result<Trial> TrialOf(const json::Value& root) {
  Trial trial;
  RS_ASSIGN_OR_RETURN(trial.asked.stage, StageOf(root["stage"]));
  RS_ASSIGN_OR_RETURN(const std::int64_t schedule, root["schedule"].NeedInteger(0));
  trial.asked.schedule = static_cast<std::uint64_t>(schedule);
  RS_ASSIGN_OR_RETURN(trial.asked.point, NumbersOf(root["point"]));
  RS_ASSIGN_OR_RETURN(trial.measured.crashed, root["crashed"].NeedFlag());
  RS_ASSIGN_OR_RETURN(trial.measured.objective, root["objective"].NeedNumber());
  RS_ASSIGN_OR_RETURN(trial.measured.metrics, NumbersOf(root["metrics"]));
  return trial;
}

Status TellLine(std::string_view line, Optimiser& search) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(line));
  RS_ASSIGN_OR_RETURN(const Trial trial, TrialOf(reader.root()));
  return search.Tell(trial);
}

}  // namespace

std::string JournalHead(const Space& space, const OptimiserOptions& options) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Member("schema", kJournalSchema).Member("trials", options.trials);
  writer.Member("seed", options.seed).Key("parameters").BeginArray();
  for (const Parameter& one : space.parameters()) WriteParameter(writer, one);
  writer.EndArray().Key("orders").BeginArray();
  for (const Order& order : space.orders()) {
    writer.BeginObject().Member("greater", order.greater).Member("lesser", order.lesser);
    writer.Member("factor", order.factor).EndObject();
  }
  writer.EndArray().Key("limits").BeginArray();
  for (const Limit& limit : options.limits)
    writer.BeginObject().Member("metric", limit.metric).Member("most", limit.most).EndObject();
  writer.EndArray().Key("hints").BeginArray();
  for (const Hint& hint : options.hints) {
    writer.BeginObject().Member("parameter", hint.parameter);
    writer.Member("direction", hint.direction).EndObject();
  }
  writer.EndArray().EndObject();
  return text + "\n";
}

std::string JournalLine(const Trial& trial) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Member("stage", ToString(trial.asked.stage));
  writer.Member("schedule", trial.asked.schedule).Member("point", trial.asked.point);
  writer.Member("crashed", trial.measured.crashed);
  writer.Member("objective", trial.measured.objective);
  writer.Member("metrics", trial.measured.metrics).EndObject();
  return text + "\n";
}

Status ReadJournal(std::string_view text, Optimiser& search) {
  const std::string head = JournalHead(search.space(), search.options());
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return OkStatus();
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line == head) continue;
      return Error(
          StatusCode::kBadData,
          "line 1: the journal is of another search, or of other parameters, limits, hints "
          "or numbers of trials: take another file, or what it was begun with");
    }
    if (const Status told = TellLine(line, search); !told.ok())
      return Error(StatusCode::kBadData, "line {}: {}", number, told.message());
  }
  return OkStatus();
}

}  // namespace rankscope::tune
