// The DataLoaders of a program.
#pragma once

#include <string>
#include <vector>

#include "fix/base/kind.h"
#include "fix/base/project.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A call that makes torch's DataLoader.
struct Loader {
  Node call;
  std::vector<Node> loops;      // for_statements of the same file that go through it, and no other
  bool is_in_training = false;  // one of these calls `backward`
};
std::vector<Loader> LoadersOf(const SourceFile& file);

// Of every file: the same as a site, which loops over it show.
Site SiteOf(std::size_t file, const Loader& loader);

// Why its items may not be made in other processes, as a sentence; "" where they may: the dataset
// is one of items by index, nothing seen of it puts them on a device, it does not change, opens
// nothing that processes cannot share, and the program does not look into it.
std::string WhyNotInWorkers(const Project& project, const SourceFile& file, const Loader& loader);
// The same of pinned memory: items by index or not.
std::string WhyNotPinned(const Project& project, const SourceFile& file, const Loader& loader);

}  // namespace rankscope::fix
