// ElfFile: the symbols of a program or library, read from its file.
//
// The file is somebody else's, and may be anything: every place and length in it is checked, what
// is read is bounded, and it is read and not mapped, so that a file that is cut meanwhile harms
// nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/segments.h"

namespace rankscope::cpu_profile {

struct ElfSymbol {
  std::uint64_t address = 0;  // before the file is moved to where it lies
  std::uint64_t size = 0;
  std::uint32_t name = 0;  // in ElfFile::names
  bool is_function = false;
};

class ElfFile {
 public:
  // 64 bits, little-endian. kIo, and kBadData with what is wrong. O(its symbols): up to 64 MiB of
  // them.
  static Result<ElfFile> Open(const std::string& path);

  // Of a symbol with this very name. O(symbols).
  std::optional<std::uint64_t> AddressOf(std::string_view name) const;
  // The function that an address lies in; empty: none is known. O(log symbols).
  std::string_view FunctionAt(std::uint64_t address) const;
  // Each function of it. A name may have a version behind it: hipMalloc@@hip_4.2. O(symbols).
  void ForEachFunction(
      const std::function<void(std::string_view name, std::uint64_t address)>& seen) const;
  // Where in the file what is loaded at an address stands; nullopt: it is not loaded from it.
  std::optional<std::uint64_t> OffsetOf(std::uint64_t address) const;
  // What is added to the file's addresses where this mapping of it lies; nullopt: it is no mapping
  // of what is loaded.
  std::optional<std::uint64_t> BiasIn(const Mapping& mapping) const;

  // Whether it has the long table of symbols, or what it exports alone: it was stripped.
  bool has_all_symbols() const { return has_all_symbols_; }
  // The linker's number of the build, as hexadecimal digits; empty: none. Files of one build have
  // one address for each function.
  const std::string& build_id() const { return build_id_; }
  // The name of the file that its symbols went to (.gnu_debuglink); empty: none.
  const std::string& debug_name() const { return debug_name_; }

 private:
  std::string_view NameOf(const ElfSymbol& symbol) const;

  std::vector<Segment> segments_;
  std::vector<ElfSymbol> symbols_;  // by address
  std::string names_;
  bool has_all_symbols_ = false;
  std::string build_id_;
  std::string debug_name_;
};

}  // namespace rankscope::cpu_profile
