// The fixed function of the PICA200 as the runtime sees it: the state of its registers is a fragment program
// (frontend/shader.h).
#pragma once

#include <memory>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/fragment_file.h"
#include "frontend/pica200/facts/physical_memory.h"
#include "frontend/shader.h"

namespace warpjit::pica200 {

// What the scalar interpreter draws with, in frontend::Values::data. Others read Values::words, which are
// FragmentWords, and the memories of FragmentMemories.
struct FragmentData final : frontend::GuestData {
  FragmentSetup setup;
  const PhysicalMemory* memory = nullptr;
};

class FragmentShader final : public frontend::Shader {
 public:
  explicit FragmentShader(const FragmentState& state);

  const FragmentState& state() const { return state_; }
  const std::string& source_name() const override { return name_; }
  // Stops carry the number of a register.
  std::string where(std::uint32_t guest_address) const override {
    return guest_address == 0 ? name_ : pica200::register_name(guest_address);
  }
  std::span<const frontend::RegisterBank> register_banks() const override { return kFragmentBanks; }
  void reset(frontend::Values& values) const override;
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override;
  bool changes_memory() const override { return false; }
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override;
  Result<Translation> translate(const frontend::Facts& facts, bool dispatch_all) const override;
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts& facts) const override;

 private:
  FragmentState state_;
  std::string name_ = "fixed function";
};

}  // namespace warpjit::pica200
