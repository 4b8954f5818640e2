#include "formats/kineto/reader.h"

#include <fmt/core.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "formats/base/head.h"
#include "formats/foreign/foreign.h"
#include "formats/kineto/by_process/by_process.h"
#include "formats/kineto/chunk_parser.h"
#include "formats/kineto/edit/event_pass.h"
#include "formats/kineto/metadata.h"
#include "trace/builder.h"

namespace rankscope::kineto {
namespace {

// The threads that read one file. Two turns, each held by one thread at a time: the source (inflate
// and cut) and the builder (append in order).
class KinetoReading {
 public:
  KinetoReading(ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options), splitter_(source, options.split) {}

  void Run() {
    std::vector<std::thread> helpers;
    try {
      for (int i = 1; i < options_.threads; ++i) {
        helpers.emplace_back([this, i] { Work(static_cast<std::size_t>(i)); });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those there are do the work.
    }
    Work(0);
    for (std::thread& helper : helpers) helper.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  bool stopped() const { return stopped_; }
  const EventSplitter& splitter() const { return splitter_; }
  TraceBuilder& builder() { return builder_; }

 private:
  // Exceptions (out of memory) are kept for the thread that called Run; the others stop.
  void Work(std::size_t index) {
    try {
      ReadChunks(index);
    } catch (...) {
      const std::scoped_lock lock(source_mutex_, append_mutex_);
      failure_ = std::current_exception();
      failed_ = true;
      my_turn_.notify_all();
    }
  }

  void ReadChunks(std::size_t index) {
    ChunkParser parser(options_.record_ids == nullptr ? ChunkParser::RecordIds::kLeftOut
                                                      : ChunkParser::RecordIds::kKept);
    Chunk chunk;
    EventBatch batch;
    while (TakeChunk(chunk)) {
      parser.Parse(chunk, batch);
      std::unique_lock lock(append_mutex_);
      my_turn_.wait(lock, [&] { return failed_ || next_to_append_ == chunk.sequence(); });
      if (failed_) return;
      builder_.Append(batch, parser.scope(), index);
      ++next_to_append_;
      lock.unlock();
      my_turn_.notify_all();
    }
  }

  bool TakeChunk(Chunk& chunk) {
    const std::lock_guard lock(source_mutex_);
    if (stopped_ || failed_ || is_cutting_) return false;
    is_cutting_ = true;
    const bool is_chunk = splitter_.Next(chunk);
    is_cutting_ = false;
    if (!is_chunk) return false;
    if (options_.progress && !options_.progress(source_.fraction(), splitter_.text_bytes()))
      stopped_ = true;
    return true;
  }

  ByteSource& source_;
  const ReadOptions& options_;
  std::mutex source_mutex_;
  EventSplitter splitter_;
  bool stopped_ = false;
  bool is_cutting_ = false;  // stays when an exception left the splitter in the middle

  std::mutex append_mutex_;
  std::condition_variable my_turn_;
  std::uint64_t next_to_append_ = 0;
  TraceBuilder builder_;

  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace

Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path,
                            const ReadOptions& options) {
  KinetoReading reading(source, options);
  reading.Run();
  if (reading.stopped()) return Error(StatusCode::kCancelled, "{}: reading was stopped", path);

  const EventSplitter& splitter = reading.splitter();
  const TopLevel& top = splitter.top_level();
  PassResult seen;
  seen.top = top;
  seen.problems = splitter.problems();
  seen.text_bytes = splitter.text_bytes();
  RS_RETURN_IF_ERROR(CheckIsTrace(seen, path));

  TraceMeta meta;
  meta.path = path;
  meta.file_bytes = source.file_bytes();
  meta.text_bytes = splitter.text_bytes();
  QualityLog quality = splitter.problems();
  ReadMetadata(top.values(), meta, quality);
  if (options.record_ids != nullptr) *options.record_ids = reading.builder().TakeRecordIds();
  RankTrace trace =
      std::move(reading.builder()).Finish(std::move(meta), std::move(quality), ReadByProcess);
  trace.meta.event_count += splitter.losses_at_end();
  trace.meta.bad_event_count += splitter.losses_at_end();
  if (top.is_array() && trace.row_count() == 0 && trace.meta.event_count > 0) {
    return Error(StatusCode::kBadData,
                 "{}: not a profiler trace: a JSON list without a single event in it", path);
  }
  return trace;
}

namespace {

// What to read of a file when nobody says which of its traces.
Result<int> OnlyPartOf(const std::vector<MergedPart>& parts, const std::string& path) {
  if (parts.empty()) return kWholeFile;
  if (parts.size() == 1) return 0;
  return Error(StatusCode::kInvalidArgument,
               "{}: {} traces were merged into it; choose one: rankscope trace filter --rank N",
               path, parts.size());
}

// How the trace was told apart from others of its file, where words in pids do.
void NoteWords(const MergedPart& part, std::size_t count, RankTrace& trace) {
  std::string sentence = fmt::format(
      "rank {} is one of {} in the file, told apart by words in pid (\"{}\"), since the "
      "file does not state ranks",
      part.rank, count, part.name);
  if (part.events_of_none > 0)
    sentence += fmt::format("; events whose pid names no rank are in none of them: {}",
                            part.events_of_none);
  trace.meta.quality.push_back(
      {.code = QualityCode::kMissingMetadata, .message = std::move(sentence)});
}

// What the file is instead of a trace, where that is known.
std::string_view ForeignFormatOf(const std::string& path, const ReadOptions& options) {
  const auto source = OpenByteSource(path, options.inflate);
  if (!source.ok()) return {};
  std::string head(kHeadBytes, '\0');
  std::size_t size = 0;
  while (const std::size_t read = (*source)->Read(head.data() + size, head.size() - size)) {
    size += read;
    if (size == head.size()) break;
  }
  head.resize(size);
  return NameForeignFormat(head, path);
}

}  // namespace

Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto parts, ReadParts(path));
  int part = options.part;
  if (part == kWholeFile) {
    RS_ASSIGN_OR_RETURN(part, OnlyPartOf(parts, path));
  }
  RS_ASSIGN_OR_RETURN(
      const auto source,
      part == kWholeFile
          ? OpenByteSource(path, options.inflate)
          : OpenMergedPart(path, parts, static_cast<std::size_t>(part), options.inflate));
  auto trace = ReadTrace(*source, path, options);
  if (trace.ok() && part != kWholeFile && parts[static_cast<std::size_t>(part)].is_worded)
    NoteWords(parts[static_cast<std::size_t>(part)], parts.size(), *trace);
  if (trace.ok() || trace.status().code() != StatusCode::kBadData) return trace;
  const std::string_view foreign = ForeignFormatOf(path, options);
  return foreign.empty() ? std::move(trace)
                         : Error(StatusCode::kBadData, "{}: not a trace: {}", path, foreign);
}

}  // namespace rankscope::kineto
