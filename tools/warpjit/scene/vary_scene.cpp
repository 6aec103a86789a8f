#include "scene/vary_scene.h"

#include <cstring>

#include "device/pica200/command_list.h"

namespace warpjit::tool {

namespace {

bool is_address(std::uint32_t id) {
  return (id >= 0x085 && id <= 0x08A) || id == 0x095 || id == 0x09D || id == 0x11C || id == 0x11D;
}
bool may_change(std::uint32_t id) { return id >= 0x040 && id < 0x1E0 && !is_address(id); }

}  // namespace

SceneVariation::SceneVariation(const Scene& scene) {
  for (const SceneJob& job : scene.jobs) {
    const auto* list = std::get_if<CommandList>(&job);
    if (list == nullptr) continue;
    for (std::size_t piece = 0; piece < scene.memory.size(); ++piece) {
      const SceneMemory& memory = scene.memory[piece];
      if (list->address < memory.address) continue;
      const std::size_t begin = list->address - memory.address;
      if (begin > memory.bytes.size() || list->bytes > memory.bytes.size() - begin) continue;
      std::vector<std::uint32_t> words(list->bytes / 4);
      std::memcpy(words.data(), memory.bytes.data() + begin, words.size() * 4);
      for (std::size_t at = 0; at + 1 < words.size();) {
        const auto command = pica200::read_command(words, at);
        if (!command) break;
        for (std::size_t n = 0; n <= command->others.size(); ++n) {
          const std::uint32_t id = command->id + (command->consecutive ? static_cast<std::uint32_t>(n) : 0);
          if (may_change(id)) places_[id].push_back({piece, begin + 4 * (n == 0 ? at : at + 1 + n)});
        }
        at += command->words;
      }
    }
  }
  for (const auto& [id, places] : places_) ids_.push_back(id);
}

void SceneVariation::vary(Scene& scene, Random& random) const {
  if (empty()) return;
  for (unsigned count = 1 + random.below(6); count > 0; --count) {
    const std::vector<Place>& places = places_.at(ids_[random.below(static_cast<unsigned>(ids_.size()))]);
    const auto pick = [&] {
      const Place& place = places[random.below(static_cast<unsigned>(places.size()))];
      return scene.memory[place.piece].bytes.data() + place.offset;
    };
    std::byte* const to = pick();
    std::uint32_t word = 0;
    std::memcpy(&word, to, 4);
    switch (random.below(8)) {
      case 0:
        word = static_cast<std::uint32_t>(random.next() >> 32);
        break;
      case 1:
        std::memcpy(&word, pick(), 4);
        break;
      default:
        word ^= 1U << random.below(32);
    }
    std::memcpy(to, &word, 4);
  }
}

}  // namespace warpjit::tool
