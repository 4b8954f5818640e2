// Reads the documents of snoop and offcpu windows beside traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop_file/window.h"

namespace rankscope::snoop_file {

// The windows of a job's processes, in file order.
struct Windows {
  std::vector<SnoopWindow> snoop;
  std::vector<OffCpuWindow> offcpu;
  bool empty() const { return snoop.empty() && offcpu.empty(); }
};

// NAME.snoop.json, NAME.offcpu.json.
bool IsWindowName(std::string_view path);

// Adds the window from a document of either kind. kBadData: it is invalid, lacks required fields,
// or comes from a newer agent. Invalid fields get default values; lists and texts are cut. The text
// is untrusted. O(its length), which it holds three times.
Status AddWindow(std::string_view text, Windows& windows);
// The same for a file of up to 256 MiB; the message names it. kIo, kResource.
Status AddWindowFile(const std::string& path, Windows& windows);

}  // namespace rankscope::snoop_file
