#include "hang/mismatches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::hang {
namespace {

using flight::Call;
using flight::FlightDump;

constexpr std::string_view kOp = "op";
constexpr std::string_view kOrder = "order";

struct Attribute {
  std::string_view what;
  StringId Call::*text;
};
constexpr std::array<Attribute, 5> kAttributes = {{{kOp, &Call::op},
                                                   {"input_sizes", &Call::input_sizes},
                                                   {"output_sizes", &Call::output_sizes},
                                                   {"dtypes", &Call::input_dtypes},
                                                   {"dtypes", &Call::output_dtypes}}};

bool IsAllToAll(std::string_view op) { return op.starts_with("all_to_all"); }

// Inputs (the root's alone count in a scatter or broadcast), outputs (so in a gather).
bool MayDiffer(std::string_view op, const Attribute& attribute) {
  if (attribute.what == kOp) return false;
  const bool is_input =
      attribute.text == &Call::input_sizes || attribute.text == &Call::input_dtypes;
  const bool is_type = attribute.what == "dtypes";
  if (!is_type &&
      (IsAllToAll(op) || op.ends_with("_v") || op.find("_v_") != std::string_view::npos))
    return true;
  if (is_input && (op == "scatter" || (is_type && op == "broadcast"))) return true;
  return !is_input && op == "gather";
}

// Elements of "[[4,8],[8]]": 40; nothing of sizes that no memory holds.
std::optional<std::int64_t> ElementsOf(std::string_view sizes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  std::int64_t sum = 0, product = 1, number = -1;
  bool has_tensor = false;
  for (const char c : sizes) {
    if (c >= '0' && c <= '9') {
      number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
      if (number > kMost) return std::nullopt;
      continue;
    }
    if (number >= 0) {
      if (number != 0 && product > kMost / number) return std::nullopt;
      product *= number;
      number = -1;
      has_tensor = true;
    }
    if (c == ']') {
      if (has_tensor) sum += product;
      if (sum > kMost) return std::nullopt;
      product = 1;
      has_tensor = false;
    }
  }
  return sum;
}

class Finder {
 public:
  Finder(const Calls& calls, std::span<const FlightDump> dumps) : calls_(calls), dumps_(dumps) {}

  std::vector<Mismatch> Run() && {
    std::vector<Mismatch> found;
    for (std::uint32_t i = 0; i < calls_.matched.size(); ++i) {
      const Matched& one = calls_.matched[i];
      if (one.members.size() < 2) continue;
      auto mismatch = one.is_message() ? OfMessage(one) : OfCollective(i);
      if (!mismatch) continue;
      mismatch->matched = i;
      if (!found.empty() && SameSeries(calls_.matched[found.back().matched], one)) {
        ++found.back().later;
      } else {
        found.push_back(std::move(*mismatch));
      }
    }
    return found;
  }

 private:
  static bool SameSeries(const Matched& a, const Matched& b) {
    return a.group == b.group && a.sender == b.sender && a.receiver == b.receiver;
  }
  const Call& CallOf(const Member& member) const { return dumps_[member.dump].calls[member.call]; }
  std::string_view TextOf(const Member& member, StringId Call::*text) const {
    return dumps_[member.dump].Text(CallOf(member).*text);
  }

  // The text that most members have, and whether as many have another.
  struct Majority {
    std::string_view text;
    std::uint32_t count = 0;
    bool is_tie = false;
    bool is_all = false;
  };
  Majority MajorityOf(const Matched& one, StringId Call::*text) const {
    const std::string_view first = TextOf(one.members.front(), text);
    const bool same =
        std::all_of(one.members.begin() + 1, one.members.end(),
                    [&](const Member& member) { return TextOf(member, text) == first; });
    Majority majority{first, static_cast<std::uint32_t>(one.members.size()), false, same};
    if (same) return majority;
    std::map<std::string_view, std::uint32_t> counts;
    for (const Member& member : one.members) ++counts[TextOf(member, text)];
    majority.count = 0;
    for (const auto& [value, count] : counts) {
      if (count < majority.count) continue;
      majority.is_tie = count == majority.count;
      if (count > majority.count) majority.text = value;
      majority.count = count;
    }
    return majority;
  }

  std::optional<Mismatch> OfCollective(std::uint32_t index) const {
    const Matched& one = calls_.matched[index];
    std::string_view op;
    for (const Attribute& attribute : kAttributes) {
      const Majority majority = MajorityOf(one, attribute.text);
      if (attribute.what == kOp) op = majority.text;
      if (majority.is_all || MayDiffer(op, attribute)) continue;
      Mismatch mismatch;
      mismatch.what = attribute.what;
      mismatch.expected = majority.text;
      mismatch.agreeing = majority.count;
      mismatch.is_tie = majority.is_tie;
      for (const Member& member : one.members) {
        const std::string_view text = TextOf(member, attribute.text);
        if (text == majority.text) {
          mismatch.expected_dump = member.dump;
          mismatch.expected_call = member.call;
        } else {
          mismatch.odd.push_back({member.dump, member.call, std::string(text)});
        }
      }
      if (attribute.what == kOp && IsOtherOrder(index, mismatch)) mismatch.what = kOrder;
      return mismatch;
    }
    return IsAllToAll(op) ? OfAllToAll(one) : std::nullopt;
  }

  // Whether the odd ranks call next what the others call now, and now what those call next.
  bool IsOtherOrder(std::uint32_t index, const Mismatch& mismatch) const {
    if (index + 1 == calls_.matched.size()) return false;
    const Matched& next = calls_.matched[index + 1];
    if (!SameSeries(calls_.matched[index], next)) return false;
    bool others_call_it_next = false;
    for (const Odd& odd : mismatch.odd) {
      bool calls_it_next = false;
      for (const Member& member : next.members) {
        const std::string_view op = TextOf(member, &Call::op);
        if (member.dump == *odd.dump) calls_it_next = op == mismatch.expected;
        if (member.dump == mismatch.expected_dump) others_call_it_next |= op == odd.found;
      }
      if (!calls_it_next) return false;
    }
    return others_call_it_next;
  }

  std::optional<Mismatch> OfAllToAll(const Matched& one) const {
    const std::size_t ranks = calls_.groups[one.group].ranks.size();
    if (ranks == 0 || ranks != one.members.size()) return std::nullopt;
    std::int64_t sent = 0, received = 0;
    for (const Member& member : one.members) {
      const auto in = ElementsOf(TextOf(member, &Call::input_sizes));
      const auto out = ElementsOf(TextOf(member, &Call::output_sizes));
      if (!in || !out || sent > INT64_MAX / 4 || received > INT64_MAX / 4) return std::nullopt;
      sent += *in;
      received += *out;
    }
    if (sent == received) return std::nullopt;
    Mismatch mismatch;
    mismatch.what = "output_sizes";
    mismatch.expected = std::to_string(sent) + " elements, which all ranks send";
    mismatch.expected_dump = one.members.front().dump;
    mismatch.expected_call = one.members.front().call;
    mismatch.odd.push_back(
        {std::nullopt, 0, std::to_string(received) + " elements, which all ranks receive"});
    return mismatch;
  }

  // What is received is what was sent.
  std::optional<Mismatch> OfMessage(const Matched& one) const {
    if (one.members.size() != 2) return std::nullopt;
    const bool first_sends = TextOf(one.members[0], &Call::op).starts_with("send");
    const Member& sent = one.members[first_sends ? 0 : 1];
    const Member& received = one.members[first_sends ? 1 : 0];
    constexpr std::pair<StringId Call::*, StringId Call::*> kPairs[] = {
        {&Call::input_sizes, &Call::output_sizes}, {&Call::input_dtypes, &Call::output_dtypes}};
    for (const auto& [in, out] : kPairs) {
      const std::string_view expected = TextOf(sent, in);
      const std::string_view found = TextOf(received, out);
      if (expected == found) continue;
      Mismatch mismatch;
      mismatch.what = in == &Call::input_sizes ? "output_sizes" : "dtypes";
      mismatch.expected = expected;
      mismatch.agreeing = 1;
      mismatch.is_tie = true;
      mismatch.expected_dump = sent.dump;
      mismatch.expected_call = sent.call;
      mismatch.odd.push_back({received.dump, received.call, std::string(found)});
      return mismatch;
    }
    return std::nullopt;
  }

  const Calls& calls_;
  std::span<const FlightDump> dumps_;
};

}  // namespace

std::vector<Mismatch> FindMismatches(const Calls& calls, std::span<const FlightDump> dumps) {
  return Finder(calls, dumps).Run();
}

}  // namespace rankscope::hang
