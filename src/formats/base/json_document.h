// A JSON document that cannot be read in chunks, whole in memory; where it was cut off, what is
// whole before that place.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"

namespace rankscope {

// Cuts `text`, the begin of a JSON document, behind the last element of an array that is whole, and
// closes what is open. False when there is no such place. Does not check the text. O(n).
bool CloseCutJson(std::string& text);

class JsonDocument {
 public:
  // At most 2 GiB of text. What is wrong with the file is put into `quality`; fails, naming `path`,
  // when nothing of it can be read. Cost: about four times the text.
  Status Read(ByteSource& source, const std::string& path, QualityLog& quality);

  simdjson::dom::element root() const { return root_; }
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::uint64_t text_bytes_ = 0;
};

// Members of an object: `unknown` where there is none, or of another type.
std::int64_t JsonInt(simdjson::dom::object object, std::string_view key, std::int64_t unknown);
std::string_view JsonText(simdjson::dom::object object, std::string_view key);
// Calls body(object) for each object in the member, a list; there may be none.
template <typename Body>
void ForEachJsonObject(simdjson::dom::object object, std::string_view key, const Body& body) {
  simdjson::dom::array list;
  if (object.at_key(key).get(list)) return;
  for (const simdjson::dom::element element : list) {
    simdjson::dom::object one;
    if (!element.get(one)) body(one);
  }
}

}  // namespace rankscope
