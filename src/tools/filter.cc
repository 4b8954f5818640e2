#include "tools/filter.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/kinds.h"
#include "formats/kineto/tokens/decimal.h"
#include "tools/id_set.h"
#include "tools/step_windows.h"

namespace rankscope::tools {
namespace {

using kineto::EventText;
using kineto::RawEvent;

// What is known of one event alone.
struct Judged {
  char phase = '\0';
  EventKind kind = EventKind::kOther;
  bool is_launch_arrow = false;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t correlation = kNoCorrelation;
  bool matches = false;     // every condition but those on time and on the duration of pairs
  bool is_in_time = false;  // --time, by its own times
  bool is_in_step = false;  // by its own times

  bool is_arrow() const { return phase == 's' || phase == 't' || phase == 'f'; }
  bool is_device() const { return IsDeviceWork(kind) || kind == EventKind::kDeviceSync; }
  bool is_launch() const { return kind == EventKind::kRuntime && correlation > 0; }
};

// Conditions on one event. One per thread.
class Judge {
 public:
  Judge(const FilterOptions& options, const std::vector<StepWindow>& windows,
        const std::optional<TimeRange>& time)
      : options_(options), windows_(windows), time_(time) {}

  Judged Look(const RawEvent& event) {
    Judged judged;
    judged.phase = event.phase.size() == 1 ? event.phase[0] : '\0';
    if (judged.phase == 'M') return judged;
    const std::string_view category = kineto::Unquote(event.category);
    if (judged.is_arrow()) {
      judged.is_launch_arrow = kineto::IsLaunchFlow(category);
      if (!TimeOf(event, judged.ts_ns)) judged.ts_ns = 0;
      judged.matches = !HasConditionsOnEvents();
      judged.is_in_time = !time_ || Overlaps(judged, *time_);
      judged.is_in_step = IsInStep(judged);
      return judged;
    }
    judged.kind = KindOf(category, event);
    if (!TimeOf(event, judged.ts_ns)) return judged;
    judged.dur_ns = DurationOf(event);
    std::int64_t number = 0;
    if (event.has_args && kineto::ParseInteger(kineto::Unquote(event.args.correlation), number))
      judged.correlation = number;
    judged.matches = Matches(event, category, judged);
    judged.is_in_time = !time_ || Overlaps(judged, *time_);
    judged.is_in_step = IsInStep(judged);
    return judged;
  }

  bool FitsDuration(std::int64_t dur_ns) const {
    return dur_ns >= options_.min_dur_ns &&
           (!options_.max_dur_ns || dur_ns <= *options_.max_dur_ns);
  }

 private:
  static bool Overlaps(const Judged& event, const TimeRange& range) {
    return event.ts_ns < range.end_ns &&
           (event.ts_ns >= range.begin_ns || event.ts_ns + event.dur_ns > range.begin_ns);
  }

  bool HasConditionsOnEvents() const {
    return !options_.categories.empty() || !options_.names.empty() || options_.streams ||
           options_.min_dur_ns > 0 || options_.max_dur_ns || !options_.python;
  }

  EventKind KindOf(std::string_view category, const RawEvent& event) {
    if (category == "mtia_ccp_events") return kineto::KindOfMtiaWork(kineto::Unquote(event.name));
    if (category != last_category_) {
      last_category_ = category;
      last_kind_ = kineto::KindOfCategory(category);
    }
    return last_kind_;
  }

  bool Matches(const RawEvent& event, std::string_view category, const Judged& judged) {
    if (!options_.python && judged.kind == EventKind::kPythonFunction) return false;
    const auto& categories = options_.categories;
    if (!categories.empty() &&
        std::find(categories.begin(), categories.end(), category) == categories.end())
      return false;
    const bool is_pair = judged.phase == 'B' || judged.phase == 'E';
    if (!is_pair && !FitsDuration(judged.dur_ns)) return false;
    if (options_.streams) {
      std::int64_t stream = 0;
      const bool has_stream =
          event.has_args && kineto::ParseInteger(kineto::Unquote(event.args.stream), stream);
      if (!has_stream || !options_.streams->contains(stream)) return false;
    }
    return options_.names.empty() || NameMatches(event.name);
  }

  bool NameMatches(std::string_view token) {
    const auto known = name_matches_.find(token);
    if (known != name_matches_.end()) return known->second;
    const std::string name(PlainText(token, scratch_));
    const bool matches = std::any_of(
        options_.names.begin(), options_.names.end(),
        [&](const std::string& pattern) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
    constexpr std::size_t kMostRemembered = 100'000;
    if (name_matches_.size() >= kMostRemembered) name_matches_.clear();
    name_matches_.emplace(std::string(token), matches);
    return matches;
  }

  bool IsChosen(int window) const {
    return window >= 0 && window < static_cast<int>(windows_.size()) &&
           options_.steps->contains(windows_[static_cast<std::size_t>(window)].number);
  }

  bool IsInStep(const Judged& event) const {
    if (!options_.steps) return true;
    const bool overlaps_count =
        event.kind == EventKind::kPythonFunction || event.kind == EventKind::kDeviceAnnotation;
    if (!overlaps_count) return IsChosen(WindowAt(windows_, event.ts_ns));
    auto window =
        std::partition_point(windows_.begin(), windows_.end(),
                             [&](const StepWindow& one) { return one.end_ns <= event.ts_ns; });
    for (; window != windows_.end() && Overlaps(event, {window->begin_ns, window->end_ns});
         ++window) {
      if (options_.steps->contains(window->number)) return true;
    }
    return false;
  }

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  const FilterOptions& options_;
  const std::vector<StepWindow>& windows_;
  const std::optional<TimeRange>& time_;
  std::string last_category_;
  EventKind last_kind_ = EventKind::kOther;
  boost::unordered_flat_map<std::string, bool, TextHash, std::equal_to<>> name_matches_;
  std::string scratch_;
};

// What the passes before the last one find out.
struct Selection {
  const FilterOptions* options = nullptr;
  std::vector<StepWindow> windows;
  std::optional<TimeRange> time;

  IdSet launches;          // correlation ids of launches
  IdSet launches_in_step;  // of those in the chosen steps
  IdSet kept_launches;     // of those that satisfy the conditions themselves
  IdSet works;             // of device work
  IdSet matching_works;    // of that which satisfies the conditions, but for the step
  IdSet kept_pairs;        // indexes of B and E

  // Where arrows that no correlation id states begin or end: the shortest event that begins there.
  struct Place {
    std::int64_t dur_ns = INT64_MAX;
    bool is_kept = false;
    bool is_there() const { return dur_ns != INT64_MAX; }
  };
  boost::unordered_flat_map<std::uint64_t, Place> places;
  boost::unordered_flat_map<std::uint64_t, bool> arrows;  // kept or not

  bool IsKeptWork(std::int64_t correlation, bool is_in_step) const {
    const bool has_launch = launches.Contains(correlation);
    return has_launch && options->steps ? launches_in_step.Contains(correlation) : is_in_step;
  }
  bool IsLaunchOfKept(std::int64_t correlation) const {
    return options->links && matching_works.Contains(correlation) &&
           (!options->steps || launches_in_step.Contains(correlation));
  }
  bool KeepsLaunch(std::int64_t correlation) const {
    return kept_launches.Contains(correlation) || IsLaunchOfKept(correlation);
  }
  bool KeepsWork(std::int64_t correlation) const {
    if (options->links && kept_launches.Contains(correlation)) return true;
    // Without a launch in the recording, work goes by its own step, which its arrow shares.
    return matching_works.Contains(correlation) &&
           (!options->steps || !launches.Contains(correlation) ||
            launches_in_step.Contains(correlation));
  }
};

// The second pass: fills a Selection.
class Selector : public kineto::ChunkWorker {
 public:
  // Events that are open, by thread.
  struct Open {
    std::uint64_t index = 0;
    std::int64_t ts_ns = 0;
    bool is_wanted = false;
  };
  using Stacks = boost::unordered_flat_map<std::uint64_t, std::vector<Open>>;

  Selector(Selection& selection, const Survey& survey, Stacks& stacks)
      : selection_(selection),
        survey_(survey),
        stacks_(stacks),
        judge_(*selection.options, selection.windows, selection.time) {}

  Status Work(kineto::Chunk& chunk) override {
    const std::uint64_t first = chunk.sequence() < survey_.first_of_chunk.size()
                                    ? survey_.first_of_chunk[chunk.sequence()]
                                    : 0;
    found_ = {};
    reader_.Read(
        chunk, [&] { found_ = {}; },
        [&](const EventText& event) { Look(*event.fields, first + event.index); });
    return OkStatus();
  }

  Status Deliver(const kineto::Chunk&) override {
    const auto add = [](const std::vector<std::int64_t>& ids, IdSet& set) {
      for (const std::int64_t id : ids) set.Add(id);
    };
    add(found_.launches, selection_.launches);
    add(found_.launches_in_step, selection_.launches_in_step);
    add(found_.kept_launches, selection_.kept_launches);
    add(found_.works, selection_.works);
    add(found_.matching_works, selection_.matching_works);
    for (const auto& [place, dur_ns, is_kept] : found_.begins) {
      Selection::Place& known = selection_.places[place];
      if (dur_ns <= known.dur_ns) known = {dur_ns, is_kept};
    }
    for (const Half& half : found_.halves) Pair(half);
    return OkStatus();
  }

 private:
  struct Begin {
    std::uint64_t place = 0;
    std::int64_t dur_ns = 0;
    bool is_kept = false;
  };
  struct Half {
    bool is_begin = false;
    std::uint64_t thread = 0;
    Open event;
  };
  struct Found {
    std::vector<std::int64_t> launches, launches_in_step, kept_launches, works, matching_works;
    std::vector<Begin> begins;
    std::vector<Half> halves;
  };

  void Look(const RawEvent& event, std::uint64_t index) {
    const Judged judged = judge_.Look(event);
    if (judged.phase == 'M' || judged.is_arrow()) return;
    const bool is_wanted = judged.matches && judged.is_in_time && judged.is_in_step;
    if (judged.phase == 'B' || judged.phase == 'E') {
      found_.halves.push_back(
          {judged.phase == 'B', ThreadHash(event), {index, judged.ts_ns, is_wanted}});
      return;
    }
    const std::int64_t id = judged.correlation;
    if (judged.is_launch()) {
      found_.launches.push_back(id);
      if (judged.is_in_step) found_.launches_in_step.push_back(id);
      if (is_wanted) found_.kept_launches.push_back(id);
    } else if (judged.is_device() && id > 0) {
      found_.works.push_back(id);
      if (judged.matches && judged.is_in_time) found_.matching_works.push_back(id);
    }
    if (selection_.arrows.empty()) return;
    const std::uint64_t place = PlaceHash(event);
    if (selection_.places.contains(place))
      found_.begins.push_back({place, judged.dur_ns, is_wanted});
  }

  void Pair(const Half& half) {
    std::vector<Open>& open = stacks_[half.thread];
    if (half.is_begin) {
      open.push_back(half.event);
      return;
    }
    if (open.empty()) return;  // an end without a begin says nothing
    const Open begin = open.back();
    open.pop_back();
    if (!begin.is_wanted || !judge_.FitsDuration(half.event.ts_ns - begin.ts_ns)) return;
    selection_.kept_pairs.Add(static_cast<std::int64_t>(begin.index));
    selection_.kept_pairs.Add(static_cast<std::int64_t>(half.event.index));
  }

  Selection& selection_;
  const Survey& survey_;
  Stacks& stacks_;
  Judge judge_;
  kineto::EventReader reader_;
  Found found_;
};

class FilterStage : public EventStage {
 public:
  explicit FilterStage(const Selection& selection)
      : selection_(selection), judge_(*selection.options, selection.windows, selection.time) {}

  Verdict Apply(const EventText& event, std::uint64_t index, std::string&) override {
    return Keeps(*event.fields, index) ? Verdict::kKeep : Verdict::kDrop;
  }

 private:
  bool Keeps(const RawEvent& event, std::uint64_t index) {
    const Judged judged = judge_.Look(event);
    if (judged.phase == 'M') return true;
    if (judged.is_arrow()) return KeepsArrow(event, judged);
    if (judged.phase == 'B' || judged.phase == 'E')
      return selection_.kept_pairs.Contains(static_cast<std::int64_t>(index));
    const std::int64_t id = judged.correlation;
    const bool matches = judged.matches && judged.is_in_time;
    if (judged.is_device() && id > 0) {
      return (matches && selection_.IsKeptWork(id, judged.is_in_step)) ||
             (selection_.options->links && selection_.kept_launches.Contains(id));
    }
    return (matches && judged.is_in_step) || (judged.is_launch() && selection_.IsLaunchOfKept(id));
  }

  bool KeepsArrow(const RawEvent& event, const Judged& judged) const {
    // Ends where nothing was recorded go by the arrow's own time.
    const bool is_wanted = judged.matches && judged.is_in_time && judged.is_in_step;
    if (!judged.is_launch_arrow) {
      const auto arrow = selection_.arrows.find(ArrowHash(event));
      const auto place = selection_.places.find(PlaceHash(event));
      const bool is_known = arrow != selection_.arrows.end() && place != selection_.places.end();
      return is_known && arrow->second && (place->second.is_there() || is_wanted);
    }
    std::int64_t id = 0;
    if (!kineto::ParseInteger(event.id, id)) return is_wanted;
    const bool has_launch = selection_.launches.Contains(id);
    const bool has_work = selection_.works.Contains(id);
    if (!has_launch && !has_work) return is_wanted;
    return (!has_launch || selection_.KeepsLaunch(id)) && (!has_work || selection_.KeepsWork(id));
  }

  const Selection& selection_;
  Judge judge_;
};

Status FindSteps(const Document& document, const Survey& survey, const FilterOptions& options,
                 Selection& selection) {
  if (!options.steps) return OkStatus();
  RS_ASSIGN_OR_RETURN(selection.windows, StepWindowsOf(document, survey, options.threads));
  if (selection.windows.empty())
    return Error(StatusCode::kNotFound, "{}: it has no steps; choose by --time", document.name);
  const auto has = [&](std::int64_t step) {
    return std::any_of(selection.windows.begin(), selection.windows.end(),
                       [&](const StepWindow& window) { return window.number == step; });
  };
  if (std::none_of(options.steps->begin(), options.steps->end(), has)) {
    return Error(StatusCode::kNotFound, "{}: none of these steps is in it; it has {} to {}",
                 document.name, selection.windows.front().number, selection.windows.back().number);
  }
  return OkStatus();
}

Result<std::unique_ptr<Selection>> Select(const Document& document, const Survey& survey,
                                          const FilterOptions& options) {
  auto selection = std::make_unique<Selection>();
  selection->options = &options;
  if (options.time)
    selection->time = {survey.begin_ns + options.time->begin_ns,
                       survey.begin_ns + options.time->end_ns};
  RS_RETURN_IF_ERROR(FindSteps(document, survey, options, *selection));
  for (const ArrowPoint& point : survey.arrow_points) {
    selection->places.emplace(point.place, Selection::Place());
    selection->arrows.emplace(point.arrow, true);
  }
  RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
  Selector::Stacks stacks;
  const kineto::PassOptions pass{.threads = options.threads, .split = {}};
  auto result = kineto::ForEachChunk(
      *source, pass, [&] { return std::make_unique<Selector>(*selection, survey, stacks); });
  RS_RETURN_IF_ERROR(result.status());
  // What had not ended when the recording did.
  for (const auto& [thread, open] : stacks) {
    for (const Selector::Open& begin : open) {
      if (begin.is_wanted) selection->kept_pairs.Add(static_cast<std::int64_t>(begin.index));
    }
  }
  for (const ArrowPoint& point : survey.arrow_points) {
    const Selection::Place& place = selection->places.find(point.place)->second;
    if (place.is_there() && !place.is_kept) selection->arrows[point.arrow] = false;
  }
  return selection;
}

bool HasConditions(const FilterOptions& options) {
  return options.steps || options.time || options.streams || options.max_dur_ns ||
         options.min_dur_ns > 0 || !options.categories.empty() || !options.names.empty() ||
         !options.python;
}

Result<std::vector<Document>> Choose(const std::string& from, const FilterOptions& options) {
  RS_ASSIGN_OR_RETURN(std::vector<Document> documents, DocumentsOf(from));
  if (!options.ranks || documents.front().part == kWholeFile) return documents;
  std::vector<std::int64_t> there;
  there.reserve(documents.size());
  for (const Document& document : documents) there.push_back(document.rank);
  std::erase_if(documents, [&](const Document& one) { return !options.ranks->contains(one.rank); });
  if (documents.empty())
    return Error(StatusCode::kNotFound, "{}: none of these ranks is in it; it has {}", from,
                 fmt::join(there, ", "));
  return documents;
}

}  // namespace

Result<FilterReport> FilterTraces(const std::string& from, const FilterOptions& options,
                                  const std::string& to) {
  RS_ASSIGN_OR_RETURN(const std::vector<Document> documents, Choose(from, options));
  RS_RETURN_IF_ERROR(CheckOutput(to, documents));
  FilterReport report;
  std::vector<std::unique_ptr<Selection>> selections;
  std::vector<TraceToWrite> traces;
  const SurveyOptions look{.step_marks = options.steps.has_value(),
                           .arrows = true,
                           .metadata = false,
                           .threads = options.threads};
  for (const Document& document : documents) {
    TraceToWrite trace;
    trace.document = document;
    RS_ASSIGN_OR_RETURN(trace.survey, SurveyOf(document, look));
    if (std::string loss = LossOf(document, trace.survey); !loss.empty())
      report.losses.push_back(std::move(loss));
    const bool is_other_rank = options.ranks && !options.ranks->contains(trace.survey.rank);
    if (is_other_rank) {
      return Error(StatusCode::kNotFound, "{}: it is of rank {}, not of those that --rank names",
                   document.name, trace.survey.rank);
    }
    if (HasConditions(options)) {
      RS_ASSIGN_OR_RETURN(auto selection, Select(document, trace.survey, options));
      trace.make_stage = [chosen = selection.get()] {
        return std::make_unique<FilterStage>(*chosen);
      };
      selections.push_back(std::move(selection));
      std::erase_if(trace.survey.values,
                    [](const auto& value) { return value.first == kOrderKey; });
    }
    trace.survey.arrow_points = {};
    traces.push_back(std::move(trace));
  }
  const Form form = documents.size() > 1 ? Form::kMerged : Form::kSingle;
  RS_ASSIGN_OR_RETURN(report.written, WriteTraces(traces, form, to, options.threads));
  return report;
}

}  // namespace rankscope::tools
