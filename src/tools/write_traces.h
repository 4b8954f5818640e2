// Writes the results of tools: one trace by itself, or several as one merged document.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tools/document.h"

namespace rankscope::tools {

enum class Verdict : std::uint8_t { kDrop, kKeep, kChanged };

// A tool's change of the events of a document. One per thread.
class EventStage {
 public:
  virtual ~EventStage() = default;
  // `index` is the event's position in the document. kChanged: `out` holds its new text.
  virtual Verdict Apply(const kineto::EventText& event, std::uint64_t index, std::string& out) = 0;
};

struct TraceToWrite {
  Document document;
  Survey survey;                                            // with the outer values to write
  std::function<std::unique_ptr<EventStage>()> make_stage;  // empty: all events stay unchanged
};

struct Written {
  std::uint64_t events = 0;  // of the documents
  std::uint64_t kept = 0;
  std::uint64_t text_bytes = 0;
};

enum class Form : std::uint8_t { kSingle, kMerged };

// Writes to `to`, compressed according to its name, on `threads` threads; kSingle takes exactly one
// trace. On failure nothing is written, and an existing file stays.
Result<Written> WriteTraces(const std::vector<TraceToWrite>& traces, Form form,
                            const std::string& to, int threads);

// An error if `to` is one of the inputs.
Status CheckOutput(const std::string& to, const std::vector<Document>& inputs);

}  // namespace rankscope::tools
