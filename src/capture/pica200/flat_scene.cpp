#include "capture/pica200/flat_scene.h"

#include <algorithm>
#include <array>
#include <set>

#include "capture/memory_writer.h"
#include "device/pica200/gpu.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kListSize0 = 0x238, kJump0 = 0x23C, kJump1 = 0x23D;
constexpr std::size_t kMostWords = std::size_t{1} << 24;  // of all lists
constexpr std::size_t kMostJumps = std::size_t{1} << 12;
constexpr std::uint32_t kListUnit = 16;

bool is_jump(std::uint32_t id) { return id == kJump0 || id == kJump1; }
bool is_trigger(std::uint32_t id) { return id == kDrawArrays || id == kDrawElements; }

// Memory as jobs find it, but for what the GPU writes, and the registers that say where lists go on.
class Lists {
 public:
  explicit Lists(const Scene& scene) : memory_(scene.memory) {
    for (const RegisterWrite& write : scene.registers) set(write.id, write.value, 15);
  }

  void load(const MemoryLoad& load) {
    std::byte* const to = find(load.address, load.size);
    if (to == nullptr || load.size == 0) return;
    if (load.bytes.empty())
      std::fill_n(to, load.size, std::byte{});
    else
      std::ranges::copy(load.bytes, to);
  }
  void load(const StateLoad& state) {
    GpuState gpu;
    if (!gpu.load(*state.bytes)) return;
    for (std::uint32_t n = 0; n < registers_.size(); ++n) registers_[n] = gpu.get_register(kListSize0 + n);
  }

  // None: it does not end, is cut, or is too long.
  std::optional<FlatList> read(CommandList list) {
    FlatList flat;
    std::set<std::array<std::uint32_t, 5>> jumps;
    for (;;) {
      const auto next = read_one(list, flat);
      if (!next) return std::nullopt;
      if (*next == kEnd) return flat;
      const std::uint32_t channel = *next;
      if (jumps.size() == kMostJumps ||
          !jumps.insert({channel, registers_[0], registers_[1], registers_[2], registers_[3]}).second)
        return std::nullopt;
      constexpr std::uint32_t kSizeBits = 0x1FFFFF;
      list = {registers_[2 + channel] << 3, (registers_[channel] & kSizeBits) << 3};
    }
  }

 private:
  static constexpr std::uint32_t kEnd = 2;

  std::byte* find(std::uint32_t address, std::uint32_t size) {
    for (SceneMemory& piece : memory_)
      if (address >= piece.address && address - piece.address <= piece.bytes.size() &&
          size <= piece.bytes.size() - (address - piece.address))
        return piece.bytes.data() + (address - piece.address);
    return nullptr;
  }

  void set(std::uint32_t id, std::uint32_t value, unsigned mask) {
    if (id < kListSize0 || id >= kJump0) return;
    std::uint32_t bits = 0;
    for (unsigned n = 0; n < 4; ++n)
      if ((mask >> n & 1) != 0) bits |= 0xFFU << 8 * n;
    std::uint32_t& word = registers_[id - kListSize0];
    word = (word & ~bits) | (value & bits);
  }

  // Where it goes on: a channel, or kEnd.
  std::optional<std::uint32_t> read_one(const CommandList& list, FlatList& flat) {
    const std::uint32_t bytes = list.bytes & ~(kListUnit - 1);
    if (bytes == 0) return kEnd;
    const std::byte* const data = find(list.address, bytes);
    const std::size_t words = bytes / 4;
    words_ += words;
    if (data == nullptr || words_ > kMostWords) return std::nullopt;
    const auto word = [&](std::size_t n) {
      std::uint32_t value = 0;
      for (std::size_t k = 0; k < 4; ++k) value |= std::to_integer<std::uint32_t>(data[4 * n + k]) << 8 * k;
      return value;
    };
    for (std::size_t at = 0; at + 1 < words;) {
      const std::uint32_t header = word(at + 1), others = header >> 20 & 0xFF;
      FlatPacket packet{header & 0xFFFF, static_cast<std::uint8_t>(header >> 16 & 15), header >> 31 != 0, {}};
      if (at + 2 + others > words) return std::nullopt;
      packet.values.push_back(word(at));
      for (std::uint32_t n = 0; n < others; ++n) packet.values.push_back(word(at + 2 + n));
      at += (2 + others + 1) / 2 * 2;
      if (packet.mask == 0) continue;
      if (const auto jump = add(packet, flat)) return jump;
    }
    return kEnd;
  }

  // Registers one by one, so that each can be left out; values that go to one register stay together, but for
  // triggers. The channel of a jump, which is left out, and ends the packet.
  std::optional<std::uint32_t> add(const FlatPacket& packet, FlatList& flat) {
    if (!packet.consecutive && !is_jump(packet.id) && !is_trigger(packet.id)) {
      set(packet.id, packet.values.back(), packet.mask);
      flat.push_back(packet);
      return std::nullopt;
    }
    for (std::size_t n = 0; n < packet.values.size(); ++n) {
      const std::uint32_t id = packet.id + (packet.consecutive ? static_cast<std::uint32_t>(n) : 0);
      if (is_jump(id)) return id - kJump0;
      set(id, packet.values[n], packet.mask);
      flat.push_back({id, packet.mask, false, {packet.values[n]}});
    }
    return std::nullopt;
  }

  std::vector<SceneMemory> memory_;
  std::array<std::uint32_t, 4> registers_{};
  std::size_t words_ = 0;
};

void put(std::vector<std::byte>& bytes, std::uint32_t word) {
  for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::byte>(word >> 8 * n));
}

std::vector<std::byte> bytes_of(const FlatList& list) {
  std::vector<std::byte> bytes;
  for (const FlatPacket& packet : list) {
    const auto others = static_cast<std::uint32_t>(packet.values.size() - 1);
    put(bytes, packet.values[0]);
    put(bytes, packet.id | std::uint32_t{packet.mask} << 16 | others << 20 |
                   (packet.consecutive ? std::uint32_t{1} << 31 : 0));
    for (std::size_t n = 1; n < packet.values.size(); ++n) put(bytes, packet.values[n]);
    if (others % 2 != 0) put(bytes, 0);
  }
  // Zeros write nothing.
  while (bytes.size() % kListUnit != 0) bytes.push_back(std::byte{});
  return bytes;
}

// Behind all memory, else before it.
std::optional<std::uint32_t> free_address(const Scene& scene, std::uint64_t size) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  std::uint64_t first = kEnd, last = 0;
  for (const SceneMemory& piece : scene.memory) {
    first = std::min<std::uint64_t>(first, piece.address);
    last = std::max<std::uint64_t>(last, std::uint64_t{piece.address} + piece.bytes.size());
  }
  const std::uint64_t behind = (last + capture::kPageBytes - 1) / capture::kPageBytes * capture::kPageBytes;
  if (behind + size <= kEnd) return static_cast<std::uint32_t>(behind);
  if (size + capture::kPageBytes <= first)
    return static_cast<std::uint32_t>((first - size) / capture::kPageBytes * capture::kPageBytes);
  return std::nullopt;
}

}  // namespace

bool FlatPacket::draws() const { return is_trigger(id) && mask != 0; }

FlatScene flatten(const Scene& scene) {
  FlatScene flat{scene, {}};
  Lists lists(scene);
  for (const SceneJob& job : scene.jobs) {
    std::optional<FlatList>& list = flat.lists.emplace_back();
    if (const auto* commands = std::get_if<CommandList>(&job)) list = lists.read(*commands);
    if (const auto* load = std::get_if<MemoryLoad>(&job)) lists.load(*load);
    if (const auto* state = std::get_if<StateLoad>(&job)) lists.load(*state);
  }
  return flat;
}

std::optional<Scene> with_lists(const FlatScene& flat) {
  std::vector<std::byte> bytes;
  std::vector<CommandList> lists(flat.lists.size());  // addresses from 0 on
  for (std::size_t n = 0; n < flat.lists.size(); ++n) {
    if (!flat.lists[n]) continue;
    const std::vector<std::byte> list = bytes_of(*flat.lists[n]);
    lists[n] = {static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(list.size())};
    bytes.insert(bytes.end(), list.begin(), list.end());
  }
  Scene scene = flat.scene;
  const auto address = free_address(scene, bytes.size());
  if (!address || (!bytes.empty() && scene.memory.size() == kMaxMemoryRanges)) return std::nullopt;
  for (std::size_t n = 0; n < lists.size(); ++n)
    if (flat.lists[n]) scene.jobs[n] = CommandList{*address + lists[n].address, lists[n].bytes};
  if (!bytes.empty()) scene.memory.push_back({*address, std::move(bytes)});
  return scene;
}

}  // namespace warpjit::pica200
