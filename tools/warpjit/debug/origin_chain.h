// The way of a value through stages and earlier draws: from an origin to those of what wrote the memory in which it
// ends, and so on.
#pragma once

#include <set>
#include <vector>

#include "debug/debugger.h"

namespace warpjit::tool {

class OriginChain {
 public:
  // At most `most` values of a thread and `draws` threads of earlier draws. `special`: only NaNs and infinities.
  OriginChain(DebugSession& session, bool special, std::size_t most, std::size_t draws)
      : session_(session), special_(special), most_(most), draws_(draws) {}

  // The nodes of an origin of the thread at which the session stands; those that memory gave say who wrote them.
  Result<Json> nodes(const DebugOrigin& origin);
  // Then: where NaNs and infinities were born in the programs of the vertices of the fragment's primitive.
  Result<Json> births_of_vertices();
  // At last: the origins of what wrote that memory, and of what wrote the memory in which these end. The session goes
  // there and comes back.
  Result<Json> earlier();

 private:
  Result<Json> earlier(const DebugWriter& writer);

  DebugSession& session_;
  bool special_;
  std::size_t most_, draws_;
  std::vector<DebugWriter> writers_;  // in the order in which they were found
  std::set<std::string> seen_;
};

// A word, its lane, and the step before which it is looked at.
struct AskedWord {
  unsigned word = 0, lane = 0;
  std::uint64_t step = 0;
};
// The last NaN or infinity that the thread gave. Errors: bad_input: it gave none.
Result<AskedWord> last_nan(DebugSession& session);
// Whether a NaN or an infinity was there before the program: the rasterizer interpolated it.
bool comes_from_vertices(const DebugOrigin& origin);

}  // namespace warpjit::tool
