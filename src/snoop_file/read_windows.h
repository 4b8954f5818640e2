// Reads the documents of windows that lie beside traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop_file/window.h"

namespace rankscope::snoop_file {

// The windows of a job's processes, in the order of their files.
struct Windows {
  std::vector<SnoopWindow> snoop;
  std::vector<OffCpuWindow> offcpu;
  bool empty() const { return snoop.empty() && offcpu.empty(); }
};

// NAME.snoop.json, NAME.offcpu.json.
bool IsWindowName(std::string_view path);

// Adds the window of a document, of either kind. kBadData: it is none, lacks what a window
// has, or is of a newer agent. Fields that are not as they should be are as by default,
// lists and texts are cut; nothing in it is trusted. O(its length), which it holds three times.
Status AddWindow(std::string_view text, Windows& windows);
// The same of a file, of up to 256 MiB; the message names it. kIo, kResource.
Status AddWindowFile(const std::string& path, Windows& windows);

}  // namespace rankscope::snoop_file
