// A pickle of plain data as a whole, in memory: for files of some megabytes, such as dumps of
// PyTorch's Flight Recorder. Larger ones are read with a Shaper (machine.h).
//
//   RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
//   RS_ASSIGN_OR_RETURN(const auto document, pickle::Read(*source, path));
//   const Value entries = document->Find(document->root(), "entries");
//   for (const Value entry : document->Items(entries)) {
//     document->Text(document->Find(entry, "profiling_name"));
//
// Access to a value as the wrong kind yields nothing (nullopt, no items, ""), so a file of another
// shape reads as empty. Values do not contain themselves and nest no deeper than Limits::depth, so
// recursion ends. But a value may be in several places, so code that visits all of them must bound
// the number of visits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/pickle/machine.h"

namespace rankscope::pickle {

class Document {
 public:
  Document(ByteSource& source, const std::string& path, const ReadOptions& options)
      : machine_(source, path, options) {}

  Value root() const { return root_; }
  // Looks up a text key of a dict; Kind::kNone if there is no such key.
  Value Find(Value dict, std::string_view key) const;
  std::span<const Value> Items(Value container) const;
  std::string_view Text(Value value) const;
  std::optional<std::int64_t> Int(Value value) const { return machine_.Int(value); }
  std::optional<double> Real(Value value) const { return machine_.Real(value); }

 private:
  friend Result<std::unique_ptr<Document>> Read(ByteSource& source, const std::string& path,
                                                const ReadOptions& options);
  Status Load();
  Status CheckDepth() const;

  Machine machine_;
  Value root_;
};

// Fails with one sentence that names the path and the byte.
Result<std::unique_ptr<Document>> Read(ByteSource& source, const std::string& path,
                                       const ReadOptions& options = {});

}  // namespace rankscope::pickle
