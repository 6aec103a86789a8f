#include "device/valhall/kept_pictures.h"

namespace warpjit::valhall {
namespace {

std::uint64_t bytes_of(const KeptPicture& picture) { return picture.bytes.size() + picture.known.size(); }

}  // namespace

const KeptPicture* KeptPictures::find(std::uint64_t address) const {
  const auto found = pictures_.find(address);
  return found == pictures_.end() ? nullptr : &found->second;
}

const KeptPicture* KeptPictures::find_over(std::uint64_t address, std::uint64_t size) const {
  // None overlap: only the last one that begins before these bytes may reach into them.
  auto at = pictures_.upper_bound(address);
  if (at != pictures_.begin()) {
    const auto& [begin, picture] = *std::prev(at);
    if (address - begin < picture.size) return &picture;
  }
  return at != pictures_.end() && at->first - address < size ? &at->second : nullptr;
}

void KeptPictures::forget(std::uint64_t address, std::uint64_t size) {
  while (const KeptPicture* picture = find_over(address, size)) {
    bytes_ -= bytes_of(*picture);
    pictures_.erase(picture->address);
  }
}

Status KeptPictures::keep(KeptPicture picture) {
  forget(picture.address, picture.size);
  if (bytes_of(picture) > kMaxKeptBytes - bytes_)
    return Error{ErrorCode::resource_limit,
                 picture.place + ": the pictures of targets in AFBC are more than " +
                     std::to_string(kMaxKeptBytes) + " bytes",
                 ""};
  bytes_ += bytes_of(picture);
  const std::uint64_t address = picture.address;
  pictures_.insert_or_assign(address, std::move(picture));
  return {};
}

}  // namespace warpjit::valhall
