// The shader engine of an emulator: what its GPU calls for each draw. Runs vertex ranges of any size in SIMD
// lanes and on all cores, and need not stop for shaders that it sees for the first time.
#pragma once

#include <warpjit/pica200.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What the guest has uploaded: registers of the vertex shader unit.
struct ShaderSetup {
  std::vector<std::uint32_t> code;         // instruction words
  std::vector<std::uint32_t> descriptors;  // operand descriptors ("swizzle data")
  std::uint32_t entry = 0;
  std::array<std::array<float, 4>, 96> c{};
  std::array<std::array<std::uint32_t, 4>, 4> i{};
  std::uint16_t b = 0;
  bool code_changed = true, uniforms_changed = true;  // since the last batch; the engine resets them
};

// One vertex attribute in guest memory, for input register `reg`.
struct VertexAttribute {
  unsigned reg;
  const std::uint8_t* data;  // of vertex 0
  std::size_t bytes;         // from there to the end of the guest's memory block
  std::size_t stride;
  warpjit::Format format;
};

class ShaderEngine {
 public:
  using Output = std::array<std::array<float, 4>, 16>;  // o0 to o15

  // `background`: vertices of new shaders are interpreted until their code is ready.
  explicit ShaderEngine(bool background);

  // Before the draws that use one state of the GPU. `outputs`: bit n, output register n is wanted.
  warpjit::Status setup_batch(ShaderSetup& setup, std::uint16_t outputs);
  // Starts to compile a shader that is not needed yet, as a savestate or a list from the last session names
  // it.
  warpjit::Status announce(const ShaderSetup& setup, std::span<const VertexAttribute> attributes,
                           std::uint16_t outputs);
  // Shades vertices first to first + results.size() - 1 with the state of the last setup_batch.
  warpjit::Result<warpjit::Report> run(std::span<const VertexAttribute> attributes, std::size_t first,
                                       std::span<Output> results);
  warpjit::EngineStatistics statistics() const { return engine_.statistics(); }

 private:
  // A program with its bindings, and its registers by number.
  struct Shader {
    warpjit::Launch launch;
    std::array<warpjit::Location, 16> v, o, b;
    warpjit::Location c, i;
    std::uint16_t inputs = 0, outputs = 0;  // registers that are bound
  };
  static constexpr std::size_t kMostShaders = 4096;  // then all are forgotten; their kernels stay cached

  warpjit::Result<Shader*> find_shader(const ShaderSetup& setup);
  static warpjit::Status bind(Shader& shader, std::span<const VertexAttribute> attributes, std::size_t first,
                              std::uint16_t outputs, std::span<Output> results);

  warpjit::Engine engine_;
  warpjit::RunOptions options_;
  // By code, descriptors and entry: whole, so that no two are taken for one. Looked up when code changes
  // only.
  std::map<std::vector<std::uint32_t>, Shader> shaders_;
  Shader* current_ = nullptr;
  std::uint16_t outputs_ = 0;
};
