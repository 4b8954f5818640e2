#include "fix/output/sarif.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <vector>

#include "fix/output/line_changes.h"
#include "json/writer.h"

namespace rankscope::fix {
namespace {

// A relative URI: bytes that are no letters, digits or marks of paths as %XX.
std::string UriOf(std::string_view path) {
  std::string uri;
  for (const char byte : path) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("/._-~").find(byte) != std::string_view::npos;
    if (is_plain)
      uri += byte;
    else
      fmt::format_to(std::back_inserter(uri), "%{:02X}", static_cast<unsigned char>(byte));
  }
  return uri;
}

void WriteArtifact(json::Writer& writer, std::string_view path) {
  writer.Key("artifactLocation")
      .BeginObject()
      .Member("uri", UriOf(path))
      .Member("uriBaseId", "%SRCROOT%")
      .EndObject();
}

void WriteLocation(json::Writer& writer, std::string_view path, std::int64_t line) {
  writer.Key("locations").BeginArray();
  if (!path.empty()) {
    writer.BeginObject().Key("physicalLocation").BeginObject();
    WriteArtifact(writer, path);
    if (line > 0) writer.Key("region").BeginObject().Member("startLine", line).EndObject();
    writer.EndObject().EndObject();
  }
  writer.EndArray();
}

void BeginResult(json::Writer& writer, std::string_view id, std::string_view level,
                 std::string_view text) {
  writer.Line().BeginObject();
  if (!id.empty()) writer.Member("ruleId", id);
  writer.Member("level", level);
  writer.Key("message").BeginObject().Member("text", text).EndObject();
}

// What changes in a file, in whole lines.
void WriteFix(json::Writer& writer, const FilePatch& file) {
  const auto before = LinesOf(file.before), after = LinesOf(file.after);
  writer.Key("fixes").BeginArray().BeginObject();
  writer.Key("description").BeginObject().Member("text", "all changes of this file").EndObject();
  writer.Key("artifactChanges").BeginArray().BeginObject();
  WriteArtifact(writer, file.path);
  writer.Key("replacements").BeginArray();
  for (const LineChange& change : LineChanges(before, after)) {
    std::string text;
    for (std::size_t line = 0; line < change.after_count; ++line)
      text += after[change.after + line];
    writer.BeginObject().Key("deletedRegion").BeginObject();
    writer.Member("startLine", change.before + 1).Member("startColumn", 1);
    writer.Member("endLine", change.before + change.before_count + 1).Member("endColumn", 1);
    writer.EndObject();
    writer.Key("insertedContent").BeginObject().Member("text", text).EndObject().EndObject();
  }
  writer.EndArray().EndObject().EndArray().EndObject().EndArray();
}

void WriteRules(json::Writer& writer, const Patches& patches) {
  std::set<std::string> ids;
  for (const FilePatch& file : patches.files)
    for (const Hunk& hunk : file.hunks) ids.insert(hunk.finding);
  for (const Left& left : patches.left)
    if (!left.finding.empty()) ids.insert(left.finding);
  writer.Key("rules").BeginArray();
  for (const std::string& id : ids) {
    writer.BeginObject().Member("id", id);
    writer.Key("help")
        .BeginObject()
        .Member("text", "rankscope explain " + id)
        .EndObject()
        .EndObject();
  }
  writer.EndArray();
}

}  // namespace

std::string WriteSarif(const Patches& patches, std::string_view version) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject()
      .Member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      .Member("version", "2.1.0");
  writer.Key("runs").BeginArray().BeginObject();
  writer.Key("tool").BeginObject().Key("driver").BeginObject();
  writer.Member("name", "rankscope").Member("version", version);
  WriteRules(writer, patches);
  writer.EndObject().EndObject();
  writer.Key("results").BeginArray();
  for (const FilePatch& file : patches.files) {
    for (const Hunk& hunk : file.hunks) {
      BeginResult(writer, hunk.finding, "warning",
                  fmt::format("{}{}. To undo: {}.", hunk.what,
                              hunk.gain.empty() ? "" : " (" + hunk.gain + ")", hunk.undo));
      WriteLocation(writer, file.path, hunk.line);
      WriteFix(writer, file);
      writer.EndObject();
    }
  }
  for (const Left& left : patches.left) {
    BeginResult(writer, left.finding, "note", left.why);
    WriteLocation(writer, left.file, left.line);
    writer.EndObject();
  }
  writer.Line().EndArray().EndObject().EndArray().EndObject();
  return out + "\n";
}

}  // namespace rankscope::fix
