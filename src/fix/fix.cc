#include "fix/fix.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "fix/all_kinds.h"
#include "fix/base/project.h"
#include "fix/choose.h"

namespace rankscope::fix {
namespace {

// Whether any kind of patch may have to do with a file: others need no syntax tree.
bool MayTrain(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {"torch",    "transformers", "lightning",
                                                      "backward", "zero_grad",    ".grad"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return Contains(text, word); });
}

class Maker {
 public:
  Maker(const Request& request, std::vector<SourceText> files)
      : request_(request),
        project_(Read(std::move(files))),
        is_answered_(request.findings.size(), false) {}

  Patches Make() {
    for (const Kind* kind : AllKinds()) Answer(*kind);
    for (std::size_t at = 0; at < request_.findings.size(); ++at)
      if (!is_answered_[at] && IsAnswered(request_.findings[at].id))
        LeaveLines(request_.findings[at]);
    for (std::size_t index = 0; index < project_.size(); ++index) {
      const SourceFile& file = project_.file(index);
      if (!file.is_changed()) continue;
      patches_.files.push_back({.path = file.path(),
                                .before = file.original(),
                                .after = file.text(),
                                .hunks = std::move(hunks_[index])});
      std::ranges::stable_sort(patches_.files.back().hunks, {}, &Hunk::line);
    }
    std::ranges::sort(patches_.files, {}, &FilePatch::path);
    return std::move(patches_);
  }

 private:
  Project Read(std::vector<SourceText> texts) {
    std::vector<std::unique_ptr<SourceFile>> files;
    std::vector<SourceText> others;
    for (SourceText& text : texts) {
      if (!MayTrain(text.text)) {
        others.push_back(std::move(text));
        continue;
      }
      auto file = SourceFile::Make(text.path, std::move(text.text));
      if (file.ok())
        files.push_back(std::move(file).value());
      else
        patches_.left.push_back({.file = text.path,
                                 .line = 0,
                                 .finding = {},
                                 .why = "not looked at: " + file.status().message()});
    }
    return Project(std::move(files), std::move(others));
  }

  // What each kind found for a finding: a kind that others build on goes through all findings
  // first.
  void Answer(const Kind& kind) {
    if (!request_.kind.empty() && kind.name != request_.kind) return;
    for (std::size_t at = 0; at < request_.findings.size(); ++at) {
      const Finding& finding = request_.findings[at];
      if (std::ranges::find(kind.findings, finding.id) == kind.findings.end()) continue;
      Look look(project_, request_.device, finding.id);
      kind.look(look);
      Choice choice = Choose(look, kind, finding);
      is_answered_[at] =
          is_answered_[at] || choice.is_right || !choice.left.empty() || !choice.meant.empty();
      for (Left& one : choice.left) Leave(std::move(one));
      Make(finding, kind, choice.meant);
    }
  }

  // Edits of one kind come from one look at the files, so all of a file are made at once.
  void Make(const Finding& finding, const Kind& kind, const std::vector<const Candidate*>& meant) {
    std::map<std::size_t, std::vector<const Candidate*>> by_file;
    for (const Candidate* candidate : meant) by_file[candidate->site.file].push_back(candidate);
    for (const auto& [index, candidates] : by_file) {
      SourceFile& file = project_.file(index);
      std::vector<Edit> edits;
      std::vector<Hunk> hunks;
      for (const Candidate* candidate : candidates) {
        for (const Edit& edit : candidate->edits) AddOnce(edit, edits);
        hunks.push_back({.finding = finding.id,
                         .gain = finding.gain,
                         .kind = std::string(kind.name),
                         .what = candidate->what,
                         .undo = candidate->undo,
                         .line = file.OriginalLine(candidate->site.at)});
      }
      if (!file.Apply(std::move(edits))) {
        for (const Hunk& hunk : hunks)
          Leave({.file = file.path(),
                 .line = hunk.line,
                 .finding = finding.id,
                 .why = hunk.what + ": what a patch would leave is not certain to be Python"});
        continue;
      }
      for (Hunk& hunk : hunks) hunks_[index].push_back(std::move(hunk));
    }
  }

  // Two changes may need the same import.
  static void AddOnce(const Edit& edit, std::vector<Edit>& edits) {
    const bool is_there = std::ranges::any_of(edits, [&](const Edit& each) {
      return each.begin == edit.begin && each.end == edit.end && each.text == edit.text;
    });
    if (!is_there) edits.push_back(edit);
  }

  void LeaveLines(const Finding& finding) {
    for (const RecordedLine& recorded : finding.lines) {
      const auto path = project_.PathOf(recorded.file);
      Leave({.file = path ? *path : recorded.file,
             .line = recorded.line,
             .finding = finding.id,
             .why = path ? fmt::format(
                               "no patch is certain here; rankscope explain {} says what helps",
                               finding.id)
                         : "stacks show this line, which is not in the source folder"});
    }
  }

  void Leave(Left left) {
    const bool is_told = std::ranges::any_of(patches_.left, [&](const Left& each) {
      return each.file == left.file && each.line == left.line && each.why == left.why;
    });
    if (!is_told) patches_.left.push_back(std::move(left));
  }

  const Request& request_;
  Patches patches_;
  Project project_;  // behind what reading leaves
  std::map<std::size_t, std::vector<Hunk>> hunks_;
  std::vector<bool> is_answered_;  // of each finding: some kind has found its place
};

}  // namespace

Patches MakePatches(const Request& request, std::vector<SourceText> files) {
  return Maker(request, std::move(files)).Make();
}

}  // namespace rankscope::fix
