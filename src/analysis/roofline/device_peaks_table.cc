#include "analysis/roofline/analyses.h"

#include <algorithm>

#include "peaks/device_peaks.h"
#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct DevicePeakRows : Schema<DevicePeakRows> {
  static constexpr std::string_view kName = "device_peaks";

  StringColumn device = Text("device", "the part of a device's name that the entry goes by");
  FlagColumn in_job = Flag("in_job", "a rank of this job ran on one");
  StringColumn peak =
      Text("peak", "matrix_16, matrix_8, matrix_tf32, vector_32, vector_64, memory or link");
  RealColumn value = Real("value", "", "in the row's unit; null = not stated, or not supported");
  StringColumn unit = Text("unit", "FLOP/s, or bytes/s for memory and link");
  StringColumn confidence =
      Text("confidence", "stated, halved, derived or unsure; null without a value");
  StringColumn meaning = Text("meaning", "what the peak is of");
  StringColumn source = Text("source", "the vendor's document");
};

Result<Table> DeriveDevicePeaks(const InputTables&, const JobContext& job,
                                const Options& /*options*/) {
  std::set<const DevicePeaks*> in_job;
  for (const Capture& capture : job.captures) {
    if (capture.selected) in_job.insert(FindPeaks(capture.device_name));
  }
  const auto& columns = SchemaOf<DevicePeakRows>();
  auto table = columns.NewTable(std::string(DevicePeakRows::kName));
  // Those of the job stand first.
  for (const bool is_in_job : {true, false}) {
    for (const DevicePeaks& peaks : AllPeaks()) {
      if (in_job.contains(&peaks) != is_in_job) continue;
      for (const PeakCell& cell : PeakCells()) {
        const PeakRate& peak = peaks.*cell.peak;
        const bool is_known = peak.value > 0;
        table.Add(
            {columns.device = peaks.pattern, columns.in_job = is_in_job, columns.peak = cell.name,
             columns.value = is_known ? Value(peak.value) : Value(kNull), columns.unit = cell.unit,
             columns.confidence = is_known ? Value(ToString(peak.confidence)) : Value(kNull),
             columns.meaning = cell.doc, columns.source = peaks.source});
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
      .columns = SchemaOf<DevicePeakRows>().columns(),
      .derive = DeriveDevicePeaks,
  };
  return kAnalysis;
}

}  // namespace rankscope
