// A store in a folder of its own, at a time that tests set.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace rankscope::store {

// FIPS 180-4's example.
inline constexpr std::string_view kSha256OfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = (std::filesystem::temp_directory_path() / "rankscope_store_XXXXXX").string();
    root_ = mkdtemp(name.data());
    folder_ = (root_ / "data").string();
  }
  ~StoreTest() override { std::filesystem::remove_all(root_); }

  Result<std::unique_ptr<Store>> Try(StoreOptions options) {
    options.now_s = [this] { return now_s_; };
    return Store::Open(folder_, std::move(options));
  }
  std::unique_ptr<Store> Open(StoreOptions options = {.create = true}) {
    auto store = Try(std::move(options));
    EXPECT_TRUE(store.ok()) << store.status().message();
    return store.ok() ? std::move(*store) : nullptr;
  }
  // A run of one file with this text.
  static store::Run Add(Store& store, const std::string& name, const std::string& text) {
    const auto blob = StoreText(store.blobs(), text);
    EXPECT_TRUE(blob.ok());
    const auto run = store.catalogue().Create({.name = name});
    EXPECT_TRUE(run.ok());
    const auto changed = store.catalogue().Change(run->id, [&](store::Run& one) {
      one.files.push_back({"rank0.json", blob->sha256, blob->bytes});
      one.state = RunState::kReady;
      return OkStatus();
    });
    EXPECT_TRUE(changed.ok());
    return *changed;
  }
  static std::vector<std::string> ProblemsOf(const Store& store, bool contents = true) {
    const auto checked = store.Check(contents);
    EXPECT_TRUE(checked.ok());
    std::vector<std::string> problems;
    for (const Problem& problem : checked->problems)
      problems.push_back(problem.where + ": " + problem.what);
    return problems;
  }
  std::string PathOfBlob(const std::string& sha256) const {
    return folder_ + "/blobs/" + sha256.substr(0, 2) + "/" + sha256;
  }
  void Write(const std::string& path, std::string_view text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::filesystem::path root_;
  std::string folder_;
  std::int64_t now_s_ = 1'800'000'000;
};

}  // namespace rankscope::store
