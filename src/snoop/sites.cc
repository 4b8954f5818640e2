#include "snoop/sites.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "cpu_profile/image/checked_file.h"

namespace rankscope::snoop {
namespace {

constexpr std::uint64_t kMostNotes = 4 << 20;
constexpr std::uint64_t kMostHeaders = 4096;

// By DWARF's numbers, each in the widths that an assembler names.
constexpr std::array<std::array<std::string_view, 4>, 16> kNames = {{
    {"rax", "eax", "ax", "al"},
    {"rdx", "edx", "dx", "dl"},
    {"rcx", "ecx", "cx", "cl"},
    {"rbx", "ebx", "bx", "bl"},
    {"rsi", "esi", "si", "sil"},
    {"rdi", "edi", "di", "dil"},
    {"rbp", "ebp", "bp", "bpl"},
    {"rsp", "esp", "sp", "spl"},
    {"r8", "r8d", "r8w", "r8b"},
    {"r9", "r9d", "r9w", "r9b"},
    {"r10", "r10d", "r10w", "r10b"},
    {"r11", "r11d", "r11w", "r11b"},
    {"r12", "r12d", "r12w", "r12b"},
    {"r13", "r13d", "r13w", "r13b"},
    {"r14", "r14d", "r14w", "r14b"},
    {"r15", "r15d", "r15w", "r15b"},
}};

std::optional<std::uint8_t> RegisterNamed(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (std::ranges::find(kNames[i], name) != kNames[i].end()) return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

bool ParseNumber(std::string_view text, std::int64_t& number) {
  int base = 10;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  number = static_cast<std::int64_t>(is_negative ? ~value + 1 : value);
  return true;
}

// 8@%rbx
std::optional<SourceOf> ParseArgument(std::string_view text) {
  const std::size_t at = text.find('@');
  std::int64_t bytes = 0;
  if (at == std::string_view::npos || !ParseNumber(text.substr(0, at), bytes)) return std::nullopt;
  if (bytes < -8 || bytes > 8 || bytes == 0) return std::nullopt;
  text.remove_prefix(at + 1);
  SourceOf source{};
  source.bytes = static_cast<__s8>(bytes);
  std::int64_t number = 0;
  if (text.starts_with('$')) {
    if (!ParseNumber(text.substr(1), number)) return std::nullopt;
    source.how = kConstant;
    source.offset = number;
    return source;
  }
  std::string_view name = text;
  source.how = kInRegister;
  if (text.ends_with(')')) {
    // -16(%rbp); an index or a name in front of it is not known here.
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos) return std::nullopt;
    if (open > 0 && !ParseNumber(text.substr(0, open), number)) return std::nullopt;
    source.how = kInMemory;
    source.offset = number;
    name = text.substr(open + 1, text.size() - open - 2);
  }
  if (!name.starts_with('%')) return std::nullopt;
  const auto found = RegisterNamed(name.substr(1));
  if (!found) return std::nullopt;
  source.reg = *found;
  return source;
}

class Notes {
 public:
  explicit Notes(const std::string& path) : source_(path) {}

  std::vector<Site> Read() {
    std::vector<Site> sites;
    Elf64_Ehdr head{};
    if (!source_.is_file() || !source_.Read(0, &head, sizeof(head)) ||
        std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phnum > kMostHeaders || head.e_shnum > kMostHeaders ||
        head.e_phentsize != sizeof(Elf64_Phdr) || head.e_shentsize != sizeof(Elf64_Shdr) ||
        !source_.ReadAll(head.e_phoff, head.e_phnum, programs_) ||
        !source_.ReadAll(head.e_shoff, head.e_shnum, sections_) ||
        head.e_shstrndx >= sections_.size())
      return sites;
    names_ = BytesOf(sections_[head.e_shstrndx]);
    for (const Elf64_Shdr& one : sections_) {
      if (NameOf(one) == ".stapsdt.base") base_ = one.sh_addr;
    }
    for (const Elf64_Shdr& one : sections_) {
      if (one.sh_type == SHT_NOTE && NameOf(one) == ".note.stapsdt") Parse(BytesOf(one), sites);
    }
    return sites;
  }

 private:
  std::string BytesOf(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_size > kMostNotes) return "";
    std::string bytes(section.sh_size, '\0');
    return source_.Read(section.sh_offset, bytes.data(), bytes.size()) ? bytes : "";
  }
  std::string_view NameOf(const Elf64_Shdr& section) const {
    if (section.sh_name >= names_.size()) return "";
    const std::string_view name = std::string_view(names_).substr(section.sh_name);
    return name.substr(0, name.find('\0'));
  }
  std::uint64_t OffsetOf(std::uint64_t address) const {
    for (const Elf64_Phdr& one : programs_) {
      if (one.p_type == PT_LOAD && address - one.p_vaddr < one.p_filesz)
        return address - one.p_vaddr + one.p_offset;
    }
    return 0;
  }

  void Parse(std::string_view bytes, std::vector<Site>& sites) const {
    const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
    while (bytes.size() >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr note{};
      std::memcpy(&note, bytes.data(), sizeof(note));
      bytes.remove_prefix(sizeof(note));
      const std::uint64_t size = padded(note.n_namesz) + padded(note.n_descsz);
      if (size > bytes.size()) return;
      if (note.n_type == 3 && bytes.starts_with(std::string_view("stapsdt\0", 8)))
        ParseSite(bytes.substr(padded(note.n_namesz), note.n_descsz), sites);
      bytes.remove_prefix(size);
    }
  }
  // Three addresses, then three texts.
  void ParseSite(std::string_view bytes, std::vector<Site>& sites) const {
    std::array<std::uint64_t, 3> address{};
    if (bytes.size() < sizeof(address)) return;
    std::memcpy(address.data(), bytes.data(), sizeof(address));
    bytes.remove_prefix(sizeof(address));
    std::array<std::string_view, 3> text;
    for (std::string_view& one : text) {
      const std::size_t end = bytes.find('\0');
      if (end == std::string_view::npos) return;
      one = bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
    }
    // What linkers moved since the note was made.
    const std::uint64_t moved = base_ != 0 ? base_ - address[1] : 0;
    const auto arguments = ParseArguments(text[2]);
    Site site;
    site.provider = text[0];
    site.name = text[1];
    site.offset = OffsetOf(address[0] + moved);
    if (address[2] != 0) site.semaphore = OffsetOf(address[2] + moved);
    if (!arguments || site.offset == 0 || (address[2] != 0 && site.semaphore == 0)) return;
    site.arguments = *arguments;
    sites.push_back(std::move(site));
  }

  const cpu_profile::CheckedFile source_;
  std::vector<Elf64_Phdr> programs_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
  std::uint64_t base_ = 0;
};

}  // namespace

std::optional<std::vector<SourceOf>> ParseArguments(std::string_view text) {
  std::vector<SourceOf> arguments;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find(' '));
    if (end > 0) {
      const auto argument = ParseArgument(text.substr(0, end));
      if (!argument) return std::nullopt;
      arguments.push_back(*argument);
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return arguments;
}

std::vector<Site> SitesOf(const std::string& file) { return Notes(file).Read(); }

bool IsAllocatorSite(const Site& site, Call& call) {
  if (site.provider != "pytorch") return false;
  call = Call();
  call.level = Level::kAllocator;
  call.at.level = static_cast<__u32>(Level::kAllocator);
  call.name = site.provider + ":" + site.name;
  if (site.name == "malloc" && site.arguments.size() >= 3) {
    call.at.kind = kAllocated;
    call.at.address = site.arguments[0];
    call.at.size = site.arguments[2];
    return true;
  }
  if (site.name == "free" && !site.arguments.empty()) {
    call.at.kind = kFree;
    call.at.address = site.arguments[0];
    return true;
  }
  return false;
}

}  // namespace rankscope::snoop
