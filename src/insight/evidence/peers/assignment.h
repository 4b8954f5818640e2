// Moves of pieces of work that balance the load of all holders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// An indivisible piece of work.
struct MovablePiece {
  std::size_t holder = 0;
  double ns = 0;
  std::string name;
};
struct PieceMove {
  std::size_t piece = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

// Moves that reduce the largest of `loads`, each by over 1 %, and updates `loads`: each moves a
// piece from the largest to the smallest holder that minimises the larger of both. At most
// kMostMoves: O(kMostMoves * pieces). `loads` are by holder, with their pieces.
inline constexpr std::size_t kMostMoves = 12;
std::vector<PieceMove> MovesToEven(std::vector<MovablePiece> pieces, std::vector<double>& loads);

// For sharded tables on overloaded ranks: the tables to move, if each has separate kernels on the
// largest rank; otherwise the share of time to move to the others, so that all are equal. Null if
// nothing changes.
std::optional<Proposal> AssignTables(const RuleInput& input,
                                     const std::vector<std::uint32_t>& heavy);

// For layers of a pipeline: the number to move between stages; each stage keeps one. Null if the
// numbers of layers are unknown, or if no move makes the longest stage shorter.
std::optional<Proposal> AssignLayers(const RuleInput& input);

}  // namespace rankscope
