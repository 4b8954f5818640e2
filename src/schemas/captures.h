// The tables of the captures that were read.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct Captures : Schema<Captures, RankRows> {
  static constexpr std::string_view kName = "captures";

  IntColumn run = Int("run", "", "recordings of one run of a program share a number");
  IntColumn group = Int("group", "", "recordings of ranks that overlap in time share a group");
  FlagColumn analysed = Flag("analysed", "false when the recording was left out (see --capture)");
  StringColumn host = Text("host", "host name; null when the trace does not state it");
  StringColumn device = Text("device", "name of the first device; null when there is none");
  IntColumn start_ns = Int("start_ns", "ns",
                           "begin of the recording from the job's origin, by the rank's own clock");
  IntColumn duration_ns =
      Int("duration_ns", "ns", "from the first begin to the last end of an event");
  IntColumn events = Int("events", "", "elements of traceEvents");
  IntColumn rows = Int("rows", "", "events with a place on a timeline");
  StringColumn content =
      Text("content",
           "hash of the file (XXH3, 128 bits): names the recording, whose number shifts when files "
           "are added");
  StringColumn file = Text("file", "path of the file");
};
extern template const Captures& SchemaOf<Captures>();

struct DataQuality : Schema<DataQuality> {
  static constexpr std::string_view kName = "data_quality";

  IntColumn rank = Int("rank", "", "global rank; null for a file that is no trace");
  StringColumn file = Text("file", "path of the file");
  StringColumn code = Text("code", "kind of the problem");
  IntColumn byte =
      Int("byte", "", "first place, as offset in the uncompressed text; null = the whole file");
  IntColumn count = Int("count", "", "how often it was met");
  StringColumn message = Text("message", "what is wrong and what was done about it");
};
extern template const DataQuality& SchemaOf<DataQuality>();

// What a recording contains of a rank's work, and what it cannot contain: the basis of verdicts.
struct RecordedWork : Schema<RecordedWork, RankRows> {
  static constexpr std::string_view kName = "recorded_work";

  IntColumn span_ns = Int("span_ns", "ns", "from the first begin to the last end of an event");
  IntColumn steps = Int("steps", "", "steps that were marked or inferred");
  IntColumn complete_steps = Int("complete_steps", "", "of these, as step_times counts them");
  IntColumn launches = Int("launches", "", "calls that put single work on a device");
  IntColumn launches_without_work = Int("launches_without_work", "", "of these, in the file");
  IntColumn graph_launches = Int("graph_launches", "", "calls that launch a graph");
  IntColumn graph_launches_without_work =
      Int("graph_launches_without_work", "", "of these, in the file");
  IntColumn device_rows = Int("device_rows", "", "kernels, copies, memsets");
  IntColumn cut_device_rows =
      Int("cut_device_rows", "",
          "of these, in a file that ends among them before a step has all: they are in tables of "
          "kernels and copies, and when the device idles is unknown");
  IntColumn device_ns = Int("device_ns", "ns", "sum of what these take, side by side or not");
  IntColumn host_rows = Int("host_rows", "", "ops, calls, annotations, frames");
  IntColumn other_rows = Int(
      "other_rows", "", "that are no work: of no kind that rankscope knows, instants, counters");
  IntColumn unread_device_rows =
      Int("unread_device_rows", "",
          "of these, under the name of a device: its work, of a kind that is not read");
  IntColumn impossible =
      Int("impossible", "",
          "kernels that state an end far behind the begin of the next one of their "
          "stream, where work runs one after the other");
  IntColumn impossible_ns = Int("impossible_ns", "ns", "by how much, in all");
  StringColumn impossible_kernel = Text("impossible_kernel", "that does so the longest");
  IntColumn impossible_stream = Int("impossible_stream", "", "of that one");
  IntColumn startup_ns =
      Int("startup_ns", "ns",
          "in calls of the device's API of 50 ms and more before the first device work of which "
          "others follow: loading of the driver and its libraries");
  IntColumn profiler_ns = Int("profiler_ns", "ns", "in frames of the profiler itself");
  IntColumn steps_ns = Int("steps_ns", "ns", "length of the complete steps, by the host's marks");
  IntColumn busy_ns =
      Int("busy_ns", "ns", "of that, in which the busiest device computes or copies");
  IntColumn host_idle_ns =
      Int("host_idle_ns", "ns",
          "of that, in which it idles because the host had not issued work, or just launched it");
  IntColumn recorded_ops =
      Int("recorded_ops", "", "ops of the threads that launch, in these steps");
  IntColumn recorded_frames = Int("recorded_frames", "", "the same of Python frames");
  IntColumn recorded_calls = Int("recorded_calls", "", "the same of calls of the device's API");
  FlagColumn has_shapes = Flag("has_shapes", "ops state the shapes of their inputs");
  IntColumn recording_cost_ns =
      Int("recording_cost_ns", "ns",
          "what recording these cost the threads, an estimate: an op 4 us with shapes and 2 us "
          "without, a Python frame 0.6 us, a call 1 us; recording_cost_most_ns if that is less");
  IntColumn recording_cost_most_ns =
      Int("recording_cost_most_ns", "ns",
          "what recording these can have cost at most: between two begins or ends that follow each "
          "other no more than the time that passed, nor than 4 us for an op, 0.6 for a frame, 1 "
          "for a call");
};
extern template const RecordedWork& SchemaOf<RecordedWork>();

// Verdicts on the recordings, most severe first: the limits of all conclusions.
struct Recording : Schema<Recording> {
  static constexpr std::string_view kName = "recording";

  StringColumn code = Text(
      "code",
      "device-not-recorded, graphs-without-kernels, rows-not-understood, thinned, too-little-work, "
      "truncated, inflate-limit, start-up, single-step, impossible-durations, profiler-overhead");
  StringColumn severity =
      Text("severity", "high: findings that rest on it are not made; medium; low");
  StringColumn message =
      Text("message", "one or two sentences: what, why that usually is, what to do");
  StringColumn ranks =
      Text("ranks", "numbers and ranges of ranks, \"0-3,7\"; null: of all or of none");
};
extern template const Recording& SchemaOf<Recording>();

}  // namespace rankscope
