// The tables of CUDA graphs that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct Graphs : Schema<Graphs> {
  static constexpr std::string_view kName = "graphs";

  StringColumn graph =
      Text("graph",
           "what tells it from others, the same on all ranks and in all runs; (others): "
           "graphs beyond 200,000 nodes of a rank");
  IntColumn ranks = Int("ranks", "", "ranks that launched it");
  IntColumn launches = Int("launches", "", "on all ranks");
  IntColumn kernels =
      Int("kernels", "", "that a launch runs; null for (others), as the next three");
  IntColumn copies = Int("copies", "", "that a launch runs");
  IntColumn memsets = Int("memsets", "", "that a launch runs");
  IntColumn streams = Int("streams", "", "device streams on which a launch ran, at most");
  IntColumn device_ns = Int("device_ns", "ns", "durations of its work, summed over launches");
  RealColumn share_pct = Real("share_pct", "%", "device_ns as a part of the work of all graphs");
  RealColumn mean_span_ns =
      Real("mean_span_ns", "ns", "mean time from the first begin to the last end");
  RealColumn busy_pct =
      Real("busy_pct", "%",
           "part of these times in which any node runs; the rest are gaps inside the graph");
  IntColumn captures =
      Int("captures", "", "recordings of its capture in the files; null when there is none");
  StringColumn owners_by =
      Text("owners_by",
           "how its work gets its owners: names, order, no capture, or order unknown (it "
           "runs on several streams and the capture names no kernels)");
};
extern template const Graphs& SchemaOf<Graphs>();

struct GraphOps : Schema<GraphOps> {
  static constexpr std::string_view kName = "graph_ops";

  StringColumn op =
      Text("op",
           "innermost op around the captured launch; (no op): in none; null: the files hold no "
           "capture of the graph; (captures differ)");
  StringColumn module =
      Text("module",
           "modules around it by their classes, outermost first; null: in none, or no "
           "capture; (captures differ)");
  IntColumn ranks = Int("ranks", "", "ranks that ran it");
  IntColumn nodes = Int("nodes", "", "nodes of graphs; null for graphs of (others)");
  IntColumn count = Int("count", "", "times that these ran, on all ranks");
  IntColumn device_ns = Int("device_ns", "ns", "sum of their durations");
  RealColumn mean_ns = Real("mean_ns", "ns", "device_ns / count");
  RealColumn share_pct = Real("share_pct", "%", "device_ns as a part of the work of all graphs");
};
extern template const GraphOps& SchemaOf<GraphOps>();

}  // namespace rankscope
