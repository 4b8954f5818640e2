#include "tools/pieces.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/tokens/splitter.h"
#include "json/reader.h"
#include "json/writer.h"
#include "tools/document.h"

namespace rankscope::tools {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

bool TakeVarint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string Base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kLetters[bits >> (count - 6) & 63];
    bits &= (1U << count) - 1;
  }
  if (count > 0) text += kLetters[bits << (6 - count) & 63];
  return text;
}

bool FromBase64(std::string_view text, std::string& bytes) {
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const std::size_t value = kLetters.find(letter);
    if (value == std::string_view::npos) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
    bits &= (1U << count) - 1;
  }
  return true;
}

std::optional<PieceInfo> Parse(std::string_view text) {
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return std::nullopt;
  const json::Value object = reader->root();
  const auto id = object["id"].Text();
  const auto number = object["piece"].Unsigned();
  const auto copied = object["copied"].Unsigned();
  const auto events = object["events"].Unsigned();
  const auto is_array = object["is_array"].Flag();
  if (!id || !number || !copied || !events || !is_array) return std::nullopt;
  return PieceInfo{.id = std::string(*id),
                   .number = *number,
                   .copied = *copied,
                   .events = *events,
                   .is_array = *is_array};
}

// One file, event by event.
class PieceReader {
 public:
  static Result<std::unique_ptr<PieceReader>> Open(const std::string& path) {
    RS_ASSIGN_OR_RETURN(auto source, OpenByteSource(path));
    auto piece = std::unique_ptr<PieceReader>(new PieceReader(path, std::move(source)));
    RS_RETURN_IF_ERROR(piece->ReadOrder());
    return piece;
  }

  const PieceInfo& info() const { return info_; }
  const kineto::TopValues& values() const { return values_; }
  bool has_order() const { return has_order_; }
  const QualityLog& problems() const { return splitter_->problems(); }

  // The next event, null at the end; copies are passed over.
  const std::string* Front() {
    while (at_ == events_.size() && Fill()) {
    }
    return at_ < events_.size() ? &events_[at_] : nullptr;
  }
  // Its place in the whole.
  std::uint64_t place() const { return run_begin_; }
  bool Pop() {
    ++at_;
    ++run_begin_;
    return !has_order_ || --run_left_ > 0 || NextRun();
  }
  bool is_over() { return Front() == nullptr; }

 private:
  PieceReader(std::string path, std::unique_ptr<ByteSource> source)
      : path_(std::move(path)), source_(std::move(source)) {
    splitter_.emplace(*source_);
  }

  // The order stands behind the events: a first look at the file finds it.
  Status ReadOrder() {
    RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path_));
    kineto::EventSplitter splitter(*source);
    kineto::Chunk chunk;
    while (splitter.Next(chunk)) {
    }
    values_ = splitter.top_level().values();
    const auto info = Parse(ValueOf(values_, kSplitKey));
    if (!info) return Error(StatusCode::kBadData, "{}: not a piece of a split trace", path_);
    info_ = *info;
    const std::string_view order = ValueOf(values_, kOrderKey);
    std::string varints;
    has_order_ = order.size() >= 2;
    if (has_order_ && !FromBase64(order.substr(1, order.size() - 2), varints)) return Damaged();
    rest_ = std::move(varints);
    if (has_order_ && !NextRun() && !is_over()) return Damaged();
    std::erase_if(values_, [](const auto& value) {
      return value.first == kSplitKey || value.first == kOrderKey;
    });
    return OkStatus();
  }

  Status Damaged() const {
    return Error(StatusCode::kBadData,
                 "{}: the key {} does not fit the events; split the trace again", path_, kOrderKey);
  }

  bool NextRun() {
    std::string_view bytes = std::string_view(rest_).substr(rest_at_);
    std::uint64_t gap = 0;
    if (!TakeVarint(bytes, gap) || !TakeVarint(bytes, run_left_) || run_left_ == 0) return false;
    rest_at_ = rest_.size() - bytes.size();
    run_begin_ += gap;
    return true;
  }

  bool Fill() {
    events_.clear();
    at_ = 0;
    if (!splitter_->Next(chunk_)) return false;
    reader_.Read(
        chunk_, [&] { events_.clear(); },
        [&](const kineto::EventText& event) { events_.emplace_back(event.text); });
    const std::uint64_t skipped = std::min<std::uint64_t>(events_.size(), info_.copied - passed_);
    at_ = static_cast<std::size_t>(skipped);
    passed_ += skipped;
    return true;
  }

  std::string path_;
  std::unique_ptr<ByteSource> source_;
  std::optional<kineto::EventSplitter> splitter_;
  kineto::EventReader reader_;
  kineto::Chunk chunk_;
  std::vector<std::string> events_;
  std::size_t at_ = 0;
  std::uint64_t passed_ = 0;  // copies

  PieceInfo info_;
  kineto::TopValues values_;
  bool has_order_ = false;
  std::string rest_;
  std::size_t rest_at_ = 0;
  std::uint64_t run_begin_ = 0;
  std::uint64_t run_left_ = 0;
};

class WholeSource : public ByteSource {
 public:
  explicit WholeSource(std::vector<std::unique_ptr<PieceReader>> pieces)
      : pieces_(std::move(pieces)) {
    const PieceReader& first = *pieces_.front();
    is_array_ = first.info().is_array;
    is_ordered_ = std::all_of(pieces_.begin(), pieces_.end(),
                              [](const auto& piece) { return piece->has_order(); });
    text_ = kineto::HeadText(first.values(), is_array_);
    std::erase_if(pieces_, [](const auto& piece) { return piece->is_over(); });
  }

  std::size_t Read(char* to, std::size_t capacity) override {
    if (at_ == text_.size()) Fill();
    const std::size_t count = std::min(capacity, text_.size() - at_);
    if (count != 0) std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }

  double fraction() const override { return pieces_.empty() ? 1 : 0; }

 private:
  static constexpr std::size_t kEnough = std::size_t{1} << 18;

  void Fill() {
    text_.clear();
    at_ = 0;
    while (!pieces_.empty() && text_.size() < kEnough) TakeRun();
    if (!text_.empty() || is_done_) return;
    is_done_ = true;
    text_ = kineto::TailText(is_array_);
  }

  // The events of the piece that is next, up to where another one goes on.
  void TakeRun() {
    auto next = pieces_.begin();
    std::uint64_t until = UINT64_MAX;
    if (is_ordered_) {
      for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
        if ((*piece)->place() < (*next)->place()) {
          until = std::min(until, (*next)->place());
          next = piece;
        } else if (piece != next) {
          until = std::min(until, (*piece)->place());
        }
      }
    }
    PieceReader& piece = **next;
    while (const std::string* event = piece.Front()) {
      if ((is_ordered_ && piece.place() > until) || text_.size() >= kEnough) return;
      if (!is_first_) text_ += ",\n";
      is_first_ = false;
      text_ += *event;
      if (!piece.Pop() && !piece.is_over()) {
        problems_.Add(QualityCode::kInvalidJson, -1,
                      "a piece has more events than its order tells of; the rest was left out");
        break;
      }
    }
    problems_.Merge(piece.problems());
    pieces_.erase(next);
  }

  std::vector<std::unique_ptr<PieceReader>> pieces_;
  bool is_array_ = false;
  bool is_ordered_ = false;
  bool is_first_ = true;
  bool is_done_ = false;
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string DescribePiece(const PieceInfo& piece) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("id", piece.id).Member("piece", piece.number);
  writer.Member("copied", piece.copied).Member("events", piece.events);
  writer.Member("is_array", piece.is_array).EndObject();
  return json;
}

void PieceOrder::Add(std::uint64_t index) {
  if (count_ > 0 && index == next_) {
    ++count_;
  } else {
    AddRun();
    gap_ = index - next_;
    count_ = 1;
  }
  next_ = index + 1;
}

void PieceOrder::AddRun() {
  if (count_ == 0) return;
  AppendVarint(gap_, varints_);
  AppendVarint(count_, varints_);
}

std::string PieceOrder::Text() const {
  PieceOrder all = *this;
  all.AddRun();
  return "\"" + Base64(all.varints_) + "\"";
}

Result<std::optional<PieceInfo>> PieceOf(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  kineto::EventSplitter splitter(*source);
  kineto::Chunk chunk;
  splitter.Next(chunk);
  return Parse(ValueOf(splitter.top_level().values(), kSplitKey));
}

Result<std::unique_ptr<ByteSource>> OpenPieces(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<PieceReader>> pieces;
  for (const std::string& path : paths) {
    RS_ASSIGN_OR_RETURN(auto piece, PieceReader::Open(path));
    pieces.push_back(std::move(piece));
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return a->info().number < b->info().number;
  });
  return std::unique_ptr<ByteSource>(std::make_unique<WholeSource>(std::move(pieces)));
}

}  // namespace rankscope::tools
