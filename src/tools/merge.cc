#include "tools/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tools/pieces.h"

namespace rankscope::tools {
namespace {

namespace fs = std::filesystem;

Result<std::vector<Document>> Gather(const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  std::map<std::string, std::size_t> whole_of_id;
  for (const std::string& path : paths) {
    RS_ASSIGN_OR_RETURN(std::vector<Document> there, DocumentsOf(path));
    if (there.front().part != kWholeFile) {
      for (Document& document : there) documents.push_back(std::move(document));
      continue;
    }
    RS_ASSIGN_OR_RETURN(const auto piece, PieceOf(path));
    if (!piece) {
      documents.push_back(std::move(there.front()));
      continue;
    }
    const auto [whole, is_new] = whole_of_id.emplace(piece->id, documents.size());
    if (is_new) documents.push_back(std::move(there.front()));
    documents[whole->second].pieces.push_back(path);
  }
  return documents;
}

// Names by which the files are told apart: what is below the folder that all have in common.
void NameDocuments(std::vector<Document>& documents) {
  fs::path common = fs::path(documents.front().path).parent_path();
  for (const Document& document : documents) {
    const fs::path folder = fs::path(document.path).parent_path();
    const auto [end, ignored] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  std::set<std::string> used;
  for (Document& document : documents) {
    const bool is_part = document.part != kWholeFile;
    std::string name = is_part || common.empty()
                           ? document.name
                           : fs::path(document.path).lexically_relative(common).string();
    std::string free = name;
    for (int i = 2; !used.insert(free).second; ++i) free = fmt::format("{}-{}", i, name);
    document.name = std::move(free);
  }
}

}  // namespace

Result<std::vector<TraceToWrite>> TracesOf(const std::vector<std::string>& paths, int threads,
                                           std::vector<std::string>& losses) {
  RS_ASSIGN_OR_RETURN(std::vector<Document> documents, Gather(paths));
  NameDocuments(documents);
  std::vector<TraceToWrite> traces;
  for (Document& document : documents) {
    TraceToWrite trace;
    RS_ASSIGN_OR_RETURN(trace.survey, SurveyOf(document, {.threads = threads}));
    if (std::string loss = LossOf(document, trace.survey); !loss.empty())
      losses.push_back(std::move(loss));
    if (trace.survey.rank >= 0 || document.rank < 0) document.rank = trace.survey.rank;
    trace.document = std::move(document);
    traces.push_back(std::move(trace));
  }
  std::stable_sort(traces.begin(), traces.end(), [](const auto& a, const auto& b) {
    const auto key = [](const TraceToWrite& trace) {
      return std::pair(trace.document.rank, trace.survey.base_ns + trace.survey.begin_ns);
    };
    return key(a) < key(b);
  });
  return traces;
}

Result<Written> MergeTraces(std::vector<TraceToWrite> traces,
                            const std::function<ClockOffset(const TraceToWrite&)>& clock_of,
                            const std::string& to, int threads) {
  for (std::size_t i = 0; i < traces.size(); ++i) {
    Document& document = traces[i].document;
    std::vector<Document> inputs{document};
    for (const std::string& piece : document.pieces) inputs.push_back({.path = piece});
    RS_RETURN_IF_ERROR(CheckOutput(to, inputs));
    document.label =
        document.rank >= 0 ? fmt::format("rank {}: ", document.rank) : fmt::format("trace {}: ", i);
    const ClockOffset clock = clock_of(traces[i]);
    constexpr std::int64_t kMicro = 1000;
    document.offset_ns =
        (clock.offset_ns + (clock.offset_ns < 0 ? -kMicro / 2 : kMicro / 2)) / kMicro * kMicro;
    document.uncertainty_ns = clock.uncertainty_ns;
  }
  const bool is_whole = traces.size() == 1 && !traces.front().document.pieces.empty();
  return WriteTraces(traces, is_whole ? Form::kSingle : Form::kMerged, to, threads);
}

}  // namespace rankscope::tools
