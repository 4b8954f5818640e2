#include "fix/output/json.h"

#include "fix/output/unified_diff.h"
#include "json/writer.h"

namespace rankscope::fix {
namespace {

void Line(json::Writer& writer, std::int64_t line) {
  if (line > 0) {
    writer.Member("line", line);
  } else {
    writer.Key("line").Null();
  }
}

}  // namespace

std::string WriteJson(const Patches& patches, const std::string& nothing) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.fix/1").Member("diff", WriteDiff(patches));
  writer.Key("changes").BeginArray();
  for (const FilePatch& file : patches.files) {
    for (const Hunk& hunk : file.hunks) {
      writer.BeginObject().Member("file", file.path);
      Line(writer, hunk.line);
      writer.Key("finding").WriteTextOrNull(hunk.finding);
      writer.Key("gain").WriteTextOrNull(hunk.gain);
      writer.Member("kind", hunk.kind).Member("what", hunk.what).Member("undo", hunk.undo);
      writer.EndObject();
    }
  }
  writer.EndArray().Key("left").BeginArray();
  for (const Left& left : patches.left) {
    writer.BeginObject();
    writer.Key("file").WriteTextOrNull(left.file);
    Line(writer, left.line);
    writer.Key("finding").WriteTextOrNull(left.finding);
    writer.Member("why", left.why).EndObject();
  }
  writer.EndArray();
  writer.Key("nothing").WriteTextOrNull(nothing);
  writer.EndObject();
  return out + "\n";
}

}  // namespace rankscope::fix
