// Packed code that somebody sends: whatever the bytes, a tree within its bounds or a sentence, and
// what was read is packed and read again as the same.
#include "fix/tree/source_bundle.h"
#include "input.h"

namespace rankscope::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const fix::TreeBounds bounds{.most_files = 8, .most_file_bytes = 256};
  const auto tree = fix::ParseBundle("bundle", input.data, bounds);
  if (!tree.ok()) {
    FUZZ_CHECK(tree.status().message().starts_with("bundle: line "));
    return 0;
  }
  FUZZ_CHECK(tree->files.size() <= bounds.most_files);
  const auto packed = fix::WriteBundle(*tree);
  FUZZ_CHECK(packed.ok());
  const auto again = fix::ParseBundle("bundle", *packed, bounds);
  FUZZ_CHECK(again.ok() && again->files.size() == tree->files.size());
  for (std::size_t i = 0; i < tree->files.size(); ++i) {
    const fix::SourceText& file = tree->files[i];
    FUZZ_CHECK(fix::IsPlainName(file.path) && ("/" + file.path).find("/../") == std::string::npos);
    FUZZ_CHECK(!file.path.starts_with('/'));
    FUZZ_CHECK(again->files[i].path == file.path && again->files[i].text == file.text);
  }
  return 0;
}

}  // namespace rankscope::fuzz
