// The stack machine of pickles, for plain data alone: None, bools, numbers, text, bytes, lists,
// tuples, dicts and sets of protocols 0 to 5. Whatever would name a class, call a function or ask
// for an object from outside is refused with the byte where it stands; nothing is ever executed.
//
// Streaming: 256 KiB of input at a time, 8 bytes for each container, each entry of the memo and
// each item. A Shaper may take containers over as soon as they are complete, so that a pickle much
// larger than memory becomes what the caller needs of it. Everything counts against
// Limits::memory_bytes. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/chunks.h"
#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/pickle/value.h"
#include "trace/interner.h"

namespace rankscope::pickle {

// Whether a file that begins so is a pickle of protocol 2 or later.
bool IsPickle(std::string_view head);

struct Limits {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::uint64_t text_bytes = std::uint64_t{16} << 20;  // of one text or bytes
  int depth = 100;                                     // of containers in each other (Document)
};

struct ReadOptions {
  Limits limits;
  // What to do about a file that is no plain data, behind "rankscope carries nothing out: ".
  std::string_view remedy = "write the file again with plain values alone";
  // Called now and then with the part of the file that was read and the bytes of the pickle so far;
  // false stops the reading.
  std::function<bool(double fraction, std::uint64_t bytes)> progress;
};

class Machine;

// Takes over dicts. Pickles fill a dict in one go (Python in pieces of 1,000 items), so what one of
// a known shape is given first is all of it; a pickle that adds to it later is refused.
class Shaper {
 public:
  virtual ~Shaper() = default;
  // Keys and values in turn, of a dict that was empty. A number of 60 bits takes the dict's place
  // wherever it is used (Kind::kRecord); nullopt leaves the dict as it is.
  virtual Result<std::optional<std::uint64_t>> Shape(std::span<const Value> items,
                                                     Machine& machine) = 0;
};

class Machine {
 public:
  Machine(ByteSource& source, std::string path, ReadOptions options, Shaper* shaper = nullptr);

  // Runs to STOP and returns what it leaves. What follows it is not read.
  Result<Value> Run();

  // What a container or another value says. Views are good as long as the machine; spans until the
  // next container changes.
  std::string_view Text(Value value) const {
    return texts_.Get(TextId(value));
  }  // of kText, kBytes
  static StringId TextId(Value value) { return static_cast<StringId>(value.payload()); }
  // Before Run, for a Shaper that knows its keys by their numbers: 1, 2, ...
  StringId InternText(std::string_view text) { return texts_.Intern(text); }
  // All texts, by their numbers; the machine is of no use afterwards.
  Interner TakeTexts() { return std::move(texts_); }
  const Interner& texts() const { return texts_; }
  std::optional<std::int64_t> Int(Value value) const;  // bools are 0 and 1; nullopt for the rest
  std::optional<double> Real(Value value) const;       // of ints, too
  // A dict's keys and values stand in turn.
  std::span<const Value> Items(Value container) const;
  std::uint64_t container_count() const { return container_count_; }
  // The record in place of a container that became one; other values as they are.
  Value Resolve(Value value) const;
  // Makes a record of a container and drops its items.
  void Replace(Value container, std::uint64_t record);

  // Counts memory that a Shaper holds against the limit, which Run checks.
  void Count(std::uint64_t bytes) { used_bytes_ += bytes; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t position() const { return before_ + at_; }  // in the pickle
  // "PATH: byte N: " and the sentence.
  Status Bad(std::string_view sentence) const;
  const Limits& limits() const { return options_.limits; }

 private:
  struct Lists {
    std::vector<std::vector<Value>> items;
    std::vector<std::uint32_t> unused;
  };

  bool Refill();                 // more bytes behind those that are left
  bool Need(std::size_t count);  // so many in one piece
  Status CutOff() const;
  template <typename T>
  Result<T> Number();
  Result<std::string_view> Line();  // without its end
  Result<std::string_view> Bytes(std::uint64_t size);

  Status Step(unsigned char opcode);
  Status Refuse(unsigned char opcode);
  Status CheckMemory() const;
  Status Progress();

  Status Push(Value value);
  Status PushText(Kind kind, std::uint64_t size);
  void PushInt(std::int64_t value);
  Status PushReal(double value);
  Status PushLong(std::string_view little_endian);
  Status PushDecimal(std::string_view digits);
  Status PushUnicodeLine();
  Status PushNew(Kind kind, std::size_t first_item);  // items from there to the stack's top
  Status MakeTuple(std::size_t count);
  Result<std::size_t> PopMark();  // where its items begin
  Status Append(std::size_t first_item, Kind kind);
  Status Put(std::uint64_t index);
  Status Get(std::uint64_t index);

  ByteSource& source_;
  std::string path_;
  ReadOptions options_;
  Shaper* shaper_;
  std::string buffer_;
  std::size_t at_ = 0;        // in the buffer
  std::size_t end_ = 0;       // of what was read into it
  std::uint64_t before_ = 0;  // bytes of the pickle before the buffer
  std::uint64_t opcode_at_ = 0;
  std::string scratch_;

  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  using Memo = Chunks<Value, 65536>;  // a pickle may name any of 2^32 places
  Memo memo_;
  std::uint64_t memo_next_ = 0;
  // For each container its kind and place in lists_, or the record that it became.
  Chunks<Value> containers_;
  std::uint64_t container_count_ = 0;
  Lists lists_;
  Interner texts_;
  std::vector<std::int64_t> wide_ints_;
  std::vector<double> reals_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t told_at_ = 0;
  bool is_done_ = false;
};

}  // namespace rankscope::pickle
