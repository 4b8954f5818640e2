// An input file, and the collection that readers fill.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/base/data.h"
#include "serving/inputs/span_paths.h"

namespace rankscope::serving {

struct InputFile {
  std::string path;  // as sentences and tables name it
  std::string_view text;
  Ns modified;               // when it was last written to
  std::string problem = {};  // why the text is not all of the file; "" where it is
};

// Filled by readers. The numbers of skipped lines and files become notes.
class Collection {
 public:
  ServingData data;
  SpanPaths span_paths;

  // The index of a new source.
  std::uint32_t AddSource(const InputFile& file, std::string format);
  void Count(std::uint32_t source, std::int64_t records) {
    data.sources[source].records += records;
  }
  std::uint32_t LabelsId(const std::string& labels);
  void Note(std::string sentence) { data.notes.push_back(std::move(sentence)); }

 private:
  boost::unordered_flat_map<std::string, std::uint32_t> ids_of_labels_;
};

// Merges notes "PATH: SENTENCE" that are equal for several paths, or equal except for their
// numbers, into the first with the number of paths.
std::vector<std::string> NotesByKind(std::vector<std::string> notes,
                                     const std::set<std::string>& paths);

}  // namespace rankscope::serving
