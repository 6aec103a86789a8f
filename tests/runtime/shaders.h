// Programs and launches for end-to-end tests through the public API.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/shader.h"
#include "support/hooks.h"
#include "support/source_dir.h"
#include "warpjit/pica200.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::test {

inline Program make_program(pica200::Program program) {
  auto shader = pica200::Shader::make(std::move(program));
  EXPECT_TRUE(shader) << to_string(shader.error());
  return Program(*shader);
}

// Source text with registers and `.out`s of its own.
inline Program assemble(const std::string& body) {
  const pica200::SourceFile file{"test.v.pica", body};
  auto container = pica200::assemble({&file, 1});
  EXPECT_TRUE(container) << to_string(container.error());
  auto program = pica200::select_program(*container);
  EXPECT_TRUE(program) << to_string(program.error());
  return make_program(*program);
}

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline Program example(const std::string& name) {
  Selection choice;
  choice.stage = Stage::vertex;
  choice.source_name = name;
  const std::string path = tests::source_file("examples/pica200/" + name);
  auto program = pica200::load_shbin(read_file(path), choice);
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}

// One way to run.
struct Way {
  std::string name;
  HookedOptions options;
};
// Guest, IR, and the JIT for every target of this machine; the first is what the others must equal.
inline std::vector<Way> all_ways(const Engine& engine) {
  std::vector<Way> ways;
  const auto add = [&](EngineKind kind, Target target) {
    for (const bool generic : {false, true})
      for (const bool dispatch_all : {false, true}) {
        if (kind == EngineKind::guest && (generic || dispatch_all)) continue;
        Way way;
        way.options.engine = kind;
        way.options.target = target;
        way.options.generic = generic;
        way.options.dispatch_all = dispatch_all;
        way.name = std::string(name(kind)) + "-" + name(target) + (generic ? "-generic" : "") +
                   (dispatch_all ? "-dispatch" : "");
        ways.push_back(way);
      }
  };
  add(EngineKind::guest, Target::automatic);
  add(EngineKind::ir, Target::automatic);
  if (engine.info().jit)
    for (const Target target : engine.info().targets) add(EngineKind::jit, target);
  return ways;
}

// A launch of any program: every input bound to rows of random floats in [-2, 2), every output and state
// register read back, uniforms random where the program does not preset them.
struct Bench {
  Launch launch;
  std::vector<float> inputs;
  std::vector<std::uint32_t> outputs;
  static constexpr unsigned kOutputs = 35;

  Bench(const Program& program, std::uint64_t count, std::uint64_t seed = 1)
      : launch(program), inputs(16 * 4 * count), outputs(kOutputs * 4 * count) {
    std::mt19937_64 random(seed);
    const auto real = [&] {
      return static_cast<float>(static_cast<double>(random() >> 40) / (1 << 22) - 2.0);
    };
    for (float& value : inputs) value = real();
    std::vector<float> c(96 * 4);
    for (float& value : c) value = real();
    frontend::Values preset;
    frontend::shader_of(program).reset(preset);
    for (std::size_t n = 0; n < c.size(); ++n)
      if (preset.words[n] != 0) std::memcpy(&c[n], &preset.words[n], 4);
    EXPECT_TRUE(launch.set_uniform("c0", c));
    std::vector<std::uint32_t> i(16);
    for (std::size_t n = 0; n < i.size(); ++n)
      i[n] = preset.words[384 + n] != 0 ? preset.words[384 + n] : static_cast<std::uint32_t>(random() % 5);
    EXPECT_TRUE(launch.set_int("i0", i));
    for (int n = 0; n < 16; ++n) EXPECT_TRUE(launch.set_bool("b" + std::to_string(n), (random() & 1) != 0));
    // All inputs in one array of structures, each output in an array of its own.
    for (unsigned n = 0; n < 16; ++n)
      EXPECT_TRUE(launch.bind_input("v" + std::to_string(n),
                                    {inputs.data() + 4 * n, inputs.size() * 4 - 16 * n, 256, f32x4}));
    for (unsigned n = 0; n < kOutputs; ++n) {
      static constexpr const char* kSpecial[] = {"a0", "aL", "cmp"};
      const std::string reg = n < 16   ? "o" + std::to_string(n)
                              : n < 32 ? "r" + std::to_string(n - 16)
                                       : kSpecial[n - 32];
      EXPECT_TRUE(launch.bind_output(
          reg, {outputs.data() + 4 * n * count, 16 * count, 16, Format{ComponentType::u32, 4}}));
    }
    EXPECT_TRUE(launch.set_count(count));
  }

  // Runs, and gives what came out.
  std::vector<std::uint32_t> run(const Engine& engine, const HookedOptions& options) {
    std::fill(outputs.begin(), outputs.end(), 0xDEADBEEF);
    const auto report = engine.run(launch, with_hooks(engine, options));
    EXPECT_TRUE(report) << to_string(report.error());
    return outputs;
  }
};

}  // namespace warpjit::test
