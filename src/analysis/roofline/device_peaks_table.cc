#include "analysis/roofline/device_peaks_table.h"

#include <algorithm>

#include "op_cost/device_peaks.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("device", "the part of a device's name that the entry goes by"),
      {"in_job", ColumnType::kBool, "", "a rank of this job ran on one"},
      column::Text("peak",
                   "matrix_16, matrix_8, matrix_tf32, vector_32, vector_64, memory or link"),
      column::Real("value", "", "in the row's unit; null = not stated, or not supported"),
      column::Text("unit", "FLOP/s, or bytes/s for memory and link"),
      column::Text("confidence", "stated, halved, derived or unsure; null without a value"),
      column::Text("meaning", "what the peak is of"),
      column::Text("source", "the vendor's document"),
  };
  return kColumns;
}

Result<Table> Derive(const InputTables&, const JobContext& job, const Options& /*options*/) {
  std::set<const DevicePeaks*> in_job;
  for (const Capture& capture : job.captures) {
    if (capture.selected) in_job.insert(FindPeaks(capture.device_name));
  }
  Table table("device_peaks", Columns());
  // Those of the job stand first.
  for (const bool is_in_job : {true, false}) {
    for (const DevicePeaks& peaks : AllPeaks()) {
      if (in_job.contains(&peaks) != is_in_job) continue;
      for (const PeakCell& cell : PeakCells()) {
        const PeakRate& peak = peaks.*cell.peak;
        const bool is_known = peak.value > 0;
        table.AddRow({peaks.pattern, is_in_job, cell.name,
                      is_known ? Value(peak.value) : Value(kNull), cell.unit,
                      is_known ? Value(ToString(peak.confidence)) : Value(kNull), cell.doc,
                      peaks.source});
      }
    }
  }
  return table;
}

}  // namespace

const Analysis& DevicePeaksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "device_peaks",
      .size = Size::kDetail,
      .summary = "the peaks that the roofline measures against, their sources and confidence",
      .definition =
          "What devices can do at most, dense, as copied by hand from the vendors' documents; none "
          "was measured. confidence: stated = the document has the figure, per device and dense; "
          "halved = it has twice as much, with 2:4 sparsity or for both directions of a link; "
          "derived = it has the figure of two dies, of which the driver calls each a device, or of "
          "one link of several; unsure = the vendor's documents differ, or the figure is from "
          "elsewhere.",
      .example = "rankscope table device_peaks traces/",
      .columns = Columns(),
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
