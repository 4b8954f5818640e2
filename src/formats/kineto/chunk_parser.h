// ChunkParser: parses the events of one chunk into a batch of rows, with simdjson's On-Demand API.
// One per thread.
#pragma once

#include <simdjson.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto/tokens/raw_event.h"
#include "formats/kineto/tokens/splitter.h"
#include "trace/builder.h"

namespace rankscope::kineto {

class ChunkParser {
 public:
  enum class RecordIds { kLeftOut, kKept };  // in EventBatch::record_ids
  explicit ChunkParser(RecordIds ids = RecordIds::kLeftOut) : ids_(ids) {}

  // Replaces the content of `batch` by the events of `chunk`; sources count from 0 within the
  // chunk. A chunk that simdjson refuses is parsed event by event: invalid UTF-8 and control
  // characters are repaired, and only events that cannot be repaired are lost.
  void Parse(Chunk& chunk, EventBatch& batch);

  const NameScope& scope() const { return scope_; }

 private:
  const RecordIds ids_;
  // Longer strings are cut: no name needs that length, and a hostile one must not fill the
  // memory.
  static constexpr std::size_t kMaxStringBytes = 64 * 1024;

  bool ParseArray(std::string_view array, EventBatch& batch);
  void ParsePieces(Chunk& chunk, EventBatch& batch);
  bool ParsePiece(std::string_view text, std::int64_t place, EventBatch& batch);

  void AddEvent(const RawEvent& event, EventBatch& batch);
  void AddRow(const RawEvent& event, char phase, EventBatch& batch);
  void AddFlow(const RawEvent& event, bool start, EventBatch& batch);
  void AddMetadata(const RawEvent& event, EventBatch& batch);
  std::uint32_t AddSideTable(const RawEvent& event, EventKind kind, EventBatch& batch);
  // Keeps the arguments of a row without a known category that suggest which work it is.
  void AddHint(const RawEvent& event, RawRow& row, EventBatch& batch);
  // Keeps the file's stream, pid and tid of an event if the track differs from them.
  void AddIds(const RawEvent& event, const RawRow& row, Domain domain, EventBatch& batch);
  std::uint32_t AddCollective(const RawArgs& args, EventBatch& batch);
  std::uint32_t AddOp(const RawArgs& args, EventBatch& batch);
  std::uint32_t AddCounters(const RawEvent& event, EventBatch& batch);

  struct Category {
    EventKind kind = EventKind::kOther;
    bool is_mtia_work = false;
    bool is_profiler = false;  // the profiler's own span over the recording
    bool is_launch_flow = false;
    bool is_forward_backward = false;
  };
  const Category& CategoryOf(StringId id);

  std::uint32_t TrackOf(const RawEvent& event, Domain domain);
  std::uint32_t FindTrack(std::string_view first, std::string_view second, Domain domain);
  std::uint32_t AddTrack(const TrackKey& key);
  StringId InternString(std::string_view token);    // a JSON string token, unescaped
  StringId InternText(std::string_view text);       // plain text
  StringId InternCategory(std::string_view token);  // the same, for repeated texts
  StringId InternList(std::string_view json);       // a JSON list, minified

  simdjson::ondemand::parser parser_;
  RawEvent event_;
  NameScope scope_;
  std::vector<Category> categories_;  // by string id; filled on first use
  std::vector<bool> category_known_;
  Interner raw_lists_;  // lists as printed; minified_ holds their minified text
  std::vector<StringId> minified_;
  std::string scratch_;
  std::string padded_;
  EventBatch* batch_ = nullptr;

  struct LastTrack {
    std::string first;
    std::string second;
    std::uint32_t track = kNoAux;
  };
  std::array<LastTrack, 5> last_tracks_;  // by domain
  std::string last_category_text_;
  StringId last_category_ = kEmptyString;
};

}  // namespace rankscope::kineto
