// A JSON document whose format cannot be read in chunks, held in memory as a whole. If it was cut
// off, all that is complete before the cut.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "json/reader.h"

namespace rankscope {

// Cuts `text`, the begin of a JSON document, after the last complete element of an array, and
// closes all open brackets. False when there is no such place. Does not check the text. O(n).
bool CloseCutJson(std::string& text);

class JsonDocument {
 public:
  // Reads at most 2 GiB of text. Problems of the file go into `quality`. Fails, with `path` in the
  // message, when nothing can be read. Cost: about four times the text.
  Status Read(ByteSource& source, const std::string& path, QualityLog& quality);

  // Root of what was read. Values live as long as the document.
  json::Value root() const { return reader_->root(); }
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  std::optional<json::Reader> reader_;
  std::uint64_t text_bytes_ = 0;
};

// Calls body(object) for each object in the list; `list` may be absent.
template <typename Body>
void ForEachJsonObject(const json::Value& list, const Body& body) {
  for (const json::Value& one : list.Items()) {
    if (one.IsObject()) body(one);
  }
}

}  // namespace rankscope
