// ElfFile: the symbols of a program or library, read from its file.
//
// The file is untrusted: every position and length in it is checked, and the amount of reading is
// bounded. It is read instead of mapped, so that truncation of the file in the meantime does no
// harm.
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
  std::uint64_t address = 0;  // in the file, before relocation to its load address
  std::uint64_t size = 0;
  std::uint32_t name = 0;  // offset in ElfFile::names
  bool is_function = false;
};

class ElfFile {
 public:
  // 64 bits, little-endian. kIo; kBadData with what is wrong. O(its symbols), of which it reads up
  // to 64 MiB.
  static Result<ElfFile> Open(const std::string& path);

  // Address of the symbol with exactly this name. O(symbols).
  std::optional<std::uint64_t> AddressOf(std::string_view name) const;
  // The function that contains an address; empty: unknown. O(log symbols).
  std::string_view FunctionAt(std::uint64_t address) const;
  // Calls back for each function. A name may end with a version: hipMalloc@@hip_4.2. O(symbols).
  void ForEachFunction(
      const std::function<void(std::string_view name, std::uint64_t address)>& seen) const;
  // File offset of what is loaded at an address; nullopt: the address is not loaded from the file.
  std::optional<std::uint64_t> OffsetOf(std::uint64_t address) const;
  // What to add to the file's addresses to get those of this mapping; nullopt: it does not map a
  // loaded segment.
  std::optional<std::uint64_t> BiasIn(const Mapping& mapping) const;

  // Whether it has the full symbol table; false: it was stripped, only exported symbols are known.
  bool has_all_symbols() const { return has_all_symbols_; }
  // The linker's build id as hexadecimal digits; empty: none. In files with the same build id every
  // function has the same address.
  const std::string& build_id() const { return build_id_; }
  // The name of the file that holds its symbols (.gnu_debuglink); empty: none.
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
