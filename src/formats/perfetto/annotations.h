// JSON values as debug annotations of Perfetto; numbers stay exact.
#pragma once

#include <simdjson.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::perfetto {

// Numbers of annotation names, from 1. Thread-safe.
class NameIds {
 public:
  std::uint64_t Of(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::mutex mutex_;
  boost::unordered_flat_map<std::string, std::uint64_t, TextHash, std::equal_to<>> ids_;
  std::vector<std::string> names_;
};

// One per thread.
class AnnotationWriter {
 public:
  explicit AnnotationWriter(NameIds& names) : names_(names) {}

  // Appends the fields TrackEvent.debug_annotations of an event's text: the members of its args,
  // and its other members except those that a slice has anyway. Integers become int or uint values;
  // larger ones and numbers that a double cannot hold become text; null becomes the text "null".
  // False, with nothing appended, when the text is not a JSON object.
  bool AppendEvent(std::string_view event, std::string& out);
  // One annotation with this name and any JSON value.
  bool AppendValue(std::string_view name, std::string_view json, std::string& out);

 private:
  std::uint64_t IdOf(std::string_view name);
  bool Value(simdjson::ondemand::value value, std::string& out, int depth);
  void Scalar(std::string_view token, std::string& out);
  bool Member(std::string_view name, simdjson::ondemand::value value, std::string& out);

  NameIds& names_;
  boost::unordered_flat_map<std::string, std::uint64_t> known_;
  simdjson::ondemand::parser parser_;
  std::string padded_;
  std::string scratch_;
};

}  // namespace rankscope::perfetto
