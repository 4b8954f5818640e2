#include "tools/write_traces.h"

#include <algorithm>
#include <filesystem>

#include "formats/kineto/edit/event_pass.h"
#include "formats/kineto/edit/event_reader.h"
#include "tools/trace_output.h"

namespace rankscope::tools {
namespace {

using kineto::EventText;

class Writer : public kineto::ChunkWorker {
 public:
  // `editor` is null where the trace is written on its own.
  Writer(const TraceToWrite& trace, std::unique_ptr<kineto::PartEditor> editor, TraceOutput& output,
         Written& written)
      : trace_(trace),
        editor_(std::move(editor)),
        stage_(trace.make_stage ? trace.make_stage() : nullptr),
        output_(output),
        written_(written),
        packer_(output.packing()) {}

  Status Work(kineto::Chunk& chunk) override {
    const auto& firsts = trace_.survey.first_of_chunk;
    if (chunk.sequence() >= firsts.size())
      return Error(StatusCode::kIo, "{}: the file changed while it was read; try again",
                   trace_.document.path);
    const std::uint64_t first = firsts[chunk.sequence()];
    const auto clear = [&] {
      block_.Clear();
      kept_ = 0;
    };
    clear();
    reader_.Read(chunk, clear, [&](const EventText& event) { Take(event, first + event.index); });
    return output_.Pack(block_, packer_);
  }

  Status Deliver(const kineto::Chunk&) override {
    written_.kept += kept_;
    return output_.Append(block_);
  }

 private:
  void Take(const EventText& event, std::uint64_t index) {
    changed_.clear();
    const Verdict verdict = stage_ ? stage_->Apply(event, index, changed_) : Verdict::kKeep;
    if (verdict == Verdict::kDrop) return;
    ++kept_;
    if (verdict == Verdict::kChanged) {
      if (!editor_) {
        block_.Next() += changed_;
      } else {
        changed_reader_.ReadOne(
            changed_, [&](const EventText& again) { editor_->Append(again, block_.Next()); });
      }
    } else if (editor_) {
      editor_->Append(event, block_.Next());
    } else {
      block_.Next() += event.text;
    }
  }

  const TraceToWrite& trace_;
  std::unique_ptr<kineto::PartEditor> editor_;
  std::unique_ptr<EventStage> stage_;
  TraceOutput& output_;
  Written& written_;
  BlockPacker packer_;
  kineto::EventReader reader_;
  kineto::EventReader changed_reader_;
  std::string changed_;
  EventBlock block_;
  std::uint64_t kept_ = 0;
};

// The numbers of processes: those of the first trace begin at 1,000, those of the next at 2,000;
// more apart where one has more of them.
std::vector<kineto::MergedPart> PartsOf(const std::vector<TraceToWrite>& traces) {
  std::uint32_t room = 1000;
  for (const TraceToWrite& trace : traces) {
    while (trace.survey.pids.size() + 1 > room) room *= 10;
  }
  std::vector<kineto::MergedPart> parts;
  for (const TraceToWrite& trace : traces) {
    kineto::MergedPart part;
    part.name = trace.document.name;
    part.rank = trace.survey.rank;
    part.label = trace.document.label;
    part.is_array = trace.survey.is_array;
    part.offset_ns = trace.document.offset_ns;
    part.uncertainty_ns = trace.document.uncertainty_ns;
    part.shift_ns = trace.survey.base_ns - traces.front().survey.base_ns - trace.document.offset_ns;
    part.values = trace.survey.values;
    auto number = static_cast<std::uint32_t>((parts.size() + 1) * room);
    for (const std::string& pid : trace.survey.pids) part.pids.emplace_back(number++, pid);
    if (trace.survey.has_events_without_pid) part.pids.emplace_back(number, std::nullopt);
    parts.push_back(std::move(part));
  }
  return parts;
}

kineto::TopValues MergedValues(const std::vector<TraceToWrite>& traces,
                               const std::vector<kineto::MergedPart>& parts) {
  kineto::TopValues values = kineto::DescribeParts(parts);
  const Survey& first = traces.front().survey;
  for (const std::string_view key : {"schemaVersion", "displayTimeUnit", "baseTimeNanoseconds"}) {
    const std::string_view value = ValueOf(first.values, key);
    if (!value.empty()) values.emplace_back(key, value);
  }
  return values;
}

// What the reader of outer values takes (kineto/top_level.h).
Status CheckSize(const kineto::TopValues& values) {
  constexpr std::size_t kMostOfOne = std::size_t{16} << 20;
  constexpr std::size_t kMost = std::size_t{60} << 20;
  std::size_t sum = 0;
  for (const auto& [key, value] : values) {
    sum += value.size();
    if (value.size() >= kMostOfOne || sum >= kMost)
      return Error(StatusCode::kResource,
                   "what the traces say of themselves (process groups, above all) is too large for "
                   "one file; merge fewer of them");
  }
  return OkStatus();
}

}  // namespace

Result<Written> WriteTraces(const std::vector<TraceToWrite>& traces, Form form,
                            const std::string& to, int threads) {
  std::vector<kineto::MergedPart> parts;
  kineto::TopValues values = traces.front().survey.values;
  if (form == Form::kMerged) {
    parts = PartsOf(traces);
    values = MergedValues(traces, parts);
    RS_RETURN_IF_ERROR(CheckSize(values));
  }
  const bool is_array = form == Form::kSingle && traces.front().survey.is_array;
  RS_ASSIGN_OR_RETURN(const auto output, TraceOutput::Create(to, values, is_array));
  Written written;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const TraceToWrite& trace = traces[i];
    RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(trace.document));
    const kineto::PassOptions pass{.threads = threads, .split = {}};
    auto result = kineto::ForEachChunk(*source, pass, [&] {
      auto editor = form == Form::kMerged
                        ? std::make_unique<kineto::PartEditor>(parts[i], i, parts.size())
                        : nullptr;
      return std::make_unique<Writer>(trace, std::move(editor), *output, written);
    });
    RS_RETURN_IF_ERROR(result.status());
    if (result->text_bytes != trace.survey.text_bytes)
      return Error(StatusCode::kIo, "{}: the file changed while it was read; try again",
                   trace.document.path);
    written.events += trace.survey.events;
  }
  RS_RETURN_IF_ERROR(output->Finish());
  written.text_bytes = output->text_bytes();
  return written;
}

Status CheckOutput(const std::string& to, const std::vector<Document>& inputs) {
  std::error_code ignored;
  for (const Document& input : inputs) {
    if (std::filesystem::equivalent(input.path, to, ignored))
      return Error(StatusCode::kInvalidArgument, "--output is {}, which is read; name another file",
                   input.path);
  }
  if (std::filesystem::is_directory(to, ignored))
    return Error(StatusCode::kInvalidArgument, "--output {} is a folder; name a file", to);
  return OkStatus();
}

}  // namespace rankscope::tools
