#include "engine/xla_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

TEST(XlaFolder, WhatTheXplaneFileHasIsNoTraceOfItsOwn) {
  const fs::path root = fs::temp_directory_path() / ("xla_folder_test." + std::to_string(getpid()));
  fs::create_directories(root / "a");
  fs::create_directories(root / "b");
  for (const char* file : {"a/h1.xplane.pb", "a/h1.trace.json.gz", "a/perfetto_trace.json.gz",
                           "a/h2.trace.json", "b/h1.trace.json.gz", "b/perfetto_trace.json.gz"})
    std::ofstream(root / file) << 1;
  EXPECT_TRUE(IsBesideXplane(root / "a/h1.trace.json.gz"));
  EXPECT_TRUE(IsBesideXplane(root / "a/perfetto_trace.json.gz"));
  EXPECT_FALSE(IsBesideXplane(root / "a/h1.xplane.pb"));
  EXPECT_FALSE(IsBesideXplane(root / "a/h2.trace.json"));  // of another host
  EXPECT_FALSE(IsBesideXplane(root / "b/h1.trace.json.gz"));
  EXPECT_FALSE(IsBesideXplane(root / "b/perfetto_trace.json.gz"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace rankscope
