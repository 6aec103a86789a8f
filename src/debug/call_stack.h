// The calls that a thread is in, as the addresses of its steps show them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "debug/code_facts.h"
#include "warpjit/debug.hpp"

namespace warpjit::debug {

class CallStack {
 public:
  // `lines`: the program's instructions, by address.
  CallStack(const CodeFacts& code, const std::map<std::uint32_t, std::string>& lines) {
    for (auto line = lines.begin(); line != lines.end(); ++line)
      if (code.calls(line->first) && std::next(line) != lines.end())
        backs_.emplace(line->first, std::next(line)->first);
    for (const auto& [call, back] : backs_) calls_of_.emplace(back, call);
  }
  bool has_calls() const { return !backs_.empty(); }

  // The thread executes the instruction at `address` in that step. If the last one was a call and the thread goes on
  // right after it, nothing was called. At the place where a call comes back, that call and those inside of it have
  // ended: procedures may end at the same instruction.
  void come_to(std::uint64_t step, std::uint32_t address) {
    if (pending_) {
      if (address != pending_->back) calls_.push_back(*pending_);
      if (calls_.size() > DebugSession::kMostCalls) calls_.erase(calls_.begin());
      pending_.reset();
    } else if (calls_of_.contains(address)) {
      for (std::size_t k = calls_.size(); k-- > 0;)
        if (calls_[k].back == address) {
          calls_.resize(k);
          break;
        }
    }
    if (const auto call = backs_.find(address); call != backs_.end())
      pending_ = DebugCall{step, address, call->second};
  }
  // The outermost one first.
  const std::vector<DebugCall>& calls() const { return calls_; }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> backs_;     // where calls come back, by address
  std::unordered_map<std::uint32_t, std::uint32_t> calls_of_;  // the other way round
  std::optional<DebugCall> pending_;                           // the last instruction, which may have called
  std::vector<DebugCall> calls_;
};

}  // namespace warpjit::debug
