// What the stages of graphics programs share: c[] from the uniform table, l[] in slots or in memory, lanes
// that see others of their quad.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/graphics.h"
#include "frontend/tesla/translate/quads.h"
#include "frontend/tesla/translate/thread.h"

namespace warpjit::tesla {

// Errors: unsupported, with the place, for what only the guest interpreter runs.
Status check_supported(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                       const Modes& modes);

class StageTranslator : public ThreadTranslator {
 public:
  // Before run(), for thread form.
  virtual void plan(const ControlFlow& flow, const std::vector<LaneEffects>& effects);
  // Also before run(): registers of which each lane's last value is kept for the others of its quad.
  void keep(const RegisterSet& registers);

 protected:
  StageTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                  const ConstantTable& constants, const SampledTextures& textures);

  // Makes l[] and kept registers 0.
  void clear_kept();
  I32 load(const Operand& operand, unsigned word_number) override;
  bool stored_local(const Operand& operand, unsigned word_number, I32 value) override;
  // A word of a vertex, of what o[] holds.
  F32 result(const ResultWord& from);
  // Word `column`, 0 to 3, of a row.
  I32 component(const std::array<F32, 4>& row, I32 column);

  I1 voted(VoteOperation operation, I1 condition) override;
  I32 physical_id() override;
  void register_written(std::uint32_t index, I1 guard, I32 value) override;
  I32 neighbours_register(std::uint32_t index) override;

 private:
  // Where an operand of l[] lies; parts of a word begin at a bit of it.
  struct LocalPlace {
    std::optional<std::uint32_t> fixed;  // slot of the first word, if that is known; else
    I32 slot;
    I32 bit;
    I1 exists;  // and is aligned
  };
  LocalPlace local_place(const Operand& operand);
  void clear_memory();
  I32 load_local(const Operand& operand, unsigned word_number);
  I32 load_slots(const Operand& operand, const LocalPlace& place, unsigned word_number);
  void store_slots(const Operand& operand, const LocalPlace& place, unsigned word_number, I32 value);
  I32 extracted(Type type, I32 value, I32 bit);

  static constexpr std::uint32_t kNotKept = ~0U;
  const ConstantTable& constants_;
  const std::uint32_t local_words_;                  // of l[], if the code uses it: a slot each, or
  const bool local_in_memory_;                       // memory of the thread's own
  std::array<std::uint32_t, kMaxRegisters> kept_{};  // slots
};

struct StageSource {
  const Program& program;
  const ComputeFacts& facts;
  const ReachedCode& code;
  const SampledTextures& textures;
};
// Translates in thread form where blocks, each run once, do what the control stack does: each round, with
// another translator, splits further blocks or keeps further registers. Else, and if `dispatch_all` where the
// order of lanes matters, in group form. Errors: as translate().
Result<ir::Function> translate_stage(const StageSource& source,
                                     const std::function<std::unique_ptr<StageTranslator>()>& make,
                                     bool dispatch_all);

}  // namespace warpjit::tesla
