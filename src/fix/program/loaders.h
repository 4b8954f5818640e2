// The DataLoaders of a program.
#pragma once

#include <string>
#include <vector>

#include "fix/base/kind.h"
#include "fix/base/project.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A call that constructs a torch DataLoader.
struct Loader {
  Node call;
  std::vector<Node> loops;      // for_statements of the same file that iterate over it alone
  bool is_in_training = false;  // one of these calls `backward`
};
std::vector<Loader> LoadersOf(const SourceFile& file);

// The loader as a site; the loops over it show it.
Site SiteOf(std::size_t file, const Loader& loader);

// Why other processes must not make its items, a sentence. "" if they may: the dataset has items by
// index, nothing visible puts them on a device, it does not change, opens nothing that processes
// cannot share, and the program does not access its inside.
std::string WhyNotInWorkers(const Project& project, const SourceFile& file, const Loader& loader);
// The same for pinned memory: items by index or not.
std::string WhyNotPinned(const Project& project, const SourceFile& file, const Loader& loader);

}  // namespace rankscope::fix
