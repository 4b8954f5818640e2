// Trace tools: of any bytes they make a trace with the same events, or one clear error; pieces and
// parts read back as what they were made of, byte by byte.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/edit/merged.h"
#include "input.h"
#include "tools/filter.h"
#include "tools/merge.h"
#include "tools/perfetto.h"
#include "tools/pieces.h"
#include "tools/scrub/scrub.h"
#include "tools/split.h"

namespace rankscope::fuzz {
namespace {

using Events = std::vector<std::string>;

const std::string& Folder() {
  static const std::string kFolder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "rankscope_fuzz_XXXXXX").string();
    return std::string(mkdtemp(name.data()));
  }();
  return kFolder;
}

Events EventsOf(ByteSource& source) {
  kineto::EventSplitter splitter(source);
  kineto::Chunk chunk;
  kineto::EventReader reader;
  Events all;
  Events events;
  while (splitter.Next(chunk)) {
    events.clear();
    reader.Read(
        chunk, [&] { events.clear(); },
        [&](const kineto::EventText& event) { events.emplace_back(event.text); });
    all.insert(all.end(), events.begin(), events.end());
  }
  return all;
}

Events EventsOf(const std::string& path, int part = kWholeFile) {
  const auto source = kineto::OpenTraceSource(path, part);
  FUZZ_CHECK(source.ok());
  return EventsOf(**source);
}

void CheckSentence(const Status& status) {
  FUZZ_CHECK(!status.message().empty());
  FUZZ_CHECK(status.message().find('\n') == std::string::npos);
}

void Filter(const std::string& in, std::uint8_t how) {
  const std::string out = Folder() + "/out.json";
  tools::FilterOptions options;
  if ((how & 1) != 0) options.python = false;
  if ((how & 2) != 0) options.steps = {{1, 2}};
  if ((how & 4) != 0) options.time = {{0, 1'000'000}};
  if ((how & 8) != 0) options.names = {"*a*"};
  if ((how & 16) != 0) options.min_dur_ns = 10;
  if ((how & 32) != 0) options.links = false;
  const auto report = tools::FilterTraces(in, options, out);
  if (!report.ok()) return CheckSentence(report.status());
  const Events kept = EventsOf(out);
  const auto parts = kineto::ReadParts(in);
  if (!parts.ok() || !parts->empty()) return;
  const Events all = EventsOf(in);
  if (how == 0) FUZZ_CHECK(kept == all);
  auto next = all.begin();
  for (const std::string& event : kept) {
    next = std::find(next, all.end(), event);
    FUZZ_CHECK(next != all.end());
    ++next;
  }
}

void SplitAndJoin(const std::string& in, std::uint8_t how) {
  const std::string folder = Folder() + "/pieces";
  std::filesystem::remove_all(folder);
  const std::uint64_t size = how % 2 == 0 ? 0 : 100 + how * std::uint64_t{50};
  const auto report = tools::SplitTrace(in, folder, {.piece_bytes = size, .threads = 1});
  if (!report.ok()) return CheckSentence(report.status());
  const auto parts = kineto::ReadParts(in);
  if (report->files.empty() || !parts.ok() || !parts->empty()) return;
  const auto whole = tools::OpenPieces(report->files);
  FUZZ_CHECK(whole.ok());
  FUZZ_CHECK(EventsOf(**whole) == EventsOf(in));
}

void MergeAndRestore(const std::string& in) {
  const std::string out = Folder() + "/out.json.gz";
  std::vector<std::string> losses;
  auto traces = tools::TracesOf({in, in}, 1, losses);
  if (!traces.ok()) return CheckSentence(traces.status());
  std::vector<Events> before;
  for (const tools::TraceToWrite& trace : *traces) {
    const auto source = tools::OpenDocument(trace.document);
    FUZZ_CHECK(source.ok());
    before.push_back(EventsOf(**source));
  }
  const bool is_whole = traces->size() == 1 && !traces->front().document.pieces.empty();
  const auto written = tools::MergeTraces(
      std::move(*traces),
      [](const tools::TraceToWrite&) {
        return tools::ClockOffset{7000, 1};
      },
      out, 1);
  if (!written.ok()) return CheckSentence(written.status());
  if (is_whole) return;
  for (std::size_t part = 0; part < before.size(); ++part)
    FUZZ_CHECK(EventsOf(out, static_cast<int>(part)) == before[part]);
}

void Scrub(const std::string& in) {
  const std::string out = Folder() + "/out.json.zst";
  const auto report = tools::ScrubTrace(in, out, {1, 2}, nullptr, 1);
  if (!report.ok()) return CheckSentence(report.status());
  const auto parts = kineto::ReadParts(in);
  if (parts.ok() && parts->empty()) FUZZ_CHECK(EventsOf(out).size() <= EventsOf(in).size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const std::string in = Folder() + "/in.json";
  FUZZ_CHECK(WriteFileAtomically(in, input.data).ok());
  switch (input.first % 5) {
    case 0:
      Filter(in, input.second);
      break;
    case 1:
      SplitAndJoin(in, input.second);
      break;
    case 2:
      MergeAndRestore(in);
      break;
    case 3:
      Scrub(in);
      break;
    default: {
      const auto report = tools::WritePerfetto(in, Folder() + "/out.pftrace", 1);
      if (!report.ok()) CheckSentence(report.status());
    }
  }
  return 0;
}

}  // namespace rankscope::fuzz
