#include "cpu_profile/native/unwind_file.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cpu_profile/image/checked_file.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::uint64_t kMostHeaders = 4096;
constexpr std::uint32_t kMostEntry = 64 << 10;  // bytes of a function's rules

struct Pair {
  std::int32_t function, entry;
};

}  // namespace

Result<UnwindFile> UnwindFile::Open(const std::string& path) {
  const CheckedFile file(path);
  if (!file.is_file())
    return Error(StatusCode::kIo, "{}: cannot be read: {}", path, std::strerror(errno));
  const auto bad = [&](std::string_view what) {
    return Error(StatusCode::kBadData, "{}: {}", path, what);
  };
  Elf64_Ehdr head{};
  std::vector<Elf64_Phdr> programs;
  if (!file.Read(0, &head, sizeof(head)) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
    return bad("is no program for x86-64");
  if (head.e_phnum > kMostHeaders || head.e_phentsize != sizeof(Elf64_Phdr) ||
      !file.ReadAll(head.e_phoff, head.e_phnum, programs))
    return bad("its headers are damaged");
  UnwindFile made;
  made.path_ = path;
  for (const Elf64_Phdr& one : programs) {
    if (one.p_type == PT_LOAD)
      made.segments_.push_back(
          {one.p_offset, one.p_vaddr, one.p_filesz, (one.p_flags & PF_X) != 0});
  }
  const auto header = std::ranges::find(programs, PT_GNU_EH_FRAME, &Elf64_Phdr::p_type);
  if (header == programs.end()) return bad("has no table of call frames (.eh_frame_hdr)");
  // Version, and how its three parts are written.
  std::string start(32, '\0');
  start.resize(std::min<std::uint64_t>(start.size(), header->p_filesz));
  if (!file.Read(header->p_offset, start.data(), start.size()))
    return bad("its table of call frames is damaged");
  std::string_view rest = start;
  std::array<std::uint8_t, 4> how{};
  constexpr std::uint8_t kPairs = 0x3b;  // from the header, four bytes with a sign
  if (!TakePlain(rest, how) || how[0] != 1 || how[3] != kPairs)
    return bad("its table of call frames is of another kind");
  made.header_ = header->p_vaddr;
  const auto here = [&] { return header->p_vaddr + (start.size() - rest.size()); };
  const auto frames = TakePointer(rest, how[1], here(), header->p_vaddr);
  const auto count = frames ? TakePointer(rest, how[2], here(), header->p_vaddr) : std::nullopt;
  const std::uint64_t table = start.size() - rest.size();
  if (!count || *count > (header->p_filesz - table) / sizeof(Pair))
    return bad("its table of call frames is damaged");
  made.functions_ = *count;
  made.table_offset_ = header->p_offset + table;
  return made;
}

std::optional<std::uint64_t> UnwindFile::OffsetOf(std::uint64_t address) const {
  for (const Segment& one : segments_) {
    if (address >= one.address && address - one.address < one.bytes)
      return one.offset + (address - one.address);
  }
  return std::nullopt;
}

// The entry of the last function that begins at or before the address.
std::optional<std::uint64_t> UnwindFile::FindEntry(const CheckedFile& file,
                                                   std::uint64_t address) const {
  std::uint64_t low = 0, high = functions_;
  Pair found{};
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    Pair pair{};
    if (!file.Read(table_offset_ + middle * sizeof(Pair), &pair, sizeof(pair))) return std::nullopt;
    if (header_ + static_cast<std::uint64_t>(std::int64_t{pair.function}) <= address) {
      found = pair;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return std::nullopt;
  return header_ + static_cast<std::uint64_t>(std::int64_t{found.entry});
}

std::optional<UnwindFile::Entry> UnwindFile::ReadEntry(const CheckedFile& file,
                                                       std::uint64_t address) const {
  const auto offset = OffsetOf(address);
  std::uint32_t length = 0;
  if (!offset || !file.Read(*offset, &length, sizeof(length)) || length == 0 || length > kMostEntry)
    return std::nullopt;
  Entry entry{std::string(length, '\0'), address + sizeof(length)};
  if (!file.Read(*offset + sizeof(length), entry.bytes.data(), length)) return std::nullopt;
  return entry;
}

std::optional<FrameRules> UnwindFile::RulesAt(std::uint64_t address) const {
  const CheckedFile file(path_);
  const auto at = FindEntry(file, address);
  const auto fde = at ? ReadEntry(file, *at) : std::nullopt;
  std::uint32_t back = 0;
  std::string_view front = fde ? std::string_view(fde->bytes) : std::string_view();
  // How far before this very number its CIE begins; 0: it is a CIE itself.
  if (!TakePlain(front, back) || back == 0) return std::nullopt;
  const auto cie = ReadEntry(file, fde->address - back);
  const auto common = cie ? ParseCommon({cie->bytes, cie->address}) : std::nullopt;
  if (!common) return std::nullopt;
  return cpu_profile::RulesAt(*common, {fde->bytes, fde->address}, address);
}

}  // namespace rankscope::cpu_profile
