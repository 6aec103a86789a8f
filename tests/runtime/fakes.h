// A shader and kernels that need no frontend and no backend: inputs v0 to v3, outputs o0 to o3, one uniform.
#pragma once

#include <cstring>
#include <functional>

#include "frontend/shader.h"
#include "runtime/engine/code_cache.h"
#include "runtime/kernel/kernel.h"

namespace warpjit::test {

class FakeShader final : public frontend::Shader {
 public:
  FakeShader()
      : frontend::Shader({.isa = Isa::pica200,
                          .stage = Stage::vertex,
                          .name = "fake",
                          .code_words = 1,
                          .usage = {0xF, 0},
                          .table_bytes = 64}) {}
  const std::string& source_name() const override { return name(); }
  Result<Location> find(LocationKind kind, std::string_view name) const override {
    Location location;
    location.kind = kind == LocationKind::uniform ? LocationKind::float_uniform : kind;
    location.first = static_cast<std::uint16_t>(name.back() - '0');
    location.count = static_cast<std::uint16_t>(4 - location.first);
    location.word = 4u * location.first;
    return location;
  }
  std::string register_name(const Location& location) const override {
    return (location.kind == LocationKind::input ? "v" : "o") + std::to_string(location.first);
  }
  void reset(frontend::Values& values) const override { values.words.assign(16, 0); }
  void fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const override {
    ++fills;
    std::memcpy(table.data(), values.words.data(), 64);
  }
  Status append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const override {
    key.push_back(static_cast<std::byte>(facts.get<frontend::RowFacts>().bound_inputs));
    return {};
  }
  Result<Translation> translate(const frontend::Facts&, bool) const override { return Error{}; }
  Result<std::unique_ptr<frontend::GuestInterpreter>> prepare_interpreter(
      const frontend::Facts&) const override {
    return Error{};
  }
  std::string where(std::uint32_t) const override { return name(); }

  mutable std::atomic<int> fills{0};
};

// Calls a function per group; like a JIT kernel it advances the addresses in its arguments.
class FakeKernel final : public runtime::Kernel {
 public:
  using Body = std::function<void(const backend::KernelArgs& group)>;
  FakeKernel(unsigned lanes, std::size_t cost, Body body = {}) : body_(std::move(body)) {
    report_.lanes = lanes;
    cost_ = cost;
    table_bytes_ = 128;
  }
  Status prepare(std::uint32_t* table) const override {
    table[31] = table[0] + 1;
    return {};
  }
  Status run(backend::KernelArgs& args, const frontend::Shader&, const frontend::Values&) const override {
    for (; args.group_count != 0; --args.group_count) {
      if (body_) body_(args);
      for (backend::Binding* binding : {&args.inputs[0], &args.inputs[1], &args.outputs[0], &args.outputs[1]})
        advance(*binding);
    }
    return {};
  }

 private:
  // As integers: bindings that a launch does not have hold anything.
  static void advance(backend::Binding& binding) {
    binding.address = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(binding.address) +
                                                   static_cast<std::uintptr_t>(binding.step));
  }
  Body body_;
};

// The key of the n-th kernel.
inline runtime::CodeCache::Key key_of(int n) { return runtime::CodeCache::Key(8, static_cast<std::byte>(n)); }

}  // namespace warpjit::test
