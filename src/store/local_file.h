// A file of this machine that is to become one of a run.
#pragma once

#include <string>

namespace rankscope::store {

struct LocalFile {
  std::string name;  // in the run
  std::string path;
};

}  // namespace rankscope::store
