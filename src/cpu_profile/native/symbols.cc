#include "cpu_profile/native/symbols.h"

#include <cxxabi.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "cpu_profile/image/elf_file.h"
#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/native/debug_file.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::size_t kMostMapBytes = 16 << 20;
constexpr std::size_t kMostJitFunctions = 500'000;
// Names of templates are long, and may be made to be; what demangles them recurses.
constexpr std::size_t kMostMangledBytes = 2000;

bool TakeHex(std::string_view& line, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

NativeName Unknown(const Mapping& mapping, std::uint64_t address) {
  return {
      fmt::format("{}+0x{:x}", BaseName(mapping.path), address - mapping.begin + mapping.offset),
      mapping.path};
}

}  // namespace

std::string Demangled(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kMostMangledBytes) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> made(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && made ? std::string(made.get()) : std::string(name);
}

std::vector<JitFunction> ParsePerfMap(std::string_view text) {
  std::vector<JitFunction> functions;
  while (!text.empty() && functions.size() < kMostJitFunctions) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    JitFunction one;
    if (!TakeHex(line, one.begin) || !TakeHex(line, one.bytes) || line.empty()) continue;
    one.name = line.substr(0, 400);
    functions.push_back(std::move(one));
  }
  std::ranges::stable_sort(functions, {}, &JitFunction::begin);
  return functions;
}

const JitFunction* FindJitFunction(const std::vector<JitFunction>& functions,
                                   std::uint64_t address) {
  const auto behind = std::ranges::upper_bound(functions, address, {}, &JitFunction::begin);
  if (behind == functions.begin()) return nullptr;
  const JitFunction& one = *std::prev(behind);
  return address - one.begin < one.bytes ? &one : nullptr;
}

std::unordered_map<std::uint64_t, NativeName> NamesOf(pid_t pid, std::int64_t pid_inside,
                                                      const std::vector<Mapping>& maps,
                                                      std::vector<std::uint64_t> addresses) {
  std::ranges::sort(addresses);
  std::unordered_map<std::uint64_t, NativeName> names;
  std::map<std::string, std::vector<std::uint64_t>> by_file;
  std::optional<std::vector<JitFunction>> jit;
  for (const std::uint64_t address : addresses) {
    const Mapping* mapping = FindMapping(maps, address);
    const bool is_file = mapping != nullptr && mapping->path.starts_with('/');
    if (is_file) {
      by_file[mapping->path].push_back(address);
      continue;
    }
    if (mapping != nullptr && mapping->path.starts_with('[')) {
      names[address] = {mapping->path, ""};
      continue;
    }
    if (!jit)
      jit = ParsePerfMap(ReadProcText(fmt::format("/proc/{}/root/tmp/perf-{}.map", pid, pid_inside),
                                      kMostMapBytes));
    const JitFunction* function = FindJitFunction(*jit, address);
    names[address] = {function != nullptr ? function->name : "(code of no file)", ""};
  }
  for (const auto& [path, in_file] : by_file) {
    const Result<ElfFile> file = ElfFile::Open(FileOfMapping(pid, path));
    std::optional<ElfFile> debug;
    if (file.ok()) debug = DebugFileOf(*file, path, {fmt::format("/proc/{}/root", pid), ""});
    for (const std::uint64_t address : in_file) {
      const Mapping& mapping = *FindMapping(maps, address);
      names[address] = Unknown(mapping, address);
      if (!file.ok()) continue;
      const std::optional<std::uint64_t> bias = file->BiasIn(mapping);
      if (!bias) continue;
      std::string_view name;
      if (debug) name = debug->FunctionAt(address - *bias);
      if (name.empty()) name = file->FunctionAt(address - *bias);
      if (!name.empty()) names[address].function = Demangled(name);
    }
  }
  return names;
}

}  // namespace rankscope::cpu_profile
