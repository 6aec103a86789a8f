// Both programs of a stage as IR: the secondary one first, then the primary one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/flow/ssa_blocks.h"
#include "frontend/usse/translate/instruction.h"
#include "frontend/usse/translate/sampler.h"

namespace warpjit::usse {

// What a program's code does that the frame around it must know.
struct Effects {
  bool loads = false, stores = false, quads = false, samples = false, kills = false, sets_depth = false;
  bool loops = false;
  explicit Effects(std::span<const Instruction> code);
};

class ProgramTranslator : protected InstructionTranslator {
 public:
  virtual ~ProgramTranslator() = default;
  // Once.
  Result<ir::Function> run();

 protected:
  ProgramTranslator(const Program& program, const RegisterFile32& file, const UniformTable& table,
                    Code primary, Code secondary, std::span<const ir::SampleKey> samples);

  // Before the primary program: its registers. Ends the block with an edge to start(), of which it need not
  // tell, and perhaps others.
  virtual void begin() = 0;
  ir::Block start() const { return blocks_[setup_ + 1]; }
  ir::Block exit() const { return blocks_.exit(); }
  // Fills the exit, where threads end, up to its return.
  virtual void end() {}
  // Lanes are killed where this holds (none: everywhere).
  virtual Status kill(const Instruction& i, I1 where);

  View view_of_others() override;
  Status sample(const Instruction& i) override;
  // A sample's components, as many as it writes, from the texture of a unit.
  struct Texel {
    std::array<F32, 4> components;
    unsigned count = 0;
    ParameterType native{};
  };
  // An input has no instruction. `native`: for a result of the texture's own type. `all`: four components,
  // with any swizzle of the texture.
  Result<Texel> fetch_texel(const Instruction* i, unsigned unit, const SampleRequest& request, bool native,
                            bool all = false);
  // Component k of words of this type, one after the other.
  Part packed(ParameterType type, unsigned k, F32 value);

  const Code primary_code_, secondary_code_;
  const Effects effects_;
  void mark_written(const Code& code);

 private:
  struct Block {
    FlowBlock code;
    bool of_secondary = false;
  };
  // A texture that is sampled, and how its components are packed.
  struct Sampled {
    ir::SampleSource source;
    std::uint32_t number = 0;  // of the function's samples
    unsigned components = 0;
    ParameterType native{};
  };
  Result<Sampled> find_sampled(const Instruction* i, unsigned unit, bool native) const;
  const ir::SampleKey* key_of_unit(unsigned unit) const;
  Status check_textures() const;
  bool takes_level_from_quad(const Instruction& i) const;
  SampleRequest sample_request(const Instruction& i);
  Status gather(const Instruction& i, unsigned unit);
  // Keeps what quad operations read where lanes may have parted.
  void keep_operands();
  Status join();
  Status translate_block(std::uint32_t number);
  void end_block(const Block& block);
  void call(I1 where, std::uint32_t return_to);
  void return_from_call(I1 where);
  I1 goes(const Instruction& i, I1 own);
  Status step(const Instruction& i, std::span<const Increments> increments);

  std::span<const ir::SampleKey> samples_;
  std::vector<frontend::TextureUse> uses_;
  std::vector<bool> parted_;  // by address of the primary program; empty: no lane sees others
  std::vector<Block> code_;
  std::uint32_t most_calls_ = 0;  // whose addresses of return lanes keep; 0: calls are unfolded
  std::uint32_t setup_ = 0;       // the number of the block between both programs
  flow::SsaBlocks blocks_;
};

}  // namespace warpjit::usse
