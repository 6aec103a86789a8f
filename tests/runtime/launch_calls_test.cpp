// The table of docs/embedding.md: which calls of a launch a program's guest and stage have.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/shader.h"
#include "runtime/shaders.h"
#include "warpjit/pica200.hpp"
#include "warpjit/tesla.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit::test {
namespace {

Program program_of(Isa isa, Stage stage) {
  const auto loaded = [&]() -> Result<Program> {
    switch (isa) {
      case Isa::pica200: {
        const std::uint32_t end[] = {0x88000000};
        return pica200::load_words({.code = end, .stage = stage});
      }
      case Isa::tesla: {
        const std::uint32_t exit[] = {0x30000003, 0x00000780};
        return tesla::load_words({.code = exit, .stage = stage});
      }
      case Isa::valhall: {
        const std::uint64_t end[] = {0x7800c00000000000};
        return valhall::load_words({.code = end, .stage = stage});
      }
      case Isa::usse:
        break;
    }
    const std::string text = std::string(".stage ") + name(stage) + "\n.primary\nvmov.f32 o0.xy, pa0\n";
    WARPJIT_TRY(auto program,
                usse::assemble(text + (stage == Stage::vertex ? "emit.end" : "nop.end"), "test.usse"));
    return Program(std::make_shared<const usse::Shader>(std::move(program)));
  }();
  EXPECT_TRUE(loaded) << name(isa) << " " << name(stage) << ": " << to_string(loaded.error());
  return *loaded;
}

// Each call with arguments that all programs which have it take.
struct Calls {
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(1024);
  std::array<float, 4> row{};

  Status map_memory(Launch& launch) {
    return launch.map_memory(launch.program().isa() == Isa::tesla ? "g0" : "mem", 0, words.data(), 64);
  }
  Status set_vertex_stage(Launch& launch) {
    const Isa isa = launch.program().isa();
    Launch vertex(program_of(isa, Stage::vertex));
    return launch.set_vertex_stage(vertex, isa == Isa::pica200 ? 1 : 0);
  }
  Status set_uniform(Launch& launch) {
    return launch.set_uniform(launch.program().isa() == Isa::usse ? "sa0" : "c0", row);
  }
  Status bind_input(Launch& launch) {
    for (const char* name : {"v0", "a0", "pa0", "u0"})
      if (const Status status = launch.bind_input(name, {row.data(), 16, 0, f32x4}); status) return status;
    return launch.bind_input("v0", {row.data(), 16, 0, f32x4});
  }
  Status bind_output(Launch& launch) {
    for (const char* name : {"o0", "r0", "slots0"})
      if (const Status status = launch.bind_output(name, {row.data(), 16, 16, f32x4}); status) return status;
    return launch.bind_output("o0", {row.data(), 16, 16, f32x4});
  }
  Status bind_unit(Launch& launch) {
    return launch.bind_unit(std::span(words).first(launch.program().unit_words()));
  }
  Status set_texture(Launch& launch) {
    Texture texture;
    texture.format = *parse_texture_format("rgba8");
    texture.width = texture.height = 4;
    texture.data = words.data();
    texture.size = 64;
    return launch.set_texture(0, texture);
  }

  std::map<std::string, std::function<Status(Launch&)>> all() {
    const std::uint32_t one[] = {1};
    return {
        {"set_count", [](Launch& it) { return it.set_count(1); }},
        {"set_instances", [](Launch& it) { return it.set_instances(1); }},
        {"set_uniform", [this](Launch& it) { return set_uniform(it); }},
        {"set_bits",
         [this](Launch& it) {
           return it.set_bits(it.program().isa() == Isa::usse ? "sa0" : "c0", std::span(words).first(4));
         }},
        {"set_int", [one](Launch& it) { return it.set_int("i0", one); }},
        {"set_bool", [](Launch& it) { return it.set_bool("b0", true); }},
        {"set_state", [one](Launch& it) { return it.set_state("r0", one); }},
        {"bind_input", [this](Launch& it) { return bind_input(it); }},
        {"bind_output", [this](Launch& it) { return bind_output(it); }},
        {"set_allow_overlap", [](Launch& it) { return it.set_allow_overlap(true); }},
        {"set_geometry_input", [](Launch& it) { return it.set_geometry_input({}); }},
        {"set_vertex_stage", [this](Launch& it) { return set_vertex_stage(it); }},
        {"set_primitives", [](Launch& it) { return it.set_primitives({}); }},
        {"bind_triangles", [](Launch& it) { return it.bind_triangles({}); }},
        {"bind_unit", [this](Launch& it) { return bind_unit(it); }},
        {"set_grid", [](Launch& it) { return it.set_grid(1); }},
        {"set_block", [](Launch& it) { return it.set_block(1); }},
        {"set_first_block", [](Launch& it) { return it.set_first_block(0); }},
        {"set_shared_bytes", [](Launch& it) { return it.set_shared_bytes(16); }},
        {"set_parameters", [this](Launch& it) { return it.set_parameters(std::as_bytes(std::span(row))); }},
        {"bind_constants", [this](Launch& it) { return it.bind_constants("c0", row.data(), 16); }},
        {"map_memory", [this](Launch& it) { return map_memory(it); }},
        {"set_images", [](Launch& it) { return it.set_images({}); }},
        {"set_buffers", [](Launch& it) { return it.set_buffers({}); }},
        {"set_first_vertex", [](Launch& it) { return it.set_first_vertex(0); }},
        {"set_attributes", [](Launch& it) { return it.set_attributes({}); }},
        {"map_results", [this](Launch& it) { return it.map_results(words.data(), 64, 16); }},
        {"set_texture", [this](Launch& it) { return set_texture(it); }},
        {"set_sampler", [](Launch& it) { return it.set_sampler(0, {}); }},
        {"set_raster_state", [](Launch& it) { return it.set_raster_state({}); }},
        {"set_output_state", [](Launch& it) { return it.set_output_state({}); }},
        {"set_target_size", [](Launch& it) { return it.set_target_size(1, 1); }},
        {"bind_color", [](Launch& it) { return it.bind_color(0, {}); }},
        {"bind_depth", [](Launch& it) { return it.bind_depth({}); }},
        {"bind_pass_counts", [](Launch& it) { return it.bind_pass_counts({}); }},
        {"bind_vertices", [](Launch& it) { return it.bind_vertices({}); }},
        {"set_indices", [](Launch& it) { return it.set_indices({}); }},
        {"set_geometry_stage",
         [](Launch& it) { return it.set_geometry_stage(Launch(program_of(Isa::tesla, Stage::geometry))); }},
    };
  }
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const auto first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
  }
  return cells;
}

// Rows of the document: calls, and a column for each guest and stage, which its two first rows name.
TEST(LaunchCalls, AreThoseOfTheDocument) {
  const std::vector<std::byte> bytes = read_file(tests::source_file("docs/embedding.md"));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t begin = text.find("| call | PICA200");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(text.substr(begin));
  std::string line;
  std::getline(lines, line);
  std::vector<std::pair<Isa, Stage>> columns;
  for (const std::string& head : cells_of(line)) {
    std::string lower;
    for (const char c : head) lower += static_cast<char>(std::tolower(c));
    const std::size_t space = lower.find(' ');
    if (space == std::string::npos) continue;
    const auto isa = parse_isa(lower.substr(0, space));
    const auto stage = parse_stage(lower.substr(space + 1));
    ASSERT_TRUE(isa && stage) << head;
    columns.emplace_back(*isa, *stage);
  }
  ASSERT_EQ(columns.size(), 11u);
  std::getline(lines, line);
  Calls calls;
  auto left = calls.all();
  while (std::getline(lines, line) && !line.empty() && line[0] == '|') {
    const std::vector<std::string> cells = cells_of(line);
    ASSERT_EQ(cells.size(), columns.size() + 1) << line;
    std::istringstream names(cells[0]);
    for (std::string call; names >> call;) {
      std::erase_if(call, [](char c) { return c == ',' || c == '`'; });
      const auto found = left.find(call);
      ASSERT_NE(found, left.end()) << call;
      for (std::size_t n = 0; n < columns.size(); ++n) {
        Launch launch(program_of(columns[n].first, columns[n].second));
        const Status status = found->second(launch);
        EXPECT_EQ(status.ok(), cells[n + 1] == "yes")
            << call << " of " << name(columns[n].first) << " " << name(columns[n].second) << ": "
            << (status ? "" : to_string(status.error()));
      }
      left.erase(found);
    }
  }
  for (const auto& [call, with] : left) ADD_FAILURE() << call << " is not in the table";
}

}  // namespace
}  // namespace warpjit::test
