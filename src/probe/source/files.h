// Files of sysfs and procfs, kept open: reading again from the start makes the driver evaluate the
// value again.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "probe/source/reading.h"

namespace rankscope::probe {

// Not thread-safe. Holds one descriptor per source and instance.
class Files {
 public:
  explicit Files(std::string root) : root_(std::move(root)) {}
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  const std::string& root() const { return root_; }
  Reading Read(const Source& source, const Instance& instance);
  // Closes the files of an instance that is gone.
  void Forget(const Instance& instance);

 private:
  struct Open {
    int descriptor = -1;
    std::string path;
  };
  using Key = std::pair<std::string, std::string>;  // folder, path of the source
  // kNone: `open` now holds a descriptor.
  Reading OpenFile(const Key& key, Open& open) const;
  static void Close(Open& open);

  std::string root_;
  std::map<Key, Open> open_;
};

}  // namespace rankscope::probe
