#include "tools/repack.h"

#include <vector>

#include "base/parallel.h"
#include "formats/base/byte_source.h"
#include "formats/base/head.h"
#include "formats/base/packed_file.h"
#include "formats/foreign/foreign.h"
#include "tools/write_traces.h"

namespace rankscope::tools {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

struct Block {
  explicit Block(Packing packing) : packer(packing), text(kBlockBytes, '\0') {}
  BlockPacker packer;
  std::string text;
  std::size_t size = 0;
  PackedBlock packed;
  Status status;
};

void Fill(ByteSource& source, Block& block) {
  block.size = 0;
  while (block.size < kBlockBytes) {
    const std::size_t got = source.Read(block.text.data() + block.size, kBlockBytes - block.size);
    if (got == 0) return;
    block.size += got;
  }
}

Status CheckBeginning(std::string_view head, const std::string& path) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '['))
    return OkStatus();
  if (head.empty())
    return Error(StatusCode::kBadData, "{}: the file is empty; record the trace again", path);
  const std::string_view foreign = NameForeignFormat(head.substr(0, kHeadBytes), path);
  return Error(StatusCode::kBadData, "{}: not a trace: {}", path,
               foreign.empty() ? "the file is not JSON; a PyTorch profiler trace begins with { or ["
                               : foreign);
}

}  // namespace

Result<Repacked> Repack(const std::string& from, const std::string& to, int threads) {
  RS_RETURN_IF_ERROR(CheckOutput(to, {{.path = from}}));
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(from));
  std::vector<std::unique_ptr<Block>> blocks;
  blocks.reserve(2 * static_cast<std::size_t>(threads));
  for (int i = 0; i < 2 * threads; ++i) blocks.push_back(std::make_unique<Block>(PackingOf(to)));
  std::unique_ptr<PackedFile> file;
  for (bool is_end = false; !is_end;) {
    for (const auto& block : blocks) Fill(*source, *block);
    is_end = blocks.back()->size == 0;
    if (!file) {
      Block& first = *blocks.front();
      if (first.size == 0 && !source->problems().entries().empty())
        return Error(StatusCode::kBadData, "{}: {}", from,
                     source->problems().entries().front().message);
      RS_RETURN_IF_ERROR(CheckBeginning(std::string_view(first.text).substr(0, first.size), from));
      RS_ASSIGN_OR_RETURN(file, PackedFile::Create(to));
    }
    ParallelFor(blocks.size(), threads, [&](std::size_t i) {
      Block& block = *blocks[i];
      block.status =
          block.packer.Pack(std::string_view(block.text).substr(0, block.size), block.packed);
    });
    for (const auto& block : blocks) {
      RS_RETURN_IF_ERROR(std::move(block->status));
      RS_RETURN_IF_ERROR(file->Append(block->packed));
    }
  }
  RS_RETURN_IF_ERROR(file->Finish());
  Repacked repacked{.text_bytes = file->text_bytes(), .file_bytes = file->file_bytes(), .loss = {}};
  if (const auto& problems = source->problems().entries(); !problems.empty())
    repacked.loss = fmt::format("{}: {}", from, problems.front().message);
  return repacked;
}

}  // namespace rankscope::tools
