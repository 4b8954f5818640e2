// A JSON document that cannot be read in chunks, whole in memory; where it was cut off, what is
// whole before that place.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "json/reader.h"

namespace rankscope {

// Cuts `text`, the begin of a JSON document, behind the last element of an array that is whole, and
// closes what is open. False when there is no such place. Does not check the text. O(n).
bool CloseCutJson(std::string& text);

class JsonDocument {
 public:
  // At most 2 GiB of text. What is wrong with the file is put into `quality`; fails, naming `path`,
  // when nothing of it can be read. Cost: about four times the text.
  Status Read(ByteSource& source, const std::string& path, QualityLog& quality);

  // Of what was read. Values live as long as the document.
  json::Value root() const { return reader_->root(); }
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  std::optional<json::Reader> reader_;
  std::uint64_t text_bytes_ = 0;
};

// Calls body(object) for each object in the list; `list` may be none.
template <typename Body>
void ForEachJsonObject(const json::Value& list, const Body& body) {
  for (const json::Value& one : list.Items()) {
    if (one.IsObject()) body(one);
  }
}

}  // namespace rankscope
