#include "formats/kineto/edit/event_reader.h"

#include "formats/kineto/tokens/pieces.h"
#include "formats/kineto/tokens/read_event.h"
#include "formats/kineto/tokens/text.h"

namespace rankscope::kineto {
namespace {

namespace od = simdjson::ondemand;

}  // namespace

struct EventReader::Parser {
  od::parser parser;
  RawEvent event;
  std::string padded;
};

EventReader::EventReader() : parser_(std::make_unique<Parser>()) {}
EventReader::~EventReader() = default;

void EventReader::Read(Chunk& chunk, const std::function<void()>& restart, const Visit& visit) {
  count_ = bad_ = 0;
  if (chunk.losses().empty() && ReadArray(chunk.AsArray(), visit)) return;
  count_ = bad_ = 0;
  restart();
  ForEachPiece(chunk, [&](const Piece& piece) {
    const bool is_sound = piece.kind == Piece::Kind::kObject && ReadOne(piece.text, visit);
    count_ += piece.count;
    if (!is_sound) bad_ += piece.count;
  });
}

bool EventReader::ReadArray(std::string_view array, const Visit& visit) {
  RawEvent& event = parser_->event;
  od::document document;
  // The chunk keeps readable bytes behind its text.
  if (parser_->parser.iterate(array.data(), array.size(), array.size() + simdjson::SIMDJSON_PADDING)
          .get(document))
    return false;
  od::array events;
  if (document.get_array().get(events)) return false;
  for (auto result : events) {
    if (result.error()) return false;
    od::value value = result.value_unsafe();
    const char* const begin = value.raw_json_token().data();
    od::object object;
    if (value.get_object().get(object) || ReadEvent(object, event)) return false;
    // The next token is the comma behind the event, or the bracket that ends the list.
    const char* end = nullptr;
    if (document.current_location().get(end)) return false;
    while (end > begin && end[-1] != '}') --end;
    visit({{begin, static_cast<std::size_t>(end - begin)}, &event, count_});
    ++count_;
  }
  return true;
}

bool EventReader::ReadOne(std::string_view text, const Visit& visit) {
  std::string& padded = parser_->padded;
  RepairText(text, padded);
  const std::size_t size = padded.size();
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  od::document document;
  if (parser_->parser.iterate(padded.data(), size, padded.size()).get(document)) return false;
  od::object object;
  if (document.get_object().get(object) || ReadEvent(object, parser_->event)) return false;
  visit({std::string_view(padded).substr(0, size), &parser_->event, count_});
  return true;
}

}  // namespace rankscope::kineto
