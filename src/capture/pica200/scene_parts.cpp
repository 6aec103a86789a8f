// What scenes can do without.
#include <algorithm>
#include <array>
#include <map>

#include "capture/memory_writer.h"
#include "capture/pica200/scene_frames.h"
#include "capture/vertex_slices.h"
#include "device/pica200/gpu.h"

namespace warpjit::pica200 {
namespace {

using capture::Part;

// Where each frame begins, by numbers of jobs, and where the last one ends.
std::vector<std::size_t> frame_bounds(const Scene& scene) {
  std::vector<std::size_t> bounds = {0};
  for (const std::size_t end : scene.frame_ends)
    if (end > bounds.back() && end < scene.jobs.size()) bounds.push_back(end);
  bounds.push_back(scene.jobs.size());
  return bounds;
}

FlatScene without_jobs(const FlatScene& from, const std::vector<bool>& left_out) {
  FlatScene flat = from;
  flat.scene.jobs.clear();
  flat.scene.frame_ends.clear();
  flat.lists.clear();
  auto end = from.scene.frame_ends.begin();
  for (std::size_t n = 0; n < from.scene.jobs.size(); ++n) {
    for (; end != from.scene.frame_ends.end() && *end <= n; ++end)
      if (const std::size_t job = flat.scene.jobs.size();
          job != 0 && (flat.scene.frame_ends.empty() || flat.scene.frame_ends.back() != job))
        flat.scene.frame_ends.push_back(job);
    if (left_out[n]) continue;
    flat.scene.jobs.push_back(from.scene.jobs[n]);
    flat.lists.push_back(from.lists[n]);
  }
  return flat;
}

// Of packets that trigger draws, or of all others.
template <class Visit>
void each_packet(const FlatScene& flat, bool draws, Visit visit) {
  for (std::size_t job = 0; job < flat.lists.size(); ++job)
    if (flat.lists[job])
      for (std::size_t n = 0; n < flat.lists[job]->size(); ++n)
        if ((*flat.lists[job])[n].draws() == draws) visit(job, n);
}

FlatScene without_packets(const FlatScene& from, bool draws, const std::vector<bool>& left_out) {
  FlatScene flat = from;
  for (std::optional<FlatList>& list : flat.lists)
    if (list) list->clear();
  std::size_t part = 0;
  for (std::size_t job = 0; job < from.lists.size(); ++job)
    if (from.lists[job])
      for (const FlatPacket& packet : *from.lists[job])
        if (packet.draws() != draws || !left_out[part++]) flat.lists[job]->push_back(packet);
  return flat;
}

// Registers that say which vertices a draw has, as they are at each.
struct DrawVertices {
  std::size_t job = 0, packet = 0;  // its trigger
  std::uint32_t count = 0, first = 0, list = 0;
  capture::VertexSlices vertices() const { return {count}; }
};

std::vector<DrawVertices> draw_vertices(const FlatScene& flat) {
  std::vector<DrawVertices> draws;
  std::array<std::uint32_t, kRegisterCount> registers{};
  for (const RegisterWrite& write : flat.scene.registers)
    if (write.id < kRegisterCount) registers[write.id] = write.value;
  for (std::size_t job = 0; job < flat.lists.size(); ++job) {
    if (const auto* state = std::get_if<StateLoad>(&flat.scene.jobs[job])) {
      GpuState gpu;
      if (!gpu.load(*state->bytes)) continue;
      for (const std::uint32_t id : {kIndexList, kVertexCount, kFirstVertex})
        registers[id] = gpu.get_register(id);
    }
    if (!flat.lists[job]) continue;
    for (std::size_t n = 0; n < flat.lists[job]->size(); ++n) {
      const FlatPacket& packet = (*flat.lists[job])[n];
      if (packet.draws())
        draws.push_back({job, n, registers[kVertexCount], registers[kFirstVertex], registers[kIndexList]});
      else if (packet.mask == 15 && !packet.consecutive && packet.id < kRegisterCount)
        registers[packet.id] = packet.values.back();
    }
  }
  return draws;
}

// Draws have those from the first to the last slice that stays. After each, registers are as they were.
FlatScene without_vertices(const FlatScene& from, const std::vector<bool>& left_out) {
  FlatScene flat = from;
  std::size_t part = left_out.size();
  std::vector<DrawVertices> draws = draw_vertices(from);
  for (auto draw = draws.rbegin(); draw != draws.rend(); ++draw) {
    part -= draw->vertices().slices();
    const capture::VertexSlices::Range kept = draw->vertices().kept(left_out, part);
    if (kept.size() == draw->count) continue;
    const auto begin = static_cast<std::uint32_t>(kept.begin), end = static_cast<std::uint32_t>(kept.end);
    FlatList& list = *flat.lists[draw->job];
    const bool indexed = list[draw->packet].id == kDrawElements;
    const std::uint32_t moved =
        indexed ? draw->list + begin * (draw->list >> 31 != 0 ? 2 : 1) : draw->first + begin;
    const std::uint32_t start = indexed ? kIndexList : kFirstVertex;
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(draw->packet);
    const FlatPacket behind[] = {{kVertexCount, 15, false, {draw->count}},
                                 {start, 15, false, {indexed ? draw->list : draw->first}}};
    const FlatPacket before[] = {{kVertexCount, 15, false, {end - begin}}, {start, 15, false, {moved}}};
    const auto trigger = list.insert(at + 1, std::begin(behind), std::end(behind)) - 1;
    list.insert(trigger, std::begin(before), std::end(before));
  }
  return flat;
}

// Pages of memory that are not all zeros.
template <class Memory, class Visit>
void each_page(Memory& memory, Visit visit) {
  for (auto& piece : memory)
    for (std::size_t at = 0; at < piece.bytes.size(); at += capture::kPageBytes) {
      const std::span page =
          std::span(piece.bytes)
              .subspan(at, std::min<std::size_t>(capture::kPageBytes, piece.bytes.size() - at));
      if (std::ranges::any_of(page, [](std::byte byte) { return byte != std::byte{}; })) visit(page);
    }
}

}  // namespace

const FlatScene& SceneFrames::flat() const {
  std::call_once(flattened_, [&] {
    if (!flat_) flat_ = std::make_shared<const FlatScene>(flatten(scene_));
  });
  return *flat_;
}

std::size_t SceneFrames::parts(Part part) const {
  std::size_t count = 0;
  switch (part) {
    case Part::frame:
      return frame_bounds(scene_).size() - 1;
    case Part::job:
      return scene_.jobs.size();
    case Part::draw:
    case Part::state:
      each_packet(flat(), part == Part::draw, [&](std::size_t, std::size_t) { ++count; });
      return count;
    case Part::vertices:
      for (const DrawVertices& draw : draw_vertices(flat())) count += draw.vertices().slices();
      return count;
    case Part::memory:
      each_page(flat().scene.memory, [&](std::span<const std::byte>) { ++count; });
      return count;
    case Part::expected:
      return static_cast<std::size_t>(std::ranges::count_if(
          scene_.outputs, [](const SceneOutput& output) { return output.expected.has_value(); }));
  }
  return 0;
}

std::size_t SceneFrames::vertices() const {
  std::size_t count = 0;
  for (const DrawVertices& draw : draw_vertices(flat())) count += draw.count;
  return count;
}

std::unique_ptr<const capture::Frames> SceneFrames::without(Part part,
                                                            const std::vector<bool>& left_out) const {
  FlatScene changed;
  std::size_t n = 0;
  switch (part) {
    case Part::frame: {
      const std::vector<std::size_t> bounds = frame_bounds(scene_);
      std::vector<bool> jobs(scene_.jobs.size());
      for (; n < left_out.size(); ++n)
        std::fill(jobs.begin() + static_cast<std::ptrdiff_t>(bounds[n]),
                  jobs.begin() + static_cast<std::ptrdiff_t>(bounds[n + 1]), left_out[n]);
      changed = without_jobs(flat(), jobs);
      break;
    }
    case Part::job:
      changed = without_jobs(flat(), left_out);
      break;
    case Part::draw:
    case Part::state:
      changed = without_packets(flat(), part == Part::draw, left_out);
      break;
    case Part::vertices:
      changed = without_vertices(flat(), left_out);
      break;
    case Part::memory:
      changed = flat();
      each_page(changed.scene.memory, [&](std::span<std::byte> page) {
        if (left_out[n++]) std::ranges::fill(page, std::byte{});
      });
      break;
    case Part::expected:
      changed = flat();
      for (SceneOutput& output : changed.scene.outputs)
        if (output.expected && left_out[n++]) output.expected.reset();
      break;
  }
  auto scene = with_lists(changed);
  if (!scene) return nullptr;
  auto frames = std::make_unique<SceneFrames>(std::move(*scene), name_);
  frames->flat_ = std::make_shared<const FlatScene>(std::move(changed));
  return frames;
}

}  // namespace warpjit::pica200
