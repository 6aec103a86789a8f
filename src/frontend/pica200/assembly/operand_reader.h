// Operands and numbers of PICA200 assembly, read from tokens. Names are not resolved here.
#pragma once

#include <array>
#include <optional>

#include "base/text.h"
#include "frontend/pica200/assembly/warning.h"
#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

using text::Position;
using text::quoted;
using text::Token;

// Component letters after a dot: up to four numbers, x = 0.
struct Swizzle {
  std::uint8_t count = 0;
  std::array<std::uint8_t, 4> component{};
};

// [-] name [ "[" index "]" ] [ "." swizzle ]
struct Operand {
  Position position;
  bool negate = false;
  std::string_view name;
  bool indexed = false;
  std::uint8_t address = 0;  // IDX: 0 none, 1 a0.x, 2 a0.y, 3 aL
  int offset = 0;            // what stands in the brackets besides
  Swizzle swizzle;
};

std::string lower_case(std::string_view text);
// The number of a component by its letter: one of xyzw, rgba or stpq, in lower or upper case.
std::optional<std::uint8_t> find_component(char letter);

// How picasso reads the number that stands in a place: as one, up to the first character that does not belong
// to it. An expression that would be another number there is warned of.
enum class PicassoNumber : std::uint8_t {
  none,      // the place is not in picasso's language
  fraction,  // also hexadecimal
  decimal,   // digits alone
  integer,   // digits; octal after 0, hexadecimal after 0x
};

class OperandReader : public text::TokenReader {
 public:
  explicit OperandReader(std::span<const Token> tokens, Warnings* warnings = nullptr)
      : TokenReader(tokens), warnings_(warnings) {}
  Result<Operand> operand();
  // Numbers joined by + - * / and parentheses.
  Result<double> expression(PicassoNumber kind);
  // The same, with a whole number as its value.
  Result<std::int64_t> whole(std::int64_t low, std::int64_t high, PicassoNumber kind);

 private:
  // `depth`: of the parentheses.
  Result<double> sum(unsigned depth);
  Result<double> product(unsigned depth);
  Result<double> factor(unsigned depth);
  Result<std::int64_t> whole_product(std::int64_t low, std::int64_t high);
  Result<Swizzle> swizzle();
  Result<std::uint8_t> address_register();
  Status index(Operand& operand);
  void compare_index(std::span<const Token> tokens, const Operand& operand);
  void compare_number(const Token* first, double value, PicassoNumber kind);

  Warnings* warnings_;
};

}  // namespace warpjit::pica200
