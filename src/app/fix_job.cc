#include "app/fix_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/report_of.h"
#include "catalog/findings.h"
#include "fix/all_kinds.h"
#include "fix/fix.h"
#include "fix/tree/source_bundle.h"
#include "fix/tree/source_tree.h"
#include "insight/evidence/setting/setting.h"
#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "schemas/findings.h"

namespace rankscope::app {
namespace {

fix::DeviceAbility AbilityOf(const std::vector<std::string>& devices) {
  using Vendor = Setting::Vendor;
  fix::DeviceAbility ability;
  for (const std::string& name : devices) {
    const DeviceKind kind = KindOfDevice(name);
    const bool is_nvidia = kind.vendor == Vendor::kNvidia || kind.vendor == Vendor::kUnknown;
    if (ability.name.empty()) ability.name = name;
    ability.has_bf16 = ability.has_bf16 && kind.has_bf16;
    ability.has_tf32 = ability.has_tf32 && kind.has_tf32 && is_nvidia;
    ability.is_nvidia = ability.is_nvidia && is_nvidia;
    ability.is_cuda = ability.is_cuda && (is_nvidia || kind.vendor == Vendor::kAmd);
  }
  return ability;
}

std::vector<fix::RecordedLine> LinesOf(std::string_view places) {
  std::vector<fix::RecordedLine> lines;
  for (const Place& place : ParsePlaces(places))
    if (!place.file.empty() && place.line) lines.push_back({place.file, *place.line});
  return lines;
}

// "host-sync, slow-gpu and 3 more"
std::string IdsOf(const fix::Request& request) {
  constexpr std::size_t kMost = 5;
  std::string ids;
  for (std::size_t at = 0; at < request.findings.size() && at < kMost; ++at)
    ids += (at == 0 ? "" : ", ") + request.findings[at].id;
  const std::size_t count = request.findings.size();
  return count > kMost ? fmt::format("{} and {} more", ids, count - kMost) : ids;
}

std::string WhyNothing(const fix::Request& request, const fix::Patches& patches,
                       const std::vector<std::string>& ids) {
  if (!patches.files.empty()) return {};
  if (request.findings.empty())
    return ids.empty() ? "no patch: the job has no findings"
                       : fmt::format("no patch: the job does not have the finding{} asked for",
                                     ids.size() == 1 ? "" : "s");
  const bool is_answered = std::ranges::any_of(
      request.findings, [](const fix::Finding& finding) { return fix::IsAnswered(finding.id); });
  if (!is_answered)
    return fmt::format("no patch: what was found is not mended by lines of code ({})",
                       IdsOf(request));
  const bool is_left = std::ranges::any_of(
      patches.left, [](const fix::Left& left) { return !left.finding.empty(); });
  if (is_left) return "no patch is certain; what is above is to be changed by hand";
  return fmt::format(
      "no patch: the code has nothing that is known to cause what was found, or it is "
      "mended already ({})",
      IdsOf(request));
}

SourceFix MakeFix(const Report& report, fix::SourceTree tree, const std::vector<std::string>& ids) {
  const fix::Request request = RequestOf(report, ids);
  SourceFix made;
  made.has_git = tree.has_git;
  made.patches = fix::MakePatches(request, std::move(tree.files));
  // Of files that nobody asks for nothing is said.
  const bool is_asked = std::ranges::any_of(
      request.findings, [](const fix::Finding& finding) { return fix::IsAnswered(finding.id); });
  if (is_asked)
    made.patches.left.insert(made.patches.left.end(), tree.unread.begin(), tree.unread.end());
  else
    made.patches.left.clear();
  made.nothing = WhyNothing(request, made.patches, ids);
  return made;
}

Status CheckIds(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (catalog::FindFinding(id) != nullptr) continue;
    RS_RETURN_IF_ERROR(catalog::PageOf(id).status());
    return Error(StatusCode::kInvalidArgument, "{} is a verdict on recordings, no finding", id);
  }
  return OkStatus();
}

}  // namespace

fix::Request RequestOf(const Report& report, const std::vector<std::string>& ids) {
  fix::Request request{.findings = {}, .device = AbilityOf(report.devices), .kind = {}};
  const RowsOf<Findings> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string id(rows.String(row, rows->id));
    if (!ids.empty() && std::ranges::find(ids, id) == ids.end()) continue;
    request.findings.push_back({.id = id,
                                .gain = GainWords(report, row),
                                .lines = LinesOf(rows.String(row, rows->places))});
  }
  return request;
}

Result<SourceFix> FixSource(const Report& report, const std::string& source,
                            const std::vector<std::string>& ids) {
  RS_RETURN_IF_ERROR(CheckIds(ids));
  RS_ASSIGN_OR_RETURN(fix::SourceTree tree, fix::ReadSourceTree(source));
  return MakeFix(report, std::move(tree), ids);
}

Result<SourceFix> FixJob(const JobSpec& spec, const SourceSpec& source,
                         const std::vector<std::string>& ids, FixUse use, Listener& listener) {
  RS_RETURN_IF_ERROR(CheckIds(ids));
  const auto read = [&] {
    if (use == FixUse::kApply) return fix::ReadSourceTree(source.path);
    return source.commit.empty() ? fix::ReadSource(source.path)
                                 : fix::ReadCommit(source.path, source.commit);
  };
  RS_ASSIGN_OR_RETURN(fix::SourceTree tree, read());
  if (use == FixUse::kApply) RS_RETURN_IF_ERROR(fix::CheckIsClean(source.path));
  RS_ASSIGN_OR_RETURN(const JobReport made, ReportOf(spec, ReportUse::kText, listener));
  return MakeFix(made.report, std::move(tree), ids);
}

Status ApplyFix(const SourceFix& made, const std::string& source) {
  RS_RETURN_IF_ERROR(fix::CheckIsClean(source));
  return fix::WritePatches(source, made.patches.files);
}

}  // namespace rankscope::app
