// What the stages of graphics programs share: c[] from the uniform table, l[] in slots.
#pragma once

#include <array>
#include <optional>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/graphics.h"
#include "frontend/tesla/translate/thread.h"

namespace warpjit::tesla {

// Errors: unsupported, with the place, for what only the guest interpreter runs.
Status check_supported(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                       const Modes& modes);

class StageTranslator : public ThreadTranslator {
 protected:
  StageTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                  const ConstantTable& constants, const SampledTextures& textures);

  void clear_local();
  I32 load(const Operand& operand, unsigned word_number) override;
  bool stored_local(const Operand& operand, unsigned word_number, I32 value) override;
  // A word of a vertex, of what o[] holds.
  F32 result(const ResultWord& from);
  // Word `column`, 0 to 3, of a row.
  I32 component(const std::array<F32, 4>& row, I32 column);

 private:
  // Where an operand of l[] lies; parts of a word begin at a bit of it.
  struct LocalPlace {
    std::optional<std::uint32_t> fixed;  // slot of the first word, if that is known; else
    I32 slot;
    I32 bit;
    I1 exists;  // and is aligned
  };
  LocalPlace local_place(const Operand& operand);
  I32 load_local(const Operand& operand, unsigned word_number);
  I32 extracted(Type type, I32 value, I32 bit);

  const ConstantTable& constants_;
  const std::uint32_t local_words_;  // of l[], a slot each
};

}  // namespace warpjit::tesla
