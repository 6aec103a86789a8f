#include "ir/parser.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/verifier.h"

namespace warpjit::ir {
namespace {

struct Position {
  std::uint32_t line = 1, column = 1;
};

enum class Kind : std::uint8_t { end, word, number, value, address, string, mark };

struct Token {
  Kind kind = Kind::end;
  Position position;
  std::string_view text;     // of a word or mark
  std::uint64_t number = 0;  // of a number, value (%n) or address (@n)
  std::string string;
};

Error error_at(Position position, std::string message, ErrorCode code = ErrorCode::bad_input) {
  return {code, std::move(message), std::to_string(position.line) + ":" + std::to_string(position.column)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<Token> next() {
    skip_blanks();
    Token token;
    token.position = position_;
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    const std::size_t start = at_;
    if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) step();
      token.kind = Kind::word;
      token.text = text_.substr(start, at_ - start);
    } else if (is_digit(c)) {
      token.kind = Kind::number;
      WARPJIT_CHECK(number(token));
    } else if (c == '%' || c == '@') {
      step();
      token.kind = c == '%' ? Kind::value : Kind::address;
      WARPJIT_CHECK(number(token));
      if (token.number >= kNoAddress) return error_at(token.position, "number too large");
    } else if (c == '"') {
      token.kind = Kind::string;
      WARPJIT_CHECK(string(token));
    } else if (c == '<' && at_ + 1 < text_.size() && text_[at_ + 1] == '-') {
      step(), step();
      token.kind = Kind::mark;
      token.text = text_.substr(start, 2);
    } else if (c == ':' || c == ',' || c == '=' || c == '{' || c == '}') {
      step();
      token.kind = Kind::mark;
      token.text = text_.substr(start, 1);
    } else {
      return error_at(position_, "unexpected character");
    }
    return token;
  }

 private:
  void step() {
    if (text_[at_++] == '\n')
      ++position_.line, position_.column = 1;
    else
      ++position_.column;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';')
        while (at_ < text_.size() && text_[at_] != '\n') step();
      else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        step();
      else
        return;
    }
  }

  // Decimal, or hexadecimal after 0x; 64 bits.
  Status number(Token& token) {
    const bool hex = at_ + 1 < text_.size() && text_[at_] == '0' && text_[at_ + 1] == 'x';
    if (hex) step(), step();
    const std::uint64_t base = hex ? 16 : 10;
    const std::size_t start = at_;
    while (at_ < text_.size()) {
      const int digit = hex ? hex_digit(text_[at_]) : is_digit(text_[at_]) ? text_[at_] - '0' : -1;
      if (digit < 0) break;
      if (token.number > (~std::uint64_t{0} - static_cast<std::uint64_t>(digit)) / base)
        return error_at(token.position, "number too large");
      token.number = token.number * base + static_cast<std::uint64_t>(digit);
      step();
    }
    if (at_ == start) return error_at(position_, "digits expected");
    return {};
  }

  Status string(Token& token) {
    step();
    for (;;) {
      if (at_ == text_.size() || text_[at_] == '\n') return error_at(token.position, "string without end");
      const char c = text_[at_];
      step();
      if (c == '"') return {};
      if (c != '\\') {
        token.string += c;
        continue;
      }
      if (at_ == text_.size()) return error_at(token.position, "string without end");
      const char escape = text_[at_];
      if (escape == '"' || escape == '\\') {
        token.string += escape;
        step();
      } else if (escape == 'x' && at_ + 2 < text_.size() && hex_digit(text_[at_ + 1]) >= 0 &&
                 hex_digit(text_[at_ + 2]) >= 0) {
        token.string += static_cast<char>(hex_digit(text_[at_ + 1]) * 16 + hex_digit(text_[at_ + 2]));
        step(), step(), step();
      } else {
        return error_at(position_, "unknown escape");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Position position_;
};

const std::unordered_map<std::string_view, Opcode>& opcode_names() {
  static const std::unordered_map<std::string_view, Opcode> kNames = [] {
    std::unordered_map<std::string_view, Opcode> names;
    for (int k = 0; k < kOpcodeCount; ++k)
      names.emplace(info(static_cast<Opcode>(k)).name, static_cast<Opcode>(k));
    return names;
  }();
  return kNames;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<Function> run() {
    WARPJIT_CHECK(advance());
    WARPJIT_CHECK(header());
    while (!is_mark("}")) WARPJIT_CHECK(block());
    WARPJIT_CHECK(advance());
    if (token_.kind != Kind::end) return error_at(token_.position, "text after the end of the function");
    WARPJIT_CHECK(build());
    if (Status valid = verify(f_); !valid)
      return Error{ErrorCode::bad_input, valid.error().message, valid.error().where};
    return std::move(f_);
  }

 private:
  // An instruction as it stands in the text; its values are named by number until all are known.
  struct Record {
    Opcode opcode = Opcode::Return;
    Position position;
    std::uint32_t block = 0;
    std::uint64_t immediate = 0;
    std::uint32_t guest_address = kNoAddress;
    std::uint32_t first_result = 0, results = 0;    // into results_
    std::uint32_t first_operand = 0, operands = 0;  // into operands_
    std::uint32_t first_block = 0, blocks = 0;      // into blocks_: targets, or where phi operands come from
    std::uint64_t backward = 0;
  };
  struct ResultRecord {
    Type type;
    Uniformity uniformity;
  };
  struct BlockRecord {
    std::uint32_t id;
    Position position;
    Edges predecessors;
  };

  Status advance() {
    WARPJIT_TRY(token_, lexer_.next());
    return {};
  }
  bool is_mark(std::string_view text) const { return token_.kind == Kind::mark && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == Kind::word && token_.text == text; }
  Error expected(const std::string& what) const { return error_at(token_.position, what + " expected"); }

  Status mark(std::string_view text) {
    if (!is_mark(text)) return expected(std::string("`").append(text).append("`"));
    return advance();
  }
  Status word(std::string_view text) {
    if (!is_word(text)) return expected(std::string("`").append(text).append("`"));
    return advance();
  }
  Status number(std::uint64_t& out, std::uint64_t most) {
    if (token_.kind != Kind::number) return expected("number");
    if (token_.number > most) return error_at(token_.position, "number is above " + std::to_string(most));
    out = token_.number;
    return advance();
  }
  Status field(std::string_view label, std::uint32_t& out, std::uint32_t most) {
    WARPJIT_CHECK(word(label));
    std::uint64_t n = 0;
    WARPJIT_CHECK(number(n, most));
    out = static_cast<std::uint32_t>(n);
    return {};
  }
  Status optional_address(std::uint32_t& out) {
    if (token_.kind != Kind::address) return {};
    out = static_cast<std::uint32_t>(token_.number);
    return advance();
  }

  // b<number>
  bool at_block_name() const {
    return token_.kind == Kind::word && token_.text.size() > 1 && token_.text[0] == 'b' &&
           is_digit(token_.text[1]);
  }
  Status block_name(Block& out) {
    if (!at_block_name()) return expected("block");
    std::uint32_t id = 0;
    for (const char c : token_.text.substr(1)) {
      if (!is_digit(c)) return expected("block");
      id = id * 10 + static_cast<std::uint32_t>(c - '0');
      if (id >= kMaxTextBlocks)
        return error_at(token_.position, "block number too large", ErrorCode::resource_limit);
    }
    out = Block{id};
    return advance();
  }

  Status header() {
    WARPJIT_CHECK(word("function"));
    if (token_.kind != Kind::string) return expected("name in quotes");
    f_.name = token_.string;
    WARPJIT_CHECK(advance());
    if (is_word("group"))
      f_.form = Form::group;
    else if (!is_word("thread"))
      return expected("`thread` or `group`");
    WARPJIT_CHECK(advance());
    WARPJIT_CHECK(field("inputs", f_.input_count, kMaxBindings));
    WARPJIT_CHECK(field("outputs", f_.output_count, kMaxBindings));
    WARPJIT_CHECK(field("uniform", f_.uniform_bytes, kMaxUniformBytes));
    WARPJIT_CHECK(field("slots", f_.slot_count, kMaxSlots));
    if (is_word("frame")) WARPJIT_CHECK(field("frame", f_.frame_slots, kMaxSlots));
    if (is_word("pixels")) {
      f_.pixels = true;
      WARPJIT_CHECK(advance());
      WARPJIT_CHECK(field("primitive", f_.primitive_bytes, kMaxPrimitiveBytes));
      WARPJIT_CHECK(field("planes", f_.tile_planes, kMaxTilePlanes));
    }
    if (is_word("textures")) WARPJIT_CHECK(field("textures", f_.texture_count, kMaxTextureCount));
    while (is_word("source")) WARPJIT_CHECK(source());
    if (is_word("lanes")) WARPJIT_CHECK(field("lanes", f_.group_lanes, kMaxGroupLanes));
    if (is_word("groups")) WARPJIT_CHECK(field("groups", f_.block_groups, kMaxBlockGroups));
    if (is_word("inner")) WARPJIT_CHECK(field("inner", f_.inner_groups, kMaxBlockGroups));
    if (is_word("order")) {
      WARPJIT_CHECK(advance());
      for (const LaneOrder order : {LaneOrder::taken_first, LaneOrder::lowest_address_first})
        if (is_word(name(order))) f_.lane_order = order;
      if (f_.lane_order == LaneOrder::none) return expected("order of lanes");
      WARPJIT_CHECK(advance());
    }
    if (is_word("may_widen")) {
      f_.may_widen = true;
      WARPJIT_CHECK(advance());
    }
    return mark("{");
  }

  Status source() {
    if (f_.samples.size() >= kMaxTextureCount) return error_at(token_.position, "too many sources");
    SampleSource made;
    WARPJIT_CHECK(field("source", made.words, kMaxUniformBytes));
    WARPJIT_CHECK(word("key"));
    Status status;
    each_field(made.key, [&](auto& value, unsigned values) {
      std::uint64_t n = 0;
      if (status) status = number(n, values - 1);
      value = static_cast<std::remove_reference_t<decltype(value)>>(n);
    });
    f_.samples.push_back(made);
    return status;
  }

  Status sample(Record& record) {
    SampleUse use;
    bool known = false;
    for (unsigned k = 0; k < kSampleOperations && !known; ++k) {
      use.operation = static_cast<SampleOperation>(k);
      known = is_word(name(use.operation));
    }
    if (!known) return expected("what to sample");
    WARPJIT_CHECK(advance());
    std::uint64_t n = 0;
    WARPJIT_CHECK(number(n, kMaxTextureCount));
    use.source = static_cast<std::uint16_t>(n);
    WARPJIT_CHECK(word("components"));
    WARPJIT_CHECK(number(n, 15));
    use.components = static_cast<std::uint8_t>(n);
    if (is_word("offsets")) {
      WARPJIT_CHECK(advance());
      for (std::int8_t& offset : use.offsets) {
        WARPJIT_CHECK(number(n, 255));
        offset = static_cast<std::int8_t>(n);
      }
    }
    if (is_word("component")) {
      WARPJIT_CHECK(advance());
      WARPJIT_CHECK(number(n, 3));
      use.component = static_cast<std::uint8_t>(n);
    }
    if (is_word("from_quad")) {
      use.from_quad = true;
      WARPJIT_CHECK(advance());
    }
    record.immediate = use.pack();
    return {};
  }

  Status block() {
    BlockRecord record;
    record.position = token_.position;
    Block b;
    WARPJIT_CHECK(block_name(b));
    record.id = b.id;
    if (b.id < known_.size() && known_[b.id]) return error_at(record.position, "block stands twice");
    if (known_.size() <= b.id) known_.resize(b.id + 1);
    known_[b.id] = true;
    while (f_.block_count() <= b.id) f_.add_block();
    WARPJIT_CHECK(mark(":"));
    if (is_mark("<-")) {
      do {
        WARPJIT_CHECK(advance());
        Block predecessor;
        WARPJIT_CHECK(block_name(predecessor));
        record.predecessors.push_back(predecessor);
      } while (is_mark(","));
    }
    WARPJIT_CHECK(optional_address(f_.block(b).guest_address));
    while (!is_mark("}") && !at_block_name()) WARPJIT_CHECK(instruction(b));
    block_records_.push_back(std::move(record));
    return {};
  }

  Status result() {
    if (token_.kind != Kind::value) return expected("value");
    const auto number = static_cast<std::uint32_t>(token_.number);
    if (!values_.emplace(number, Value{static_cast<std::uint32_t>(results_.size())}).second)
      return error_at(token_.position, "value is defined twice");
    WARPJIT_CHECK(advance());
    WARPJIT_CHECK(mark(":"));
    ResultRecord record{Type::none, Uniformity::varying};
    for (const Type type : {Type::i1, Type::i32, Type::f32})
      if (is_word(name(type))) record.type = type;
    if (record.type == Type::none) return expected("type");
    WARPJIT_CHECK(advance());
    for (const Uniformity uniformity : {Uniformity::launch, Uniformity::group, Uniformity::varying})
      if (is_word(name(uniformity))) {
        record.uniformity = uniformity;
        WARPJIT_CHECK(advance());
        break;
      }
    results_.push_back(record);
    return {};
  }

  Status instruction(Block b) {
    Record record;
    record.block = b.id;
    record.first_result = static_cast<std::uint32_t>(results_.size());
    if (token_.kind == Kind::value) {
      WARPJIT_CHECK(result());
      while (is_mark(",")) {
        WARPJIT_CHECK(advance());
        WARPJIT_CHECK(result());
      }
      WARPJIT_CHECK(mark("="));
    }
    record.results = static_cast<std::uint32_t>(results_.size()) - record.first_result;
    record.position = token_.position;
    if (token_.kind != Kind::word) return expected("opcode");
    const auto found = opcode_names().find(token_.text);
    if (found == opcode_names().end()) return error_at(token_.position, "no such opcode");
    record.opcode = found->second;
    const OpcodeInfo& row = info(record.opcode);
    if (record.results != row.results.size())
      return error_at(record.position,
                      std::string(row.name) + " has " + std::to_string(row.results.size()) + " results");
    for (std::uint32_t k = 0; k < record.results; ++k)
      if (record.opcode != Opcode::Phi &&
          results_[record.first_result + k].type != type_of_letter(row.results[k]))
        return error_at(record.position, "result " + std::to_string(k) + " of " + std::string(row.name) +
                                             " is " + std::string(name(type_of_letter(row.results[k]))));
    WARPJIT_CHECK(advance());
    bool first = true;
    if (row.has_immediate()) {
      WARPJIT_CHECK(immediate(record));
      first = false;
    }
    WARPJIT_CHECK(operands(record, row, first));
    WARPJIT_CHECK(optional_address(record.guest_address));
    records_.push_back(record);
    return {};
  }

  Status immediate(Record& record) {
    switch (info(record.opcode).immediate) {
      case ImmediateKind::truth:
        if (!is_word("true") && !is_word("false")) return expected("`true` or `false`");
        record.immediate = is_word("true") ? 1 : 0;
        return advance();
      case ImmediateKind::word:
        return number(record.immediate, 0xffffffffu);
      case ImmediateKind::uniform_rows:
      case ImmediateKind::input_rows:
      case ImmediateKind::output_rows: {
        std::uint64_t rows = 0;
        WARPJIT_CHECK(number(record.immediate, 0xffffffffu));
        WARPJIT_CHECK(word("rows"));
        WARPJIT_CHECK(number(rows, 0xffffffffu));
        record.immediate |= rows << 32;
        return {};
      }
      case ImmediateKind::input: {
        WARPJIT_CHECK(number(record.immediate, 0xffffffffu));
        if (!is_word("numbered")) return {};
        std::uint64_t numbers = 0;
        WARPJIT_CHECK(advance());
        WARPJIT_CHECK(number(numbers, kMaxBindings));
        record.immediate |= (numbers + 1) << 32;
        return {};
      }
      case ImmediateKind::sample:
        return sample(record);
      default:
        return number(record.immediate, ~std::uint64_t{0});
    }
  }

  // Values, then a terminator's targets; a phi's values each after the block they come from.
  Status operands(Record& record, const OpcodeInfo& row, bool first) {
    record.first_operand = static_cast<std::uint32_t>(operands_.size());
    record.first_block = static_cast<std::uint32_t>(blocks_.size());
    const bool phi = record.opcode == Opcode::Phi;
    auto separator = [&]() -> Status {
      if (!first) return mark(",");
      first = false;
      return {};
    };
    const std::size_t wanted = row.operands.size();
    for (std::size_t k = 0; phi ? (k == 0 ? at_block_name() : is_mark(",")) : k < wanted; ++k) {
      WARPJIT_CHECK(separator());
      if (phi) {
        Block from;
        WARPJIT_CHECK(block_name(from));
        blocks_.push_back(from);
        WARPJIT_CHECK(mark(":"));
      }
      if (token_.kind != Kind::value) return expected("value");
      operands_.push_back({static_cast<std::uint32_t>(token_.number), token_.position});
      WARPJIT_CHECK(advance());
    }
    record.operands = static_cast<std::uint32_t>(operands_.size()) - record.first_operand;
    if (row.terminator && record.opcode != Opcode::Return) {
      for (std::uint32_t k = 0; k == 0 || is_mark(","); ++k) {
        if (k >= kMaxSwitchTargets)
          return error_at(token_.position, "too many targets", ErrorCode::resource_limit);
        WARPJIT_CHECK(separator());
        Block target;
        WARPJIT_CHECK(block_name(target));
        blocks_.push_back(target);
        if (!is_word("backward")) continue;
        if (k >= 64) return error_at(token_.position, "only the first 64 edges can be backward");
        record.backward |= std::uint64_t{1} << k;
        WARPJIT_CHECK(advance());
      }
    }
    record.blocks = static_cast<std::uint32_t>(blocks_.size()) - record.first_block;
    return {};
  }

  // Makes the function of the records. Values get the indices that result() gave them: both count results in
  // the order of the text.
  Status build() {
    std::vector<Value> values;
    for (const Record& record : records_) {
      values.clear();
      for (std::uint32_t k = 0; k < record.operands; ++k) {
        const auto& [number, position] = operands_[record.first_operand + k];
        const auto found = values_.find(number);
        if (found == values_.end())
          return error_at(position,
                          std::string("%").append(std::to_string(number)).append(" is not defined"));
        values.push_back(found->second);
      }
      const Type phi_type = record.opcode == Opcode::Phi ? results_[record.first_result].type : Type::none;
      const Inst made = f_.make(record.opcode, values, record.immediate, phi_type);
      f_.inst(made).guest_address = record.guest_address;
      for (std::uint32_t k = 0; k < record.results; ++k)
        f_.value(f_.result(made, k)).uniformity = results_[record.first_result + k].uniformity;
      const Block home{record.block};
      f_.append(home, made);
      if (!info(record.opcode).terminator) continue;
      const std::span<const Block> targets(blocks_.data() + record.first_block, record.blocks);
      for (Block target : targets)
        if (target.id >= known_.size() || !known_[target.id])
          return error_at(record.position, "target b" + std::to_string(target.id) + " does not exist");
      if (!f_.block(home).successors.empty()) return error_at(record.position, "block has two terminators");
      f_.set_successors(home, targets);
      f_.block(home).backward = record.backward;
    }
    for (const BlockRecord& record : block_records_) {
      auto& predecessors = f_.block(Block{record.id}).predecessors;
      Edges found = predecessors, stated = record.predecessors;
      std::sort(found.begin(), found.end());
      std::sort(stated.begin(), stated.end());
      if (found != stated) return error_at(record.position, "these are not the block's predecessors");
      predecessors = record.predecessors;
    }
    for (const Record& record : records_) {
      if (record.opcode != Opcode::Phi) continue;
      const auto& predecessors = f_.block(Block{record.block}).predecessors;
      const std::span<const Block> from(blocks_.data() + record.first_block, record.blocks);
      if (!std::equal(from.begin(), from.end(), predecessors.begin(), predecessors.end()))
        return error_at(record.position, "the phi does not follow the order of the predecessors");
    }
    return {};
  }

  Lexer lexer_;
  Token token_;
  Function f_;
  std::vector<bool> known_;  // blocks that stand in the text
  std::vector<BlockRecord> block_records_;
  std::vector<Record> records_;
  std::vector<ResultRecord> results_;
  struct OperandRecord {
    std::uint32_t number;
    Position position;
  };
  std::vector<OperandRecord> operands_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint32_t, Value> values_;
};

}  // namespace

Result<Function> parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) return error_at({}, "text too long", ErrorCode::resource_limit);
  return Parser(text).run();
}

}  // namespace warpjit::ir
