#include "cpu_profile/image/elf_file.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cpu_profile/image/checked_file.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;  // of a section
constexpr std::uint64_t kMostHeaders = 4096;
constexpr std::uint64_t kMostSmall = 64 << 10;  // of notes, names of sections, a debug link

// The bytes of a small section; empty where there are none.
std::string BytesOf(const CheckedFile& source, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_size > kMostSmall) return "";
  std::string bytes(section.sh_size, '\0');
  return source.Read(section.sh_offset, bytes.data(), bytes.size()) ? bytes : "";
}

std::string BuildIdOf(const CheckedFile& source, const std::vector<Elf64_Shdr>& sections) {
  constexpr std::string_view kOwner("GNU\0", 4);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_NOTE) continue;
    const std::string bytes = BytesOf(source, section);
    Elf64_Nhdr note{};
    if (bytes.size() < sizeof(note) + kOwner.size()) continue;
    std::memcpy(&note, bytes.data(), sizeof(note));
    const std::string_view rest = std::string_view(bytes).substr(sizeof(note));
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != kOwner.size() ||
        !rest.starts_with(kOwner) || note.n_descsz > rest.size() - kOwner.size())
      continue;
    std::string id;
    for (const char c : rest.substr(kOwner.size(), note.n_descsz))
      id += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return id;
  }
  return "";
}

std::string DebugNameOf(const CheckedFile& source, const std::vector<Elf64_Shdr>& sections,
                        std::size_t names) {
  if (names >= sections.size()) return "";
  const std::string all = BytesOf(source, sections[names]);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= all.size()) continue;
    const std::string_view name = std::string_view(all).substr(section.sh_name);
    if (name.substr(0, name.find('\0')) != ".gnu_debuglink") continue;
    const std::string bytes = BytesOf(source, section);
    return bytes.substr(0, bytes.find('\0'));
  }
  return "";
}

}  // namespace

Result<ElfFile> ElfFile::Open(const std::string& path) {
  const CheckedFile source(path);
  if (!source.is_file())
    return Error(StatusCode::kIo, "{}: cannot be read: {}", path, std::strerror(errno));
  const auto bad = [&](std::string_view what) {
    return Error(StatusCode::kBadData, "{}: {}", path, what);
  };
  Elf64_Ehdr head{};
  if (!source.Read(0, &head, sizeof(head)) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
    return bad("is no program of 64 bits");
  std::vector<Elf64_Phdr> programs;
  std::vector<Elf64_Shdr> sections;
  if (head.e_phnum > kMostHeaders || head.e_shnum > kMostHeaders ||
      (head.e_phnum > 0 && head.e_phentsize != sizeof(Elf64_Phdr)) ||
      (head.e_shnum > 0 && head.e_shentsize != sizeof(Elf64_Shdr)) ||
      !source.ReadAll(head.e_phoff, head.e_phnum, programs) ||
      !source.ReadAll(head.e_shoff, head.e_shnum, sections))
    return bad("its headers are damaged");

  ElfFile file;
  for (const Elf64_Phdr& one : programs) {
    if (one.p_type == PT_LOAD)
      file.segments_.push_back(
          {one.p_offset, one.p_vaddr, one.p_filesz, (one.p_flags & PF_X) != 0});
  }
  file.build_id_ = BuildIdOf(source, sections);
  file.debug_name_ = DebugNameOf(source, sections, head.e_shstrndx);
  // The long table holds the short one's symbols, where it is not stripped.
  const auto of_type = [&](std::uint32_t type) {
    return std::ranges::find(sections, type, &Elf64_Shdr::sh_type);
  };
  auto table = of_type(SHT_SYMTAB);
  file.has_all_symbols_ = table != sections.end();
  if (table == sections.end()) table = of_type(SHT_DYNSYM);
  if (table == sections.end()) return file;
  if (table->sh_link >= sections.size() || table->sh_size > kMostBytes ||
      table->sh_entsize != sizeof(Elf64_Sym))
    return bad("its table of symbols is damaged");
  const Elf64_Shdr& names = sections[table->sh_link];
  std::vector<Elf64_Sym> symbols;
  if (names.sh_size > kMostBytes ||
      !source.ReadAll(table->sh_offset, table->sh_size / sizeof(Elf64_Sym), symbols))
    return bad("its table of symbols is damaged");
  file.names_.resize(names.sh_size);
  if (!source.Read(names.sh_offset, file.names_.data(), names.sh_size))
    return bad("its names of symbols are damaged");
  for (const Elf64_Sym& one : symbols) {
    const unsigned type = ELF64_ST_TYPE(one.st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (one.st_shndx == SHN_UNDEF || one.st_name >= file.names_.size() ||
        (!is_function && type != STT_OBJECT))
      continue;
    file.symbols_.push_back({one.st_value, one.st_size, one.st_name, is_function});
  }
  std::ranges::stable_sort(file.symbols_, {}, &ElfSymbol::address);
  return file;
}

std::string_view ElfFile::NameOf(const ElfSymbol& symbol) const {
  const std::string_view rest = std::string_view(names_).substr(symbol.name);
  return rest.substr(0, rest.find('\0'));
}

std::optional<std::uint64_t> ElfFile::AddressOf(std::string_view name) const {
  const auto found = std::ranges::find_if(
      symbols_, [&](const ElfSymbol& symbol) { return NameOf(symbol) == name; });
  return found == symbols_.end() ? std::nullopt : std::optional(found->address);
}

std::string_view ElfFile::FunctionAt(std::uint64_t address) const {
  // Functions hardly ever overlap, but one address may have several names, and data between.
  constexpr int kMostBack = 16;
  auto one = std::ranges::upper_bound(symbols_, address, {}, &ElfSymbol::address);
  for (int back = 0; back < kMostBack && one != symbols_.begin(); ++back) {
    --one;
    const bool is_in = address - one->address < std::max<std::uint64_t>(one->size, 1);
    if (one->is_function && is_in) return NameOf(*one);
  }
  return {};
}

void ElfFile::ForEachFunction(
    const std::function<void(std::string_view name, std::uint64_t address)>& seen) const {
  for (const ElfSymbol& symbol : symbols_) {
    if (symbol.is_function) seen(NameOf(symbol), symbol.address);
  }
}

std::optional<std::uint64_t> ElfFile::OffsetOf(std::uint64_t address) const {
  for (const Segment& one : segments_) {
    if (address - one.address < one.bytes) return address - one.address + one.offset;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ElfFile::BiasIn(const Mapping& mapping) const {
  return BiasOf(segments_, mapping);
}

}  // namespace rankscope::cpu_profile
