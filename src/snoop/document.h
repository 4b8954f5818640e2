// The common part of both commands' documents (snoop_file/window.h).
#pragma once

#include "snoop/stack_book.h"
#include "snoop_file/window.h"

namespace rankscope::snoop {

snoop_file::Stack StackOf(const Frames& frames);

// For Findings and OffCpuFindings, which use the same member names.
template <typename T>
void SetHead(const T& findings, snoop_file::Window& window) {
  window.pid = findings.pid;
  window.host = findings.place.host;
  window.rank = findings.place.rank;
  window.world_size = findings.place.world_size;
  window.job = findings.place.job;
  window.command = findings.command;
  window.begin_unix_ns = findings.begin_unix_ns;
  window.window_ns = findings.window_ns;
  window.asked_ns = findings.asked_ns;
  window.cut = findings.cut;
  window.notes = findings.notes;
}

}  // namespace rankscope::snoop
