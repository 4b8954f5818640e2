#include "formats/columnar/cache_file.h"

#include <cstring>
#include <vector>

#include "base/file.h"
#include "formats/columnar/check.h"
#include "formats/columnar/layout.h"
#include "formats/columnar/meta_codec.h"
#include "formats/columnar/sections.h"

namespace rankscope::columnar {
namespace {

struct Block {
  std::uint32_t id;
  std::uint32_t element_bytes;
  const void* data;
  std::size_t bytes;
};

std::uint64_t Align(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<Block> BlocksOf(const RankTrace& trace, const std::string& meta) {
  std::vector<Block> blocks;
  ForEachColumn(trace, [&](std::uint32_t id, const auto& column) {
    blocks.push_back({id, sizeof(column[0]), column.data(), column.bytes()});
  });
  const auto& text = trace.strings.text();
  const auto& ends = trace.strings.ends();
  blocks.push_back({kStringTextSection, 1, text.data(), text.bytes()});
  blocks.push_back({kStringEndsSection, sizeof(ends[0]), ends.data(), ends.bytes()});
  blocks.push_back({kMetaSection, 1, meta.data(), meta.size()});
  return blocks;
}

std::uint64_t FirstOffset(const std::vector<Block>& blocks) {
  return Align(sizeof(Header) + blocks.size() * sizeof(Section));
}

// The sections of a mapped file, after every check that does not need to understand them.
class SectionList {
 public:
  static Result<SectionList> Open(std::string_view file, const Hash128& key,
                                  const std::string& path) {
    const auto stale = [&](std::string_view why) {
      return Error(StatusCode::kBadData, "{}: the cache file is {} and will be rebuilt", path, why);
    };
    Header header;
    if (file.size() < sizeof(header)) return stale("too short");
    std::memcpy(&header, file.data(), sizeof(header));
    if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) return stale("not a cache file");
    if (header.version != kCacheVersion) return stale("of another version");
    if (header.key != key) return stale("of another trace");
    if (header.file_bytes != file.size() || header.section_count > kMaxSections)
      return stale("cut off");
    const std::size_t directory_bytes = header.section_count * sizeof(Section);
    if (directory_bytes > file.size() - sizeof(header)) return stale("cut off");
    if (Checksum64(file.data() + sizeof(header), directory_bytes) != header.directory_checksum)
      return stale("damaged");
    SectionList list;
    list.file_ = file;
    list.sections_.resize(header.section_count);
    if (directory_bytes != 0)
      std::memcpy(list.sections_.data(), file.data() + sizeof(header), directory_bytes);
    for (const Section& section : list.sections_) {
      if (section.offset % kAlignment != 0 || section.offset > file.size() ||
          section.bytes > file.size() - section.offset) {
        return stale("damaged");
      }
      if (Checksum64(file.data() + section.offset, section.bytes) != section.checksum)
        return stale("damaged");
    }
    return list;
  }

  // The bytes of a section whose elements have this size; nullopt when there is no such section.
  bool Find(std::uint32_t id, std::size_t element_bytes, std::string_view& bytes) const {
    for (const Section& section : sections_) {
      if (section.id != id || section.element_bytes != element_bytes ||
          section.bytes % element_bytes != 0)
        continue;
      bytes = file_.substr(section.offset, section.bytes);
      return true;
    }
    return false;
  }

  template <typename T>
  bool View(std::uint32_t id, Column<T>& column) const {
    std::string_view bytes;
    if (!Find(id, sizeof(T), bytes)) return false;
    column = Column<T>::View({reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)});
    return true;
  }

 private:
  std::string_view file_;
  std::vector<Section> sections_;
};

}  // namespace

std::uint64_t CacheFileBytes(const RankTrace& trace) {
  const std::string meta = EncodeMeta(trace);
  const std::vector<Block> blocks = BlocksOf(trace, meta);
  std::uint64_t offset = FirstOffset(blocks);
  for (const Block& block : blocks) offset = Align(offset + block.bytes);
  return offset;
}

Status WriteCacheFile(const RankTrace& trace, const Hash128& key, const std::string& path) {
  const std::string meta = EncodeMeta(trace);
  const std::vector<Block> blocks = BlocksOf(trace, meta);
  std::vector<Section> directory;
  std::uint64_t offset = FirstOffset(blocks);
  for (const Block& block : blocks) {
    directory.push_back(
        {block.id, block.element_bytes, offset, block.bytes, Checksum64(block.data, block.bytes)});
    offset = Align(offset + block.bytes);
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kCacheVersion;
  header.section_count = static_cast<std::uint32_t>(blocks.size());
  header.file_bytes = offset;
  header.key = key;
  header.directory_checksum = Checksum64(directory.data(), directory.size() * sizeof(Section));

  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  RS_RETURN_IF_ERROR(file->Write(&header, sizeof(header)));
  RS_RETURN_IF_ERROR(file->Write(directory.data(), directory.size() * sizeof(Section)));
  static constexpr char kZeros[kAlignment] = {};
  RS_RETURN_IF_ERROR(file->Write(kZeros, Align(file->written()) - file->written()));
  for (const Block& block : blocks) {
    RS_RETURN_IF_ERROR(file->Write(block.data, block.bytes));
    RS_RETURN_IF_ERROR(file->Write(kZeros, Align(file->written()) - file->written()));
  }
  return file->Commit();
}

Result<RankTrace> ReadCacheFile(const std::string& path, const Hash128& key) {
  RS_ASSIGN_OR_RETURN(std::shared_ptr<MappedFile> file, MappedFile::OpenUntrusted(path));
  const std::string_view bytes = file->text();
  return ReadCacheBytes(bytes, std::move(file), path, key);
}

Result<RankTrace> ReadCacheBytes(std::string_view bytes, std::shared_ptr<const void> backing,
                                 const std::string& name, const Hash128& key) {
  RS_ASSIGN_OR_RETURN(const SectionList sections, SectionList::Open(bytes, key, name));
  RankTrace trace;
  bool complete = true;
  ForEachColumn(trace,
                [&](std::uint32_t id, auto& column) { complete &= sections.View(id, column); });
  Column<char> text;
  Column<std::uint64_t> ends;
  std::string_view meta;
  complete = complete && sections.View(kStringTextSection, text) &&
             sections.View(kStringEndsSection, ends) && sections.Find(kMetaSection, 1, meta);
  if (complete) {
    trace.strings = StringTable(std::move(text), std::move(ends));
    complete = DecodeMeta(meta, trace) && IsSound(trace);
  }
  if (!complete)
    return Error(StatusCode::kBadData, "{}: the cache file is damaged and will be rebuilt", name);
  trace.backing = std::move(backing);
  return trace;
}

}  // namespace rankscope::columnar
