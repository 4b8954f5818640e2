// RunFilter: which runs a list shows, by the parameters of its request:
// ?state=ready&tag=branch=main. Several of one name are alternatives; of different names all hold.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/message.h"
#include "store/run.h"

namespace rankscope::service {

class RunFilter {
 public:
  // The parameters of `query` but those of `others`. kInvalidArgument for a name by which runs are
  // not filtered.
  static Result<RunFilter> Of(const http::Fields& query, std::span<const std::string_view> others);

  bool is_empty() const { return criteria_.empty(); }
  bool Wants(const store::Run& run) const;

  // The fields of a run that are texts: they are filtered by their names.
  static std::span<const std::string_view> Texts();

 private:
  struct Criterion {
    std::string name;
    std::string store::Run::*text = nullptr;  // null: `state` or `tag`
    std::vector<std::string> values;
  };
  static bool Fulfils(const store::Run& run, const Criterion& criterion, std::string_view value);

  std::vector<Criterion> criteria_;
};

}  // namespace rankscope::service
