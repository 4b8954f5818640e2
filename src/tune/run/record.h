// What a tuning run keeps in its folder, so that one that was killed goes on where it was:
//
//   plan.json       what the run was asked, and its diagnosis
//   journal.jsonl   the search's journal (search/journal.h)
//   notes.jsonl     a TrialNote for each of its trials
//   tune.json       the report, with what is known so far (WriteTuneJson)
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
  // kBadData where the folder has the plan of another run; the sentence says in what they differ.
  static Result<Record> Open(const TuneSpec& spec);

  const std::optional<Diagnosis>& diagnosis() const { return diagnosis_; }
  Status WriteDiagnosis(const Diagnosis& diagnosis);

  // Tells the search what the journal has; without one it is begun.
  Status Resume(Optimiser& search);
  const std::vector<TrialNote>& notes() const { return notes_; }
  Status Add(const Trial& trial, const TrialNote& note);
  Status WriteReport(const std::string& json) const;

 private:
  Record(std::string folder, std::string asked)
      : folder_(std::move(folder)), asked_(std::move(asked)) {}
  std::string PathOf(std::string_view name) const;

  std::string folder_;
  std::string asked_;  // what the run was asked, as JSON
  std::optional<Diagnosis> diagnosis_;
  std::vector<TrialNote> notes_;
};

}  // namespace rankscope::tune
