#include "tools/split.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/hash.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/kinds.h"
#include "formats/kineto/tokens/decimal.h"
#include "tools/document.h"
#include "tools/id_set.h"
#include "tools/pieces.h"
#include "tools/step_windows.h"
#include "tools/trace_output.h"
#include "tools/write_traces.h"

namespace rankscope::tools {
namespace {

namespace fs = std::filesystem;
using kineto::EventText;
using kineto::RawEvent;

// --- where pieces go ---

std::string_view EndingOf(std::string_view name) {
  for (const std::string_view ending : {".json.gz", ".json.zst", ".json"}) {
    if (name.ends_with(ending)) return ending;
  }
  return "";
}

// The pieces of one trace, as they are written.
class Pieces {
 public:
  Pieces(const Document& document, const Survey& survey, std::string folder, std::string prefix)
      : survey_(survey), folder_(std::move(folder)), prefix_(std::move(prefix)) {
    const std::string name = fs::path(document.path).filename().string();
    const std::string_view ending = EndingOf(name);
    stem_ = name.substr(0, name.size() - ending.size());
    ending_ = ending.empty() ? ".json.gz" : ending;
    path_ = document.path;
    for (const std::string& text : survey.metadata) copies_ += ",\n" + text;
    std::string whole = fmt::format("{} {} {} {} {}", survey.events, survey.text_bytes,
                                    survey.begin_ns, survey.end_ns, document.name);
    for (const auto& [key, value] : survey.values) whole += key + value;
    id_ = HashBytes(whole).Hex();
  }

  Packing packing() const { return PackingOf(ending_); }

  // `owns_metadata`: the one piece whose metadata are no copies.
  Status Add(std::uint64_t number, const std::string& name, bool owns_metadata) {
    const std::string path =
        (fs::path(folder_) / fmt::format("{}{}.{}{}", stem_, prefix_, name, ending_)).string();
    RS_RETURN_IF_ERROR(CheckOutput(path, {{.path = path_}}));
    if (pieces_.size() >= kMostPieces)
      return Error(StatusCode::kInvalidArgument,
                   "{}: more than {} pieces; take larger ones, or choose steps with trace filter",
                   path_, kMostPieces);
    const PieceInfo info{.id = id_,
                         .number = number,
                         .copied = owns_metadata ? 0 : survey_.metadata.size(),
                         .events = survey_.events,
                         .is_array = survey_.is_array};
    kineto::TopValues values{{std::string(kSplitKey), DescribePiece(info)}};
    values.insert(values.end(), survey_.values.begin(), survey_.values.end());
    RS_ASSIGN_OR_RETURN(auto output, TraceOutput::Create(path, values, false));
    if (!owns_metadata) RS_RETURN_IF_ERROR(output->Append(copies_));
    pieces_.push_back({path, std::move(output), {}});
    return OkStatus();
  }

  TraceOutput& OutputOf(std::size_t piece) { return *pieces_[piece].output; }
  PieceOrder& OrderOf(std::size_t piece) { return pieces_[piece].order; }
  std::size_t size() const { return pieces_.size(); }

  Status Finish(std::vector<std::string>& files) {
    for (Piece& piece : pieces_) {
      std::string order = piece.order.Text();
      if (order.size() >= kMostOrderBytes)
        return Error(StatusCode::kResource,
                     "{}: the order of events takes too much room in a piece; split by size",
                     path_);
      RS_RETURN_IF_ERROR(piece.output->Finish({{std::string(kOrderKey), std::move(order)}}));
      files.push_back(piece.path);
    }
    return OkStatus();
  }

 private:
  static constexpr std::size_t kMostOrderBytes = std::size_t{16} << 20;  // of an outer value
  struct Piece {
    std::string path;
    std::unique_ptr<TraceOutput> output;
    PieceOrder order;
  };

  const Survey& survey_;
  std::string folder_;
  std::string prefix_;
  std::string path_;
  std::string stem_;
  std::string ending_;
  std::string copies_;
  std::string id_;
  std::vector<Piece> pieces_;
};

// --- by size ---

class SizeSplitter : public kineto::ChunkWorker {
 public:
  struct Total {
    Pieces* pieces = nullptr;
    std::uint64_t bytes = 0;  // of the piece at hand
    std::uint64_t limit = 0;
    std::uint64_t events = 0;
  };

  explicit SizeSplitter(Total& total) : total_(total), packer_(total.pieces->packing()) {}

  Status Work(kineto::Chunk& chunk) override {
    const auto clear = [&] {
      all_.Clear();
      plain_.clear();
      metadata_.clear();
      events_.clear();
      has_metadata_ = false;
    };
    clear();
    reader_.Read(chunk, clear, [&](const EventText& event) {
      const bool is_metadata = event.fields->phase == "M";
      has_metadata_ |= is_metadata;
      events_.push_back({event.index, is_metadata});
      all_.Next() += event.text;
      std::string& apart = is_metadata ? metadata_ : plain_;
      apart += ",\n";
      apart += event.text;
    });
    count_ = reader_.count();
    all_.is_packed = !all_.text.empty();
    return all_.is_packed ? packer_.Pack(all_.text, all_.packed) : OkStatus();
  }

  Status Deliver(const kineto::Chunk&) override {
    Pieces& pieces = *total_.pieces;
    const bool is_full = total_.bytes > 0 && total_.bytes + all_.text.size() > total_.limit;
    if (is_full || pieces.size() == 0) {
      const std::size_t number = pieces.size();
      RS_RETURN_IF_ERROR(pieces.Add(number, fmt::format("{:04}", number + 1), number == 0));
      total_.bytes = 0;
    }
    const std::size_t last = pieces.size() - 1;
    for (const auto& [index, is_metadata] : events_)
      pieces.OrderOf(is_metadata ? 0 : last).Add(total_.events + index);
    total_.events += count_;
    total_.bytes += all_.text.size();
    // The first piece owns all metadata.
    if (!has_metadata_ || last == 0) return pieces.OutputOf(last).Append(all_);
    RS_RETURN_IF_ERROR(pieces.OutputOf(0).Append(metadata_));
    return pieces.OutputOf(last).Append(plain_);
  }

 private:
  struct Place {
    std::uint64_t index = 0;
    bool is_metadata = false;
  };

  Total& total_;
  BlockPacker packer_;
  kineto::EventReader reader_;
  EventBlock all_;
  std::string plain_;     // the same without metadata
  std::string metadata_;  // and the rest
  std::vector<Place> events_;
  bool has_metadata_ = false;
  std::uint64_t count_ = 0;
};

Status SplitBySize(const Document& document, const SplitOptions& options, Pieces& pieces) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
  SizeSplitter::Total total{.pieces = &pieces, .limit = options.piece_bytes};
  kineto::PassOptions pass;
  pass.threads = options.threads;
  pass.split.chunk_bytes = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      options.piece_bytes / 4, std::uint64_t{16} << 10, std::uint64_t{1} << 20));
  return kineto::ForEachChunk(*source, pass, [&] { return std::make_unique<SizeSplitter>(total); })
      .status();
}

// --- by step ---

// Which window an event belongs to: -1 before the first, windows.size() behind.
struct StepPlan {
  std::vector<StepWindow> windows;
  std::vector<IdSet> launches;  // correlation ids, by window + 1

  std::size_t slots() const { return windows.size() + 2; }
  std::size_t SlotAt(std::int64_t ts_ns) const {
    return static_cast<std::size_t>(WindowAt(windows, ts_ns) + 1);
  }
  // Work runs in the step of its launch or soon after, so that it is found near there.
  std::size_t SlotOfWork(std::int64_t correlation, std::int64_t ts_ns) const {
    const std::size_t own = SlotAt(ts_ns);
    for (std::size_t slot = own + 1; slot-- > 0;) {
      if (launches[slot].Contains(correlation)) return slot;
    }
    for (std::size_t slot = own + 1; slot < launches.size(); ++slot) {
      if (launches[slot].Contains(correlation)) return slot;
    }
    return own;
  }
};

std::int64_t CorrelationOf(const RawEvent& event) {
  std::int64_t id = 0;
  const bool has_id =
      event.has_args && kineto::ParseInteger(kineto::Unquote(event.args.correlation), id);
  return has_id && id > 0 ? id : 0;
}

// Finds the launches of every window.
class LaunchFinder : public kineto::ChunkWorker {
 public:
  explicit LaunchFinder(StepPlan& plan) : plan_(plan) {}

  Status Work(kineto::Chunk& chunk) override {
    found_.clear();
    reader_.Read(
        chunk, [&] { found_.clear(); },
        [&](const EventText& event) {
          const RawEvent& fields = *event.fields;
          std::int64_t ts_ns = 0;
          if (kineto::KindOfCategory(kineto::Unquote(fields.category)) != EventKind::kRuntime)
            return;
          const std::int64_t id = CorrelationOf(fields);
          if (id > 0 && TimeOf(fields, ts_ns)) found_.emplace_back(plan_.SlotAt(ts_ns), id);
        });
    return OkStatus();
  }
  Status Deliver(const kineto::Chunk&) override {
    for (const auto& [slot, id] : found_) plan_.launches[slot].Add(id);
    return OkStatus();
  }

 private:
  StepPlan& plan_;
  kineto::EventReader reader_;
  std::vector<std::pair<std::size_t, std::int64_t>> found_;
};

class StepSplitter : public kineto::ChunkWorker {
 public:
  struct Total {
    const StepPlan* plan = nullptr;
    const Survey* survey = nullptr;
    Pieces* pieces = nullptr;
    std::vector<std::string> names;  // by slot
    std::map<std::size_t, std::size_t> piece_of_slot;
    std::uint64_t events = 0;
  };

  explicit StepSplitter(Total& total) : total_(total), packer_(total.pieces->packing()) {}

  Status Work(kineto::Chunk& chunk) override {
    const auto clear = [&] {
      for (auto& [slot, part] : parts_) {
        part.block.Clear();
        part.indexes.clear();
      }
    };
    clear();
    reader_.Read(chunk, clear, [&](const EventText& event) {
      Part& part = parts_[SlotOf(*event.fields)];
      part.block.Next() += event.text;
      part.indexes.push_back(event.index);
    });
    std::erase_if(parts_, [](const auto& part) { return part.second.indexes.empty(); });
    for (auto& [slot, part] : parts_) {
      RS_RETURN_IF_ERROR(packer_.Pack(part.block.text, part.block.packed));
      part.block.is_packed = true;
    }
    count_ = reader_.count();
    return OkStatus();
  }

  Status Deliver(const kineto::Chunk&) override {
    Pieces& pieces = *total_.pieces;
    for (const auto& [slot, part] : parts_) {
      auto piece = total_.piece_of_slot.find(slot);
      if (piece == total_.piece_of_slot.end()) {
        piece = total_.piece_of_slot.emplace(slot, pieces.size()).first;
        RS_RETURN_IF_ERROR(pieces.Add(slot, total_.names[slot], slot == kOwner));
      }
      for (const std::uint64_t index : part.indexes)
        pieces.OrderOf(piece->second).Add(total_.events + index);
      RS_RETURN_IF_ERROR(pieces.OutputOf(piece->second).Append(part.block));
    }
    total_.events += count_;
    return OkStatus();
  }

 private:
  static constexpr std::size_t kOwner = 1;  // of the metadata: the first step
  struct Part {
    EventBlock block;
    std::vector<std::uint64_t> indexes;
  };

  std::size_t SlotOf(const RawEvent& event) const {
    if (event.phase == "M") return kOwner;
    std::int64_t ts_ns = 0;
    if (!TimeOf(event, ts_ns)) return kOwner;
    const std::string_view category = kineto::Unquote(event.category);
    std::int64_t id = 0;
    if (kineto::IsLaunchFlow(category)) {
      if (!kineto::ParseInteger(event.id, id)) id = 0;
    } else {
      const EventKind kind = kineto::KindOfCategory(category);
      const bool is_work = IsDeviceWork(kind) || kind == EventKind::kDeviceSync;
      if (is_work) id = CorrelationOf(event);
    }
    return id > 0 ? total_.plan->SlotOfWork(id, ts_ns) : total_.plan->SlotAt(ts_ns);
  }

  Total& total_;
  BlockPacker packer_;
  kineto::EventReader reader_;
  std::map<std::size_t, Part> parts_;
  std::uint64_t count_ = 0;
};

std::vector<std::string> NamesOf(const StepPlan& plan) {
  std::vector<std::string> names{"before"};
  std::map<std::int64_t, int> times;
  for (const StepWindow& window : plan.windows) {
    const int time = ++times[window.number];
    names.push_back(time == 1 ? fmt::format("step{}", window.number)
                              : fmt::format("step{}.{}", window.number, time));
  }
  names.emplace_back("after");
  return names;
}

Status SplitByStep(const Document& document, const Survey& survey, const SplitOptions& options,
                   Pieces& pieces) {
  StepPlan plan;
  RS_ASSIGN_OR_RETURN(plan.windows, StepWindowsOf(document, survey, options.threads));
  if (plan.windows.empty())
    return Error(StatusCode::kNotFound, "{}: it has no steps; split it by --size", document.name);
  if (plan.windows.size() > kMostPieces)
    return Error(
        StatusCode::kInvalidArgument,
        "{}: {} steps are more than {} pieces; choose steps with trace filter, or split by "
        "--size",
        document.name, plan.windows.size(), kMostPieces);
  plan.launches.resize(plan.slots());
  const kineto::PassOptions pass{.threads = options.threads, .split = {}};
  {
    RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
    RS_RETURN_IF_ERROR(kineto::ForEachChunk(*source, pass, [&] {
                         return std::make_unique<LaunchFinder>(plan);
                       }).status());
  }
  RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
  StepSplitter::Total total{
      .plan = &plan, .survey = &survey, .pieces = &pieces, .names = NamesOf(plan)};
  return kineto::ForEachChunk(*source, pass, [&] { return std::make_unique<StepSplitter>(total); })
      .status();
}

Status CheckIsWhole(const Document& document, const Survey& survey) {
  if (ValueOf(survey.values, kSplitKey).empty()) return OkStatus();
  return Error(StatusCode::kBadData,
               "{}: it is a piece already; split the whole, which trace merge makes of all pieces",
               document.name);
}

}  // namespace

Result<SplitReport> SplitTrace(const std::string& from, const std::string& folder,
                               const SplitOptions& options) {
  RS_ASSIGN_OR_RETURN(const std::vector<Document> documents, DocumentsOf(from));
  SplitReport report;
  std::vector<std::unique_ptr<Survey>> surveys;
  std::vector<std::unique_ptr<Pieces>> all;
  for (const Document& document : documents) {
    const SurveyOptions look{.step_marks = options.piece_bytes == 0,
                             .arrows = false,
                             .metadata = true,
                             .threads = options.threads};
    RS_ASSIGN_OR_RETURN(Survey survey, SurveyOf(document, look));
    RS_RETURN_IF_ERROR(CheckIsWhole(document, survey));
    if (std::string loss = LossOf(document, survey); !loss.empty())
      report.losses.push_back(std::move(loss));
    surveys.push_back(std::make_unique<Survey>(std::move(survey)));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      return Error(StatusCode::kIo, "{}: cannot make the folder: {}", folder, error.message());
    const bool is_part = document.part != kWholeFile;
    const std::string prefix = is_part ? fmt::format(".part{}", document.part) : "";
    all.push_back(std::make_unique<Pieces>(document, *surveys.back(), folder, prefix));
    RS_RETURN_IF_ERROR(options.piece_bytes > 0
                           ? SplitBySize(document, options, *all.back())
                           : SplitByStep(document, *surveys.back(), options, *all.back()));
  }
  for (const auto& pieces : all) RS_RETURN_IF_ERROR(pieces->Finish(report.files));
  return report;
}

}  // namespace rankscope::tools
