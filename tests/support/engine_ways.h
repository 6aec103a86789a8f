// Every engine that runs launches on this machine.
#pragma once

#include <string>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::test {

struct EngineWay {
  RunOptions options;
  std::string name;
};

// The IR interpreter, then compiled code of every target of this machine.
inline std::vector<EngineWay> translating_ways(const Engine& engine) {
  std::vector<EngineWay> ways(1);
  ways[0].options.engine = EngineKind::ir;
  if (engine.info().jit)
    for (const Target target : engine.info().targets) {
      ways.emplace_back().options.engine = EngineKind::jit;
      ways.back().options.target = target;
    }
  for (EngineWay& way : ways)
    way.name = std::string(warpjit::name(way.options.engine)) + "-" + warpjit::name(way.options.target);
  return ways;
}

// The guest interpreter first.
inline std::vector<EngineWay> engine_ways(const Engine& engine) {
  std::vector<EngineWay> ways = translating_ways(engine);
  EngineWay& guest = *ways.emplace(ways.begin());
  guest.options.engine = EngineKind::guest;
  guest.name = warpjit::name(EngineKind::guest);
  return ways;
}

}  // namespace warpjit::test
