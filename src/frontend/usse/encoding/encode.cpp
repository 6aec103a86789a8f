#include <algorithm>
#include <tuple>

#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {
namespace {

Error misfit(std::string message) { return {ErrorCode::bad_input, std::move(message), {}}; }

// Builds the word of an instruction field by field.
class Encoder {
 public:
  Encoder(const Pattern& pattern, const Instruction& instruction)
      : instruction_(instruction), word_(encoding::encode_modifiers(pattern, instruction, pattern.match)) {}

  Status add(const SyntaxToken& token) {
    switch (token.kind) {
      case SyntaxToken::Kind::destination:
        return destination(token, instruction_.d[token.index]);
      case SyntaxToken::Kind::source:
        return source(token, instruction_.s[token.index]);
      case SyntaxToken::Kind::immediate:
        return immediate(token);
      case SyntaxToken::Kind::unread:
        word_ = encoding::write_bits(token.field.set(word_, 2), token.extension, 1, 1);
        return {};
      default:
        return {};
    }
  }
  std::uint64_t word() const { return word_; }

 private:
  Status destination(const SyntaxToken& token, const Destination& destination) {
    WARPJIT_TRY(word_, encode_register(token, instruction_, destination, word_));
    std::uint32_t mask = destination.mask;
    if (mask > low_mask<std::uint32_t>(token.mask.width())) return misfit("the mask has components too many");
    if (token.mask_from_w) mask = (mask << 1 & 0xe) | mask >> 3;
    word_ = token.mask.set(word_, mask);
    return {};
  }

  Status source(const SyntaxToken& token, const Source& source) {
    WARPJIT_TRY(word_, encode_register(token, instruction_, source, word_));
    const std::string which = "source " + std::to_string(token.index);
    for (const auto& [bit, wanted, what] :
         {std::tuple(token.negate, source.negate, " cannot be negated"),
          std::tuple(token.absolute, source.absolute, " cannot be absolute")}) {
      if (wanted && bit == 0) return misfit(which + what);
      if (bit != 0) word_ = encoding::write_bits(word_, bit, 1, wanted ? 1 : 0);
    }
    if (token.table == kNoSwizzle)
      return source.swizzle == kIdentity ? Status() : misfit(which + " cannot be swizzled");
    std::uint32_t field = 0;
    if (token.table == kFreeSwizzle || token.table == kPackSwizzle) {
      const unsigned width = token.table == kFreeSwizzle ? 3 : 2;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto select = static_cast<std::uint32_t>(source.swizzle[k]);
        if (select > low_mask<std::uint32_t>(width)) return misfit(which + " has no constant components");
        field |= select << width * k;
      }
      if (token.table == kPackSwizzle) {
        word_ = token.swizzle_high.set(word_, field >> 2);
        field &= 3;
      }
    } else {
      const std::string text = swizzle_text(token, source.swizzle);
      const auto& words = swizzle_tables()[token.table].words;
      field = static_cast<std::uint32_t>(std::ranges::find(words, text) - words.begin());
      if (field > low_mask<std::uint32_t>(token.swizzle.width()))
        return misfit(which + " has no swizzle " + text);
    }
    word_ = token.swizzle.set(word_, field);
    return {};
  }

  Status immediate(const SyntaxToken& token) {
    const std::int64_t value = instruction_.value(token.immediate);
    const unsigned width = token.field.width();
    const std::int64_t low = token.is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
    // LIMM's 32 bits have no sign.
    const std::int64_t number = width == 32 ? static_cast<std::uint32_t>(value) : value;
    if (number < low || number >= low + (std::int64_t{1} << width))
      return misfit(std::string(kImmediateNames[static_cast<std::size_t>(token.immediate)]) +
                    " is out of range");
    word_ = token.field.set(word_, static_cast<std::uint32_t>(value));
    return {};
  }

  const Instruction& instruction_;
  std::uint64_t word_;
};

}  // namespace

Result<std::uint64_t> encode_as(const Pattern& pattern, const Instruction& instruction) {
  Encoder encoder(pattern, instruction);
  for (const SyntaxToken& token : pattern.syntax()) {
    WARPJIT_CHECK(encoder.add(token));
  }
  return encoder.word();
}

Result<std::uint64_t> encode(const Instruction& instruction) {
  for (const Pattern& pattern : patterns_of(instruction.opcode)) {
    if (pattern.opcode != instruction.opcode || !encoding::modifiers_fit(pattern, instruction)) continue;
    return encode_as(pattern, instruction);
  }
  return misfit(std::string(name(instruction.opcode)) + " cannot have these modifiers");
}

}  // namespace warpjit::usse
