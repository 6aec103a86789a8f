#include "debug/whole_run.h"

#include <algorithm>
#include <bit>

#include "debug/saved_memory.h"
#include "frontend/interpret/pixels.h"
#include "frontend/listing_lines.h"
#include "warpjit/listing.hpp"

namespace warpjit::debug {

using interpret::ObservedGroup;
using runtime::ObservedPart;

bool WholeRun::draw(const CaptureDraw& draw) {
  draw_ = draw.number + 1;
  return goes_on();
}

Status WholeRun::before(runtime::LaunchState& launch, const RunOptions& options) {
  using enum ObservedPart::Program;
  ++launches_;
  for (const ObservedPart::Program which : {vertex, geometry, own})
    if (const runtime::LaunchData* const holder = runtime::holder_of(launch, which); holder != nullptr)
      WARPJIT_CHECK(look_at(launch, *holder, which, options));
  return {};
}

void WholeRun::begin_program(const runtime::LaunchState& launch, const runtime::LaunchData& holder) {
  const frontend::Shader& shader = *holder.shader;
  threads_end_ = 0;
  for (const frontend::RegisterBank& bank : shader.register_banks())
    if (bank.of == frontend::RegisterBank::Of::thread)
      threads_end_ = std::max(threads_end_, bank.first + unsigned{bank.registers} * bank.components);
  const auto listing = disassemble(holder.program);
  lines_ = listing ? frontend::lines_of(*listing) : std::map<std::uint32_t, std::string>();
  code_ = CodeFacts(shader);
  stage_ = shader.stage();
  launch_ = &launch;
  rows_ = 0;
  fragments_.clear();
}

Status WholeRun::look_at(runtime::LaunchState& launch, const runtime::LaunchData& holder,
                         ObservedPart::Program which, const RunOptions& options) {
  if (holder.shader->register_banks().empty() || !wants(launch, which)) return {};
  begin_program(launch, holder);
  SavedMemory memory;
  Status status;
  WARPJIT_CHECK(memory.lend(runtime::written_memory(launch), [&] {
    status =
        runtime::run_observed(engine_.state(), launch, {.program = which, .whole = true}, *this, options);
  }));
  // What ends the programs, the run itself says.
  return status.ok() || status.error().code != ErrorCode::cancelled ? Status() : status;
}

bool WholeRun::observes(const ObservedGroup& group) {
  group_ = group;
  if (group.kind == ObservedGroup::Kind::block)
    running_[static_cast<std::uint32_t>(group.first)] = {group.lanes, 0};
  else
    running_.clear();
  if (group.kind == ObservedGroup::Kind::rows) {
    group_.first = rows_;
    rows_ += static_cast<unsigned>(std::popcount(group.lanes));
  }
  if (group.kind == ObservedGroup::Kind::quads) {
    quads_.clear();
    for (const interpret::Quad& quad : group.quads)
      for (unsigned pixel = 0; pixel < 4; ++pixel) {
        Fragment fragment{static_cast<std::uint32_t>(quad.x) + (pixel & 1),
                          static_cast<std::uint32_t>(quad.y) + (pixel >> 1), 0};
        fragment.y = runtime::other_row(*launch_->pixels, fragment.y);
        if ((quad.coverage >> pixel & 1) != 0)
          fragment.number = fragments_[std::uint64_t{fragment.y} << 32 | fragment.x]++;
        quads_.push_back(fragment);
      }
  }
  begin_group();
  return true;
}

DebugPlace WholeRun::place_of(unsigned lane) {
  DebugPlace place{.draw = draw_, .step = running().steps};
  switch (group_.kind) {
    case ObservedGroup::Kind::rows:
      place.of = stage_ == Stage::geometry ? DebugPlace::Of::invocation : DebugPlace::Of::vertex;
      place.number = group_.first + lane;
      break;
    case ObservedGroup::Kind::quads:
      place.of = DebugPlace::Of::pixel;
      if (lane < quads_.size()) {
        place.x = quads_[lane].x;
        place.y = quads_[lane].y;
        place.number = quads_[lane].number;
      }
      break;
    case ObservedGroup::Kind::launch:
      place.of = DebugPlace::Of::secondary;
      place.number = launch_->pixels && stage_ == Stage::vertex ? 1 : 0;
      break;
    default: {
      const std::uint64_t thread = std::uint64_t{event().group} + lane;
      if (stage_ == Stage::vertex) {
        place.number = group_.block[1] * std::uint64_t{launch_->values.grid.vertices.count} +
                       group_.block[0] * std::uint64_t{frontend::Vertices::kOfBlock} + thread;
        break;
      }
      place.of = DebugPlace::Of::thread;
      const auto& size = launch_->values.grid.block;
      place.thread = {static_cast<std::uint32_t>(thread % size[0]),
                      static_cast<std::uint32_t>(thread / size[0] % size[1]),
                      static_cast<std::uint32_t>(thread / size[0] / size[1])};
      place.block = {group_.block[0], group_.block[1], group_.block[2]};
    }
  }
  return place;
}

}  // namespace warpjit::debug
