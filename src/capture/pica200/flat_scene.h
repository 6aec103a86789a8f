// Scenes whose command lists can be changed: each is one list without jumps, of packets that do one thing, in memory of
// its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture/pica200/scene.h"

namespace warpjit::pica200 {

struct FlatPacket {
  std::uint32_t id = 0;
  std::uint8_t mask = 0;  // bytes of the register that are written
  bool consecutive = false;
  std::vector<std::uint32_t> values;
  bool draws() const;  // it triggers a draw, and does nothing else
};
using FlatList = std::vector<FlatPacket>;

struct FlatScene {
  Scene scene;  // its command lists are as they were
  // One for each job; none: the job runs no command list, or one that cannot be changed.
  std::vector<std::optional<FlatList>> lists;
};

// Lists are read as memory holds them when their job begins, if no job of the GPU writes lists.
FlatScene flatten(const Scene& scene);
// A scene that runs. None: memory has no room for its lists.
std::optional<Scene> with_lists(const FlatScene& flat);

}  // namespace warpjit::pica200
