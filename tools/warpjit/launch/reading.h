// A launch file while it is read: one function for each part of it. Everything in it is hostile until it has
// been checked; an error names the file and the field.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "files.h"
#include "launch/json_field.h"
#include "launch/launch_file.h"

namespace warpjit::tool {

struct Reading {
  JsonField root;
  const FileReader& files;
  const Guest* guest = nullptr;
  LaunchFile launch{};
  // Registers that have a value, and the field that gave it.
  std::map<std::pair<LocationKind, std::uint16_t>, std::string> claimed{};
  std::map<std::string, std::size_t> buffers_of_files{};
  std::map<std::string, std::shared_ptr<const std::vector<std::byte>>> shared_files{};
  std::uint64_t file_bytes = 0;  // of all of these, and of what is made of them
  std::uint32_t instances = 0;   // of the draw whose vertex stage this is; 0: no such stage

  // Marks a register as set by `field`; a second time is an error.
  Status claim(const JsonField& field, const Location& location);
  // So many bytes more of this launch's files. Errors: resource_limit.
  Status count_bytes(const JsonField& field, std::size_t bytes);
  // The file that a field names, read once.
  Result<std::shared_ptr<const std::vector<std::byte>>> shared_file(const JsonField& field);
};

// A number at `key`, or what it is without.
Result<std::uint32_t> number_at(const JsonField& object, std::string_view key, std::int64_t low,
                                std::int64_t high, std::uint32_t otherwise);
// At most `most` words, or floats as their bits: an array, or the name of a file of words.
Status read_word_list(const FileReader& files, const JsonField& field, std::size_t most, bool floats,
                      std::vector<std::uint32_t>& words);
// A register or a declared name. Errors list both.
Result<Location> read_location(const Reading& reading, const JsonField& field, const std::string& text,
                               LocationKind kind);

// ---- Rows and primitives (read_rows.cpp)
Status read_uniforms(Reading& reading);
Status read_state(Reading& reading);
Status read_inputs(Reading& reading);
// A declared uniform of which no register is set is an error, and a declared input of which one is not.
Status check_declared(const Reading& reading);

// ---- Primitives (read_geometry.cpp)
// The key `geometry`: what it does not give stays as the container says.
Status read_geometry_input(Reading& reading);
// The key `expect.triangles`.
Status read_triangles(Reading& reading, const JsonField& field);

// ---- Grids (read_grid.cpp)
// A guest address in a space.
Result<std::uint64_t> read_address(const JsonField& field, const frontend::SpaceName& space);
// Extents, parameters and memory.
Status read_grid(Reading& reading);
Status read_parameters(Reading& reading);
// A space of the program, or that of its results.
Result<frontend::SpaceName> find_space(const Reading& reading, const std::string& name);

// ---- Vertices whose programs fetch attributes and store results themselves (read_fetching_vertices.cpp)
// Numbers, attributes, parameters and memory.
Status read_fetching_vertices(Reading& reading);

// The key `memory` alone, of graphics programs.
Status read_memory(Reading& reading);

// ---- Pixels (read_pixels.cpp)
// Targets, state, indices, and vertices without a vertex stage, which is read already.
Status read_pixels(Reading& reading);
// The key `expect`.
Status read_pictures(Reading& reading, const JsonField& field);

// ---- Textures and samplers, of all kinds of work (read_textures.cpp)
Status read_textures(Reading& reading);

// ---- Images whose texels are in memory (read_images.cpp)
Status read_images(Reading& reading);

// ---- Buffers that programs name by tables and entries (read_buffers.cpp)
Status read_buffers(Reading& reading);

// ---- Results (read_results.cpp)
Status read_outputs(Reading& reading);
Status read_expectations(Reading& reading);

}  // namespace warpjit::tool
