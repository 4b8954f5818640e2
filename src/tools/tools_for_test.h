// Small traces in a temporary folder, for the tests of tools.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/tokens/splitter.h"

namespace rankscope::tools {

class ToolsTest : public testing::Test {
 protected:
  ToolsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "rankscope_tools_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ToolsTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, std::string_view text) const {
    EXPECT_TRUE(WriteFileAtomically(Path(name), text).ok());
    return Path(name);
  }
  // The file's text, decompressed.
  static std::string TextOf(const std::string& path) {
    auto source = OpenByteSource(path);
    EXPECT_TRUE(source.ok()) << path;
    std::string text;
    std::string buffer(4096, '\0');
    while (const std::size_t got = (*source)->Read(buffer.data(), buffer.size()))
      text.append(buffer, 0, got);
    return text;
  }
  // The texts of the events of a source or a file.
  static std::vector<std::string> EventsOf(ByteSource& source) {
    kineto::EventSplitter splitter(source);
    kineto::Chunk chunk;
    kineto::EventReader reader;
    std::vector<std::string> events;
    while (splitter.Next(chunk)) {
      reader.Read(
          chunk, [] {}, [&](const kineto::EventText& event) { events.emplace_back(event.text); });
    }
    return events;
  }
  static std::vector<std::string> EventsOf(const std::string& path) {
    auto source = OpenByteSource(path);
    EXPECT_TRUE(source.ok()) << path;
    return EventsOf(**source);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace rankscope::tools
