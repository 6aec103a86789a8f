// Sessions at places of a file: what their traces show agrees with compiled code, and steps lead to what registers are.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "debug/any_capture.h"
#include "support/source_dir.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {

// Sorted.
inline std::vector<std::string> files_of(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

class Traces {
 public:
  explicit Traces(const std::string& file) : file_(file) {
    auto capture = tool::load_any_capture(file);
    EXPECT_TRUE(capture.ok()) << to_string(capture.error());
    if (!capture) return;
    auto session = DebugSession::open(*capture);
    EXPECT_TRUE(session.ok());
    if (session) session_.emplace(std::move(*session));
  }
  // False: there is no such place.
  bool go(const std::string& text) {
    if (!session_) return false;
    SCOPED_TRACE(file_ + ", " + text);
    const auto place = DebugPlace::parse(text);
    EXPECT_TRUE(place.ok());
    const Status gone = session_->go(*place);
    if (!gone && gone.error().code == ErrorCode::bad_input) return false;
    EXPECT_TRUE(gone.ok()) << to_string(gone.error());
    if (!gone) return false;
    EXPECT_TRUE(session_->end().ok()) << to_string(session_->end().error());
    EXPECT_EQ(session_->difference(), "");
    EXPECT_GT(session_->steps(), 0u);
    follow();
    return true;
  }
  DebugSession& session() { return *session_; }
  // What all steps so far did, as bits of DebugStep.
  unsigned happened() const { return happened_; }

 private:
  // Each step goes on from the last one, and leads to what the session says that registers are: in all lanes at the end,
  // in the place's own after each of the first steps.
  void follow() {
    constexpr std::uint64_t kFirst = 12;
    DebugSession& session = *session_;
    words_.clear();
    ASSERT_TRUE(session.go_to(0).ok());
    for (unsigned lane = 0; lane < session.lanes(); ++lane)
      for (unsigned word = 0; word < session.words(); ++word)
        if (const std::uint32_t value = *session.value(word, lane); value != 0) words_[{word, lane}] = value;
    for (std::uint64_t n = 0; n < session.steps(); ++n) {
      const auto step = session.step(n);
      ASSERT_TRUE(step.ok());
      EXPECT_NE(session.text(step->address), "") << step->address;
      happened_ |= step->happened;
      for (const auto& write : step->writes) {
        EXPECT_EQ(write.before, (words_[{write.word, write.lane}])) << session.name(write.word);
        words_[{write.word, write.lane}] = write.after;
      }
      if (n >= kFirst) continue;
      ASSERT_TRUE(session.go_to(n + 1).ok());
      compare(session.lane());
    }
    ASSERT_TRUE(session.go_to(session.steps()).ok());
    for (unsigned lane = 0; lane < session.lanes(); ++lane) compare(lane);
  }
  void compare(unsigned lane) {
    DebugSession& session = *session_;
    for (unsigned word = 0; word < session.words(); ++word) {
      const auto known = words_.find({word, lane});
      EXPECT_EQ(known == words_.end() ? 0 : known->second, *session.value(word, lane))
          << session.name(word) << ", lane " << lane;
    }
  }

  std::string file_;
  std::optional<DebugSession> session_;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> words_;  // that are not 0, by word and lane
  unsigned happened_ = 0;
};

}  // namespace warpjit::tests
