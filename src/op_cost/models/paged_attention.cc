#include "op_cost/models/paged_attention.h"

#include <array>
#include <charconv>

#include "op_cost/models/input_facts.h"

namespace rankscope {
namespace {

// Reads literals and numbers from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool Skip(std::string_view literal) {
    if (!text_.starts_with(literal)) return false;
    text_.remove_prefix(literal.size());
    return true;
  }
  bool Read(double& number) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    number = static_cast<double>(value);
    return true;
  }

 private:
  std::string_view text_;
};

struct Part {
  double count, sq, sk, sqsq, sqsk;
};

bool ReadPart(Scanner& scanner, std::string_view name, Part& part) {
  return scanner.Skip(name) && scanner.Read(part.count) && scanner.Skip("(sq") &&
         scanner.Read(part.sq) && scanner.Skip("sk") && scanner.Read(part.sk) &&
         scanner.Skip("sqsq") && scanner.Read(part.sqsq) && scanner.Skip("sqsk") &&
         scanner.Read(part.sqsk) && scanner.Skip(")");
}

// Where an op has its query, of [tokens, heads, size], and its cache, of [..., heads, size].
struct PagedOp {
  std::string_view name;
  bool is_prefix = false;  // a number of the call follows
  std::size_t query = 0, keys = 1, values = 2;
};
constexpr std::array kPagedOps = {
    PagedOp{"vllm::unified_attention", false, 0, 1, 2},
    PagedOp{"vllm::unified_attention_with_output", false, 0, 1, 2},
    PagedOp{"sglang_profiler::attention_paged_attention_ragged", true, 2, 3, 4},
};

const PagedOp* FindPagedOp(std::string_view op) {
  for (const PagedOp& paged : kPagedOps) {
    if (paged.is_prefix ? op.starts_with(paged.name) : op == paged.name) return &paged;
  }
  return nullptr;
}

}  // namespace

BatchSums& BatchSums::operator+=(const BatchSums& other) {
  queries += other.queries;
  keys += other.keys;
  prefill_squares += other.prefill_squares;
  prefill_pairs += other.prefill_pairs;
  decode_pairs += other.decode_pairs;
  return *this;
}

BatchSums BatchSums::Per(double count) const {
  return {queries / count, keys / count, prefill_squares / count, prefill_pairs / count,
          decode_pairs / count};
}

std::optional<BatchSums> ParseBatchSums(std::string_view annotation) {
  Scanner scanner(annotation);
  if (!scanner.Skip("execute_")) return std::nullopt;
  if (double batch = 0; scanner.Read(batch) && !scanner.Skip("_")) return std::nullopt;
  Part prefill{};
  Part decode{};
  if (!ReadPart(scanner, "context_", prefill) || !ReadPart(scanner, "_generation_", decode))
    return std::nullopt;
  return BatchSums{prefill.sq + decode.sq, prefill.sk + decode.sk, prefill.sqsq, prefill.sqsk,
                   decode.sqsk};
}

bool IsPagedAttention(std::string_view op) { return FindPagedOp(op) != nullptr; }

std::optional<PagedShape> PagedShapeOf(std::string_view op, std::span<const OpInput> inputs,
                                       std::string_view& dtype) {
  const PagedOp* paged = FindPagedOp(op);
  if (paged == nullptr || !HasTensor(inputs, paged->query)) return std::nullopt;
  const Shape& q = ShapeOf(inputs, paged->query);
  const Shape& k = ShapeOf(inputs, paged->keys);
  const Shape& v = ShapeOf(inputs, paged->values);
  if (q.size() != 3 || k.size() < 3 || v.size() < 3 || q[2] != k.back()) return std::nullopt;
  dtype = inputs[paged->query].dtype;
  if (!BytesOfDtype(dtype)) return std::nullopt;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  return PagedShape{number(q[1]), number(k[k.size() - 2]), number(q[2]), number(v.back())};
}

OpCost PagedCost(const PagedShape& shape, std::string_view dtype, const BatchSums& batch) {
  const double sizes = shape.dqk + shape.dv;
  const double bytes = BytesOfDtype(dtype).value_or(0);
  OpCost cost;
  cost.family = CostFamily::kAttention;
  cost.dtype = dtype;
  cost.flops =
      shape.hq * sizes * (2 * batch.prefill_pairs - batch.prefill_squares + 2 * batch.decode_pairs);
  cost.bytes = bytes * sizes * (batch.queries * shape.hq + batch.keys * shape.hk);
  cost.fits_matrix_cores = bytes <= 2 && IsMultiple(static_cast<std::int64_t>(shape.dqk), bytes);
  return cost;
}

}  // namespace rankscope
