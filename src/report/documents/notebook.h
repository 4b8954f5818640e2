// The report as a Jupyter notebook (nbformat 4.5): findings with their evidence as tables and
// pictures, and for each change a cell to edit that runs the job again and compares it with the
// recording.
//
// Its cells use the Python package rankscope (docs/python.md), pandas and matplotlib.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// How Python opens the job: rankscope.open(paths, name=literal, ...).
struct NotebookJob {
  std::vector<std::string> paths;                                 // from anywhere: absolute
  std::vector<std::pair<std::string_view, std::string>> choices;  // name, literal
  // Of a server's run, in place of paths: http://HOST/api/v1/runs/ID.
  std::string run_url = {};
};

std::string WriteNotebook(const Report& report, const NotebookJob& job);

// A literal of Python.
std::string PythonText(std::string_view text);

}  // namespace rankscope
