// A file that is read, and the collection that readers add to.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/base/data.h"

namespace rankscope::serving {

struct InputFile {
  std::string path;  // as sentences and tables name it
  std::string_view text;
  Ns modified;               // when it was last written to
  std::string problem = {};  // why the text is not all of the file; "" where it is
};

// What readers fill. Numbers of lines and files of what was passed over become notes.
class Collection {
 public:
  ServingData data;

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

// Notes "PATH: SENTENCE" that say the same of several of the paths, or the same but for its
// numbers, become the first with how many there are.
std::vector<std::string> NotesByKind(std::vector<std::string> notes,
                                     const std::set<std::string>& paths);

}  // namespace rankscope::serving
