// A program's code as a file of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/local_file.h"

namespace rankscope::app {

// Holds the packed code (fix/tree/source_bundle.h) in an unnamed file during its lifetime.
class PackedSource {
 public:
  // The Python files of a folder. kNotFound if the folder or such files do not exist.
  static Result<std::unique_ptr<PackedSource>> Of(const std::string& folder);
  ~PackedSource();
  PackedSource(const PackedSource&) = delete;
  PackedSource& operator=(const PackedSource&) = delete;

  // With the name that it has in a run.
  store::LocalFile file() const;
  // What was left out, a sentence each.
  const std::vector<std::string>& left_out() const { return left_out_; }
  // The commit of the folder; "" if git does not say, or if there are uncommitted changes.
  const std::string& commit() const { return commit_; }

 private:
  PackedSource(int descriptor, std::string commit, std::vector<std::string> left_out)
      : descriptor_(descriptor), commit_(std::move(commit)), left_out_(std::move(left_out)) {}
  const int descriptor_;
  const std::string commit_;
  const std::vector<std::string> left_out_;
};

}  // namespace rankscope::app
