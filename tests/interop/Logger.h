// In place of libkineto's logger and of glog, for the client alone: to standard error.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace interop {
struct Line {
  explicit Line(const char* level) { text << level << ": "; }
  ~Line() { std::cerr << text.str() + "\n"; }
  std::ostringstream text;
};
}  // namespace interop

#ifndef LOG
#define LOG(level) interop::Line(#level).text
#endif
namespace KINETO_NAMESPACE {}
