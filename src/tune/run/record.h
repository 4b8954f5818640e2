// The files of a tuning run in its folder; with them, a run that was killed can continue:
//
//   plan.json       the request, and the diagnosis
//   journal.jsonl   the search's journal (search/journal.h)
//   notes.jsonl     a TrialNote for each of its trials
//   tune.json       the report, with all that is known so far (WriteTuneJson)
//   diagnosis/ trials/NN/ confirm/   load.jsonl, metrics.prom, server.log of each
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "tune/run/outcome.h"

namespace rankscope::tune {

class Record {
 public:
  // kBadData if the folder has the plan of a different run; the error names the difference.
  static Result<Record> Open(const TuneSpec& spec);

  const std::optional<Diagnosis>& diagnosis() const { return diagnosis_; }
  Status WriteDiagnosis(const Diagnosis& diagnosis);

  // Feeds the journal's trials to the search; starts a journal if there is none.
  Status Resume(Optimiser& search);
  const std::vector<TrialNote>& notes() const { return notes_; }
  Status Add(const Trial& trial, const TrialNote& note);
  Status WriteReport(const std::string& json) const;

 private:
  Record(std::string folder, std::string asked)
      : folder_(std::move(folder)), asked_(std::move(asked)) {}
  std::string PathOf(std::string_view name) const;

  std::string folder_;
  std::string asked_;  // the request as JSON
  std::optional<Diagnosis> diagnosis_;
  std::vector<TrialNote> notes_;
};

}  // namespace rankscope::tune
