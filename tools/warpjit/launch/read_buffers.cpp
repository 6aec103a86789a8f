// Buffers in memory that programs name by tables and entries.
#include "launch/grid_fields.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMostBuffers = 64;

}  // namespace

Status read_buffers(Reading& reading) {
  const auto field = reading.root.find("table_buffers");
  if (!field) return {};
  if (!reading.launch.program->traits().memory.tables)
    return field->error("programs of this guest have no tables of buffers");
  WARPJIT_CHECK(field->expect_most(kMostBuffers, "buffers"));
  for (std::size_t k = 0; k < field->size(); ++k) {
    WARPJIT_CHECK(buffer_fields().read_all(field->at(k), reading.launch.grid.buffers.emplace_back()));
  }
  return {};
}

}  // namespace warpjit::tool
