// SPDX-License-Identifier: BSL-1.0
// Every operator and every element type it takes, from one description: as a type and as a loaded model it is the same
// graph and gives the same bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <ctnn/model.hpp>
#include <ctnn/typed.hpp>

#include "support/every_operator.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// 1, 2, 3 and over again; floating-point ones with quarters.
void fill(array& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t whole = 1 + i % 3;
    const float f = static_cast<float>(whole) + 0.25f * static_cast<float>(i * 5 % 4);
    switch (a.type()) {
      case dtype::f32: a.elements<float>()[i] = f; break;
      case dtype::f64: a.elements<double>()[i] = static_cast<double>(f); break;
      case dtype::f16: a.elements<std::uint16_t>()[i] = float_to_half(f); break;
      case dtype::bf16: a.elements<std::uint16_t>()[i] = float_to_bfloat(f); break;
      case dtype::boolean: a.elements<bool>()[i] = true; break;
      default:
        switch (size_of(a.type())) {
          case 8: a.elements<std::uint64_t>()[i] = whole; break;
          case 4: a.elements<std::uint32_t>()[i] = static_cast<std::uint32_t>(whole); break;
          case 2: a.elements<std::uint16_t>()[i] = static_cast<std::uint16_t>(whole); break;
          default: a.elements<std::uint8_t>()[i] = static_cast<std::uint8_t>(whole);
        }
    }
  }
}

template <dtype T>
struct described {
  static constexpr graph_capacity size = capacity_of(test::every_operator(T).g.view());
  static constexpr frozen_graph<size> made{test::every_operator(T).g.view()};
  struct net : decltype(ir::detail::lift_all<made>())::type {};  // a name of its own: GCC writes it in every symbol
};

std::set<std::string_view> seen;  ///< operators

template <dtype T>
void check_both() {
  CAPTURE(std::string(name_of(T)));
  using net = typename described<T>::net;
  const graph_view g = described<T>::made.view();
  for (const node& n : g.nodes) seen.insert(n.type->name);
  ir::graph named = thaw(g);  // outputs that nobody named have the names of their layers in a type
  for (std::size_t o = 0; o < named.outputs.size(); ++o) named.outputs[o].name = declared_graph<net>.outputs[o].name;
  for (node& n : named.nodes)  // and inputs that nobody reads say so
    if (n.type == &type_of<op::input> && g.at_value(n.outputs.first).readers == 0) {
      op::input p = decode<op::input>(g.fields_of(n.fields));
      p.unused = true;
      const field_values f = encode(p);
      n.fields = named.store_fields({f.data(), f.size()});
    }
  CHECK(test::identical(declared_graph<net>, named.view()));

  // The loaded one
  loaded_model m;
  m.network = thaw(g);
  std::vector<named_weight> weights;
  for (const expression& e : g.expressions) {
    auto numbers = std::make_shared<array>(e.shape, e.element);
    fill(*numbers);
    m.set_weight(e, numbers);
    weights.push_back({e.layer, e.name, span_of(*numbers)});
  }
  static parameters<net> packed{zeros};
  const problem_report report = load(packed, weights);
  CAPTURE(describe(report.found));
  REQUIRE(!report.found);
  const model loaded(std::move(m), {.optimize = false, .keep_weights = true});
  extractor ex = loaded.extractor();

  // The declared one
  static engine<net> run(packed);
  std::vector<array> fed;
  std::vector<const float*> addresses;
  for (const node& n : g.nodes) {
    if (n.type != &type_of<op::input>) continue;
    const ir::value& v = g.at_value(n.outputs.first);
    fill(fed.emplace_back(v.shape, v.type));
    ex.input(v.name, fed.back());
  }
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    using type = engine<net>;
    run.run(typename type::template input_span<I>(
        fed[I].template elements<cpp_type<executable<net>::input_type(I)>>().data(), type::template input_size<I>)...);
  }(std::make_index_sequence<engine<net>::inputs>{});
  [&]<std::size_t... O>(std::index_sequence<O...>) {
    const auto same = [&](std::size_t o, const void* got, std::size_t bytes) {
      const ir::value& v = g.at_value(g.outputs[o].value);
      CAPTURE(v.name);
      const array want = ex.extract(o);
      if (want.shape() == v.shape) {
        REQUIRE(want.bytes().size() == bytes);
      } else {
        REQUIRE(want.bytes().size() <= bytes);  // detections are as many as they are
      }
      CHECK((want.bytes().empty() || std::memcmp(got, want.bytes().data(), want.bytes().size()) == 0));
    };
    (same(O, run.template output<O>().data(), run.template output<O>().size_bytes()), ...);
  }(std::make_index_sequence<engine<net>::outputs>{});
}

}  // namespace

TEST_CASE("f32, declared and loaded") { check_both<dtype::f32>(); }
TEST_CASE("f64, declared and loaded") { check_both<dtype::f64>(); }
TEST_CASE("f16, declared and loaded") { check_both<dtype::f16>(); }
TEST_CASE("i64, declared and loaded") { check_both<dtype::i64>(); }
TEST_CASE("i8, declared and loaded") { check_both<dtype::i8>(); }
TEST_CASE("booleans, declared and loaded") { check_both<dtype::boolean>(); }

TEST_CASE("every operator is among them") {
  for (const loaded_kernel& k : typed_kernels()) {
    const std::string name(k.type->name);
    // Recurrent and quantised ones have tests of their own.
    bool elsewhere = false;
    for (const char* part : {"rnn", "gru", "lstm", "quant", "integer", "int8"})
      elsewhere = elsewhere || name.find(part) != std::string::npos;
    CHECK_MESSAGE((elsewhere || seen.contains(k.type->name)), name);
  }
}
