#include "cpu_profile/python/find_python.h"

#include <array>
#include <optional>

#include "cpu_profile/image/elf_file.h"

namespace rankscope::cpu_profile {
namespace {

// The mapping with which a file begins.
const Mapping* FirstOf(const std::vector<Mapping>& maps, std::string_view path) {
  for (const Mapping& one : maps) {
    if (one.path == path) return &one;
  }
  return nullptr;
}

// Of the program itself, then of what is named as Python's library is.
std::vector<const Mapping*> Candidates(pid_t pid, const std::vector<Mapping>& maps) {
  std::vector<const Mapping*> found;
  if (const Mapping* program = FirstOf(maps, ProgramOf(pid))) found.push_back(program);
  for (const Mapping& one : maps) {
    const std::string_view name = std::string_view(one.path).substr(one.path.find_last_of('/') + 1);
    if (name.starts_with("libpython") && &one == FirstOf(maps, one.path)) found.push_back(&one);
    if (found.size() >= 8) break;
  }
  return found;
}

Result<PythonLayout> LayoutIn(Memory& memory, std::uint64_t runtime,
                              std::optional<std::uint64_t> version_at) {
  std::array<std::byte, kDebugOffsetsBytes> head{};
  if (!memory.Read(runtime, head.data(), head.size()))
    return Error(StatusCode::kIo, "the interpreter's state cannot be read");
  if (IsDebugOffsets(head)) return LayoutOfDebugOffsets(head);
  std::uint32_t version = 0;
  if (!version_at || !ReadValue(memory, *version_at, version))
    return Error(StatusCode::kNotFound,
                 "it runs a Python before 3.11, whose stacks cannot be read: 3.11 to 3.13 can");
  return LayoutOfVersion(version);
}

}  // namespace

Result<PythonPlace> FindPython(pid_t pid, const std::vector<Mapping>& maps, Memory& memory) {
  for (const Mapping* mapping : Candidates(pid, maps)) {
    const Result<ElfFile> file = ElfFile::Open(FileOfMapping(pid, mapping->path));
    if (!file.ok()) continue;
    const std::optional<std::uint64_t> bias = file->BiasIn(*mapping);
    const std::optional<std::uint64_t> runtime = file->AddressOf("_PyRuntime");
    if (!bias || !runtime) continue;
    PythonPlace place;
    place.runtime = *bias + *runtime;
    if (const auto type = file->AddressOf("PyCode_Type")) place.code_type = *bias + *type;
    std::optional<std::uint64_t> version = file->AddressOf("Py_Version");
    if (version) *version += *bias;
    RS_ASSIGN_OR_RETURN(place.layout, LayoutIn(memory, place.runtime, version));
    return place;
  }
  return Error(StatusCode::kNotFound, "it runs no Python that can be seen");
}

}  // namespace rankscope::cpu_profile
