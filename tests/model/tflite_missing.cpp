// SPDX-License-Identifier: BSL-1.0
// What ctnn does not have of TensorFlow Lite's operators, as examples/ctnn/README.md lists it.
// CTNN_WRITE_README=1 test_model --source-file='*tflite_missing.cpp' writes that list.
#include <filesystem>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

// Behind what it is made of.
#include <ctnn/formats/tflite/operators.hpp>

#include "support/page_section.hpp"
#include "support/tflite_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;
namespace fs = std::filesystem;

namespace {

/// What reading one operator of so many inputs of this type says.
std::string said_of(std::string_view op, int inputs, fb::type type, const fb::scales& q) {
  fb::subgraph g;
  fb::shape in;
  for (int i = 0; i < inputs; ++i) in.push_back(g.tensor("in" + std::to_string(i), type, {1, 4, 4, 4}, q));
  const int out = g.tensor("out", type, {1, 4, 4, 4}, q);
  g.op(op, in, {out});
  const std::string file = g.file(in, {out});
  try {
    onnx::build(tflite::parse_model(std::as_bytes(std::span(file)), "m"));
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool is_known(std::string_view op) {
  // Those that call other graphs are read before any table is asked.
  return op == "IF" || op == "WHILE" || op == "CALL_ONCE" || tflite::find_operator(tflite::domain, op);
}
/// Is a known operator refused, with any number of inputs that it takes, because integers stand for real numbers?
bool lacks(std::string_view op, fb::type type, const char* word) {
  if (op == "IF" || op == "WHILE" || op == "CALL_ONCE") return false;
  bool refused = false;
  for (int inputs = 1; inputs <= 3; ++inputs) {
    const std::string said = said_of(op, inputs, type, {{0.01f}, {0}});
    const bool too_few = said.find(" inputs, expected ") != said.npos || said.find(" is missing") != said.npos;
    const bool says_so = said.find(std::string("quantized ") + word) != said.npos;
    if (!too_few && !says_so) return false;  // it has come further
    refused = refused || says_so;
  }
  return refused;
}
/// Those of the operators for which this is so, in lines of at most 120 columns, and how many.
template <class Is>
std::pair<int, std::string> listed(Is is) {
  std::string out, line;
  int count = 0;
  for (const std::string_view op : tflite::operator_names) {
    if (op == "CUSTOM" || op == "DELEGATE" || op == "PLACEHOLDER_FOR_GREATER_OP_CODES" || !is(op)) continue;
    const std::string word = (count++ == 0 ? "" : ", ") + std::string(op);
    if (line.size() + word.size() > 118) {
      out += line + ",\n";
      line = op;
    } else {
      line += word;
    }
  }
  return {count, out + line + ".\n"};
}

}  // namespace

TEST_CASE("the list of TensorFlow Lite's operators that are missing is what the reader does not know") {
  CHECK(is_known("ADD"));
  CHECK(lacks("EXP", fb::i16, "i16"));
  CHECK_FALSE(lacks("ADD", fb::i16, "i16"));
  CHECK_FALSE(lacks("EXP", fb::i8, "i8"));
  CHECK(said_of("CONV_3D", 2, fb::f32, {}).find("CONV_3D") != std::string::npos);
  const fs::path readme = fs::path(__FILE__).parent_path() / "../../examples/ctnn/README.md";
  if (!fs::exists(readme)) {
    MESSAGE("SKIPPED: no " << readme.string());
    return;
  }
  const auto all = listed([](std::string_view) { return true; }),
             missing = listed([](std::string_view op) { return !is_known(op) && !op.starts_with("STABLEHLO_"); }),
             of_xla = listed([](std::string_view op) { return !is_known(op) && op.starts_with("STABLEHLO_"); }),
             bytes = listed([](std::string_view op) { return is_known(op) && lacks(op, fb::i8, "i8"); }),
             wide = listed([](std::string_view op) { return is_known(op) && lacks(op, fb::i16, "i16"); });
  test::check_section(readme, "What is missing of TensorFlow Lite",
                      "Of " + std::to_string(all.first) + " operators of TensorFlow Lite, " +
                          std::to_string(missing.first + of_xla.first) + " are missing, " +
                          std::to_string(of_xla.first) + " STABLEHLO_ ones and\n" + missing.second +
                          "\nOf the others, " + std::to_string(bytes.first) +
                          " have no kernel of int8 that stands for real numbers:\n" + bytes.second + "\nAnd " +
                          std::to_string(wide.first) + " have none of int16:\n" + wide.second,
                      1);
}
