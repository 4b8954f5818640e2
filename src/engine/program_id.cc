#include "engine/program_id.h"

#include <elf.h>
#include <fmt/core.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/file.h"
#include "base/hash.h"

namespace rankscope {
namespace {

std::size_t Padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

struct Found {
  std::string id;
  std::string file;  // of the object
};

// This code lies in the object: the program, or a library that another program has loaded.
bool HoldsThis(const dl_phdr_info& info) {
  const auto here = reinterpret_cast<std::uintptr_t>(&HoldsThis);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && here >= begin && here - begin < header.p_memsz) return true;
  }
  return false;
}

int ReadBuildId(dl_phdr_info* info, std::size_t /*size*/, void* into) {
  if (!HoldsThis(*info)) return 0;
  auto& [id, file] = *static_cast<Found*>(into);
  if (info->dlpi_name != nullptr) file = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* const end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const char* const name = at + sizeof(note);
      const char* const bytes = name + Padded(note.n_namesz);
      at = bytes + Padded(note.n_descsz);
      if (at > end) break;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
          std::memcmp(name, "GNU", sizeof("GNU")) != 0)
        continue;
      for (std::size_t k = 0; k < note.n_descsz; ++k)
        id += fmt::format("{:02x}", static_cast<std::uint8_t>(bytes[k]));
      return 1;
    }
  }
  return 1;
}

std::string FindProgramId() {
  Found found;
  dl_iterate_phdr(ReadBuildId, &found);
  if (!found.id.empty()) return found.id;
  // The program itself has no name.
  const auto file = MappedFile::Open(found.file.empty() ? "/proc/self/exe" : found.file);
  return file.ok() ? HashBytes((*file)->bytes().data(), (*file)->bytes().size()).Hex() : "";
}

}  // namespace

const std::string& ProgramId() {
  static const std::string kId = FindProgramId();
  return kId;
}

}  // namespace rankscope
