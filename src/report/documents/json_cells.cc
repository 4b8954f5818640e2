#include "report/documents/json_cells.h"

#include "json/reader.h"
#include "report/words/finding_words.h"
#include "table/write_json.h"

namespace rankscope {

void WriteTables(json::Writer& writer, std::span<const Table> tables) {
  writer.Key("tables").BeginObject();
  for (const Table& table : tables) {
    writer.Line().Key(table.name());
    WriteTableJson(writer, table);
  }
  writer.EndObject();
}

namespace {

// As they stand in their cell; `own_ns` is what the table calls ns.
void WritePlaces(json::Writer& writer, std::string_view places) {
  writer.Key("where").BeginArray();
  if (const Result<json::Reader> parsed = json::Reader::Parse(places); parsed.ok()) {
    for (const json::Value& place : parsed->root().Items()) {
      writer.BeginObject();
      for (const json::Member& member : place.Members())
        writer.Key(member.name).Raw(member.value.ToString());
      if (const auto ns = place["ns"].Integer()) writer.ExactMember("own_ns", *ns);
      writer.EndObject();
    }
  }
  writer.EndArray();
}

}  // namespace

void WriteFinding(json::Writer& writer, const RowsOf<Findings>& findings, std::size_t row) {
  const auto text = [&](std::string_view key, auto column) {
    writer.TextMember(key, findings.String(row, column));
  };
  const auto integer = [&](std::string_view key, auto column) {
    writer.ExactMember(key, findings.Int(row, column));
  };
  const auto number = [&](std::string_view key, auto column) {
    writer.Member(key, findings.Number(row, column));
  };
  const auto ranges = [&](std::string_view key, auto column) {
    writer.ExactMember(key, ParseRanges(findings.String(row, column)));
  };
  // Cells that hold JSON go in as they are.
  const auto list = [&](std::string_view key, auto column) {
    const std::string_view json = findings.String(row, column);
    writer.Key(key).Raw(json.empty() ? "[]" : json);
  };
  writer.BeginObject().Member("id", findings.String(row, findings->id));
  text("severity", findings->severity);
  number("confidence", findings->confidence);
  ranges("ranks", findings->ranks);
  ranges("steps", findings->steps);
  integer("time_lost_ns", findings->time_lost_ns);
  number("gain_pct", findings->gain_pct);
  number("gain_unprofiled_pct", findings->gain_unprofiled_pct);
  integer("gain_ns", findings->gain_ns);
  text("gain_method", findings->gain_method);
  integer("time_to_failure_ns", findings->time_to_failure_ns);
  text("title", findings->title);
  text("why", findings->why);
  text("who", findings->who);
  text("recommendation", findings->recommendation);
  text("command", findings->command);
  WritePlaces(writer, findings.String(row, findings->places));
  list("evidence", findings->evidence);
  writer.EndObject();
}

}  // namespace rankscope
