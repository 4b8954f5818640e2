// UnwindFile: the call frame information of a program or library (.eh_frame), found by its table of
// functions (.eh_frame_hdr), which every Linux linker writes. Reads only the requested parts of a
// file, whatever its size. The file is untrusted (elf_file.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/segments.h"
#include "cpu_profile/native/frame_rules.h"

namespace rankscope::cpu_profile {

class CheckedFile;

class UnwindFile {
 public:
  // kIo, and kBadData with what is wrong.
  static Result<UnwindFile> Open(const std::string& path);

  std::optional<std::uint64_t> BiasIn(const Mapping& mapping) const {
    return BiasOf(segments_, mapping);
  }
  // Rules at an address of the file. Opens the file again: there are many files, and each address
  // is requested only once. O(log functions) reads.
  std::optional<FrameRules> RulesAt(std::uint64_t address) const;

 private:
  struct Entry {
    std::string bytes;
    std::uint64_t address = 0;
  };
  std::optional<std::uint64_t> OffsetOf(std::uint64_t address) const;
  std::optional<std::uint64_t> FindEntry(const CheckedFile& file, std::uint64_t address) const;
  std::optional<Entry> ReadEntry(const CheckedFile& file, std::uint64_t address) const;

  std::string path_;
  std::vector<Segment> segments_;
  // The table of functions: pairs of addresses relative to the header.
  std::uint64_t header_ = 0;
  std::uint64_t table_offset_ = 0;
  std::uint64_t functions_ = 0;
};

}  // namespace rankscope::cpu_profile
