// Runs vertex programs written as text on rows of words, on every engine and target of this machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>

#include "frontend/usse/shader.h"
#include "runtime/shaders.h"
#include "support/same_bytes.h"
#include "usse/usse_test.h"

namespace warpjit::usse {

using Words = std::vector<std::uint32_t>;

inline constexpr std::uint32_t kThreads = 8, kRows = 4;
inline constexpr unsigned kResults = 12;  // words of r

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Each thread's r0 to r11 after the code, whose operands are in pa0 to pa7; the same on all engines, or the
// error.
inline Words run_rows(const std::string& code, const std::vector<std::array<float, 8>>& operands,
                      std::string* error = nullptr, const std::string& directives = {},
                      const std::function<void(Launch&)>& bind = {}, std::uint32_t threads = kThreads) {
  std::string text = ".stage vertex\n.registers pa:8 sa:24 r:32\n" + directives + ".primary\n" + code + "\n";
  for (unsigned k = 0; k < kResults; ++k)
    text += "or o" + std::to_string(k) + ", r" + std::to_string(k) + ", #0, rot:0\n";
  auto program = assemble(text + "emit.end\n", "test.usse");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return {};
  program->vertex = {};  // o as it is
  Words results;
  Engine engine;
  bool failed = false;
  for (const test::Way& way : test::all_ways(engine)) {
    Launch launch(warpjit::Program(std::make_shared<const Shader>(*program)));
    std::vector<std::uint32_t> in, out(threads * kRows * 4);
    for (unsigned thread = 0; thread < threads; ++thread)
      for (const float value : operands[thread % operands.size()]) in.push_back(bits(value));
    for (unsigned n = 0; n < 2; ++n)
      EXPECT_TRUE(launch
                      .bind_input("pa" + std::to_string(4 * n),
                                  {in.data() + 4 * n, 4 * (in.size() - 4 * n), 32, f32x4})
                      .ok());
    for (unsigned n = 0; n < kRows; ++n)
      EXPECT_TRUE(launch
                      .bind_output("slots" + std::to_string(n),
                                   {out.data() + 4 * n, 4 * (out.size() - 4 * n), 16 * kRows, f32x4})
                      .ok());
    if (bind) bind(launch);
    EXPECT_TRUE(launch.set_count(threads));
    launch.set_fuel(1000);
    const auto report = engine.run(launch, way.options);
    if (error != nullptr) {
      EXPECT_FALSE(report.ok()) << way.name;
      const std::string message = report ? "" : report.error().message;
      if (!failed) *error = message;
      EXPECT_EQ(message, *error) << way.name;
      failed = true;
      continue;
    }
    EXPECT_TRUE(report.ok()) << way.name << ": " << to_string(report.error());
    if (results.empty()) results = out;
    const auto differs = tests::first_difference(out, results);
    EXPECT_EQ(out, results) << way.name << ", thread " << differs / (4 * kRows) << ", r"
                            << differs % (4 * kRows) << '\n'
                            << code;
  }
  return results;
}

}  // namespace warpjit::usse
