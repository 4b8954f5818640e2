#include "api/run.h"

#include "json/fields.h"

namespace rankscope::json {

using api::FileSetAside;
using api::FindingCounts;
using api::NewRun;
using api::ReportTable;
using api::ReportTableList;
using api::Run;
using api::RunChange;
using api::RunFile;
using api::RunFileList;
using api::RunPage;
using api::RunSummary;
using api::StepTime;
using api::SummaryFinding;

namespace {

constexpr std::size_t kRunMostText = 200;
constexpr std::size_t kMostFiles = 1'000'000;
constexpr std::size_t kMostFileName = 1024;

Field RunText(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_bytes = kRunMostText, .is_null_when_empty = true};
}

Field GivenText(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_bytes = kRunMostText};
}

Field SummaryText(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_bytes = 10'000, .is_null_when_empty = true};
}

}  // namespace

template <>
const Fields<NewRun>& FieldsOf() {
  using T = NewRun;
  static const Fields<T> fields =
      Fields<T>("NewRun", "a run to upload files to", Use::kRequest)
          .Add<&T::name>(GivenText("name", "name of the run"))
          .Add<&T::user>(GivenText("user", "whose run it is; without, that of the token"))
          .Add<&T::team>(GivenText("team", "without, that of the token"))
          .Add<&T::model>(GivenText("model", "name of the model"))
          .Add<&T::product>(GivenText("product", "product that the model is for"))
          .Add<&T::framework>(GivenText("framework", "such as PyTorch 2.8"))
          .Add<&T::hardware>(GivenText("hardware", "without, what the traces say"))
          .Add<&T::tags>({.name = "tags", .doc = "further properties, by name"});
  return fields;
}

template <>
const Fields<RunChange>& FieldsOf() {
  using T = RunChange;
  static const Fields<T> fields =
      Fields<T>("RunChange", "what is to be said of a run; what is left out stays", Use::kRequest)
          .Add<&T::name>(GivenText("name", "name of the run"))
          .Add<&T::user>(GivenText("user", "whose run it is"))
          .Add<&T::model>(GivenText("model", "name of the model"))
          .Add<&T::product>(GivenText("product", "product that the model is for"))
          .Add<&T::framework>(GivenText("framework", "such as PyTorch 2.8"))
          .Add<&T::hardware>(GivenText("hardware", "such as NVIDIA H100"))
          .Add<&T::tags>({.name = "tags", .doc = "all of them"});
  return fields;
}

template <>
const Fields<FileSetAside>& FieldsOf() {
  using T = FileSetAside;
  static const Fields<T> fields =
      Fields<T>("FileSetAside", "a file that no report is made of any more", Use::kReport)
          .Add<&T::file>(
              {.name = "file", .doc = "name of the file in the run", .most_bytes = kMostFileName})
          .Add<&T::reason>({.name = "reason", .doc = "why it is set aside"});
  return fields;
}

template <>
const Fields<RunFile>& FieldsOf() {
  using T = RunFile;
  static const Fields<T> fields =
      Fields<T>("RunFile", "a file of a run, all of which has come", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "path in the run", .most_bytes = kMostFileName})
          .Add<&T::bytes>({.name = "bytes", .doc = "its size", .unit = "bytes"})
          .Add<&T::sha256>({.name = "sha256", .doc = "64 hexadecimal digits"});
  return fields;
}

template <>
const Fields<RunFileList>& FieldsOf() {
  using T = RunFileList;
  static const Fields<T> fields = Fields<T>("RunFileList", "the files of a run", Use::kReport)
                                      .Add<&T::files>({.name = "files",
                                                       .doc = "files that have come whole",
                                                       .most_items = kMostFiles,
                                                       .is_required = true});
  return fields;
}

template <>
const Fields<StepTime>& FieldsOf() {
  using T = StepTime;
  static const Fields<T> fields =
      Fields<T>("StepTime", "the duration of a step, of complete steps", Use::kReport)
          .Add<&T::mean>({.name = "mean", .doc = "over the complete steps", .unit = "ns"})
          .Add<&T::median>({.name = "median", .doc = "of the complete steps", .unit = "ns"})
          .Add<&T::complete_steps>(
              {.name = "complete_steps", .doc = "steps that were recorded from begin to end"});
  return fields;
}

template <>
const Fields<FindingCounts>& FieldsOf() {
  using T = FindingCounts;
  static const Fields<T> fields =
      Fields<T>("FindingCounts", "the number of findings by severity", Use::kReport)
          .Add<&T::high>({.name = "high", .doc = "findings of severity high"})
          .Add<&T::medium>({.name = "medium", .doc = "findings of severity medium"})
          .Add<&T::low>({.name = "low", .doc = "findings of severity low"});
  return fields;
}

template <>
const Fields<SummaryFinding>& FieldsOf() {
  using T = SummaryFinding;
  static const Fields<T> fields =
      Fields<T>("SummaryFinding", "a finding, in short", Use::kReport)
          .Add<&T::id>(SummaryText("id", "of the finding; explain has its page"))
          .Add<&T::severity>(SummaryText("severity", "high, medium or low"))
          .Add<&T::gain_pct>(
              {.name = "gain_pct", .doc = "of a step, without its cause", .unit = "%"})
          .Add<&T::title>(SummaryText("title", "what was found, a sentence"))
          .Add<&T::who>(SummaryText("who", "the ranks, kernels or code it is about"));
  return fields;
}

template <>
const Fields<RunSummary>& FieldsOf() {
  using T = RunSummary;
  static constexpr std::string_view kSubjects[] = {api::kServingSubject};
  static const Fields<T> fields =
      Fields<T>("RunSummary", "summary.json of a report", Use::kReport)
          .Add<&T::subject>({.name = "subject",
                             .doc = "serving: of a serving program; absent: of a training job",
                             .words = kSubjects,
                             .is_left_out = true})
          .Add<&T::ranks>({.name = "ranks", .doc = "ranks that were recorded"})
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job"})
          .Add<&T::devices>({.name = "devices", .doc = "names of its devices, up to four"})
          .Add<&T::step_time_ns>({.name = "step_time_ns", .doc = "null without a complete step"})
          .Add<&T::steps_ns>({.name = "steps_ns",
                              .doc = "durations of the last complete steps, up to 64",
                              .unit = "ns"})
          .Add<&T::bottleneck>(SummaryText("bottleneck", "the resource whose removal gains most"))
          .Add<&T::combined_gain_pct>({.name = "combined_gain_pct",
                                       .doc = "of a step, without the causes of all findings",
                                       .unit = "%"})
          .Add<&T::headline>(SummaryText("headline", "the sentence that matters most"))
          .Add<&T::findings>({.name = "findings", .doc = "how many were found"})
          .Add<&T::top>({.name = "top", .doc = "the first findings, up to three"});
  return fields;
}

template <>
const Fields<Run>& FieldsOf() {
  using T = Run;
  static const Fields<T> fields =
      Fields<T>("Run", "what the server knows of a job that was recorded", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "16 hexadecimal digits"})
          .Add<&T::url>({.name = "url", .doc = "of its page"})
          .Add<&T::name>(RunText("name", "name of the run"))
          .Add<&T::user>(RunText("user", "whose run it is"))
          .Add<&T::team>(RunText("team", "team that sees it"))
          .Add<&T::model>(RunText("model", "name of the model"))
          .Add<&T::product>(RunText("product", "product that the model is for"))
          .Add<&T::framework>(RunText("framework", "such as PyTorch 2.8"))
          .Add<&T::hardware>(RunText("hardware", "such as NVIDIA H100"))
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job; null: unknown"})
          .Add<&T::tags>({.name = "tags", .doc = "further properties, by name"})
          .Add<&T::created>({.name = "created", .doc = "ISO 8601, UTC"})
          .Add<&T::changed>({.name = "changed", .doc = "ISO 8601, UTC"})
          .Add<&T::state>({.name = "state",
                           .doc = "what is done with it; ready: it has a report",
                           .words = api::kRunStates})
          .Add<&T::progress>({.name = "progress", .doc = "0 to 1; null unless it is analysing"})
          .Add<&T::reason>({.name = "reason", .doc = "of failing", .is_null_when_empty = true})
          .Add<&T::files>({.name = "files", .doc = "how many"})
          .Add<&T::bytes>({.name = "bytes", .doc = "of all files", .unit = "bytes"})
          .Add<&T::version>({.name = "version", .doc = "of the report; null without one"})
          .Add<&T::summary>({.name = "summary", .doc = "summary.json of the report; null without"})
          .Add<&T::has_metrics>({.name = "has_metrics", .doc = "the job has told numbers"})
          .Add<&T::has_source>({.name = "has_source", .doc = "the program's code came, too"})
          .Add<&T::snapshots>({.name = "snapshots", .doc = "files that are memory snapshots"})
          .Add<&T::set_aside>({.name = "set_aside",
                               .doc = "files that are not analysed any more",
                               .most_items = kMostFiles});
  return fields;
}

template <>
const Fields<RunPage>& FieldsOf() {
  using T = RunPage;
  static const Fields<T> fields =
      Fields<T>("RunPage", "a page of the list of runs", Use::kReport)
          .Add<&T::runs>({.name = "runs",
                          .doc = "in the order asked for",
                          .most_items = 1000,
                          .is_required = true})
          .Add<&T::total>({.name = "total", .doc = "runs on all pages"})
          .Add<&T::cursor>({.name = "cursor",
                            .doc = "for the next page; null: this is the last",
                            .is_null_when_empty = true});
  return fields;
}

template <>
const Fields<ReportTable>& FieldsOf() {
  using T = ReportTable;
  static const Fields<T> fields =
      Fields<T>("ReportTable", "a table of a report", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "name of the table"})
          .Add<&T::bytes>({.name = "bytes", .doc = "size as Parquet", .unit = "bytes"});
  return fields;
}

template <>
const Fields<ReportTableList>& FieldsOf() {
  using T = ReportTableList;
  static const Fields<T> fields =
      Fields<T>("ReportTableList", "the tables of a report", Use::kReport)
          .Add<&T::version>({.name = "version", .doc = "of the report"})
          .Add<&T::tables>({.name = "tables", .doc = "by name", .most_items = 10'000});
  return fields;
}

}  // namespace rankscope::json
