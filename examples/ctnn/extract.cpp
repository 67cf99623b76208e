// SPDX-License-Identifier: BSL-1.0
// ctnn extract: a part of a model as a model of its own, checked beside the whole.
#include <ctnn/base/nearest.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/model.hpp>
#include <ctnn/rewrite/verification.hpp>
#if __has_include(<protozero/pbf_writer.hpp>)
#include <ctnn/formats/onnx/write.hpp>
#define CTNN_TOOL_WRITES_ONNX 1
#endif

#include <algorithm>
#include <map>
#include <set>

#include "files.hpp"
#include "inputs.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "rewriting.hpp"
#include "table.hpp"

namespace tool {

namespace {

/// The value called so, or the one that the layer of this name makes.
ir::value_id value_called(const ctnn::loaded_model& m, const std::string& option, const std::string& name) {
  const auto alias = m.aliases.find(name);
  const std::string_view called = alias == m.aliases.end() ? std::string_view(name) : alias->second;
  ir::nearest_name near(name);
  for (std::size_t v = 0; v < m.network.values.size(); ++v) {
    if (m.network.values[v].name == called) return static_cast<ir::value_id>(v);
    near.consider(m.network.values[v].name);
  }
  for (const ir::node& n : m.network.nodes) {
    near.consider(n.name);
    if (n.name != called) continue;
    if (n.outputs.count == 1) return n.outputs.first;
    throw usage_error(option + ' ' + name + ": this layer makes " + std::to_string(n.outputs.count) +
                      " values, expected the name of one");
  }
  throw usage_error(option + ' ' + name + ": the model has no value or layer of this name" + meant(name, near.name()));
}

/// A graph that computes `to` of `from`, and of those inputs of the model that are needed besides.
class cut_graph {
 public:
  cut_graph(const ctnn::loaded_model& m, const std::vector<ir::value_id>& from, const std::vector<ir::value_id>& to)
      : g_(m.network.view()), from_(from.begin(), from.end()), made_(ir::thaw(g_)) {
    made_.nodes = {}, made_.values = {}, made_.outputs = {};
    const std::set<ir::value_id> needed = needed_for(to);
    for (const ir::value_id v : from) {
      if (!needed.contains(v))
        throw usage_error("--from " + std::string(g_.at_value(v).name) + ": no value of --to needs it");
      add_input(v);
    }
    for (const ir::node& n : g_.nodes) {
      bool used = false;
      for (int k = 0; k < n.outputs.count; ++k)
        used = used || (needed.contains(n.outputs.first + k) && !from_.contains(n.outputs.first + k));
      if (used) add(n);
    }
    for (const ir::value_id v : to) ir::add_output(made_, g_.at_value(v).name, now_.at(v));
  }
  ir::graph take() { return std::move(made_); }

 private:
  std::set<ir::value_id> needed_for(const std::vector<ir::value_id>& to) const {
    std::set<ir::value_id> needed(to.begin(), to.end());
    for (std::size_t n = g_.nodes.size(); n-- > 0;) {
      const ir::node& node = g_.nodes[n];
      for (int k = 0; k < node.outputs.count; ++k) {
        const ir::value_id v = node.outputs.first + k;
        if (!needed.contains(v) || from_.contains(v)) continue;
        for (const ir::value_id read : g_.inputs(node)) needed.insert(read);
      }
    }
    return needed;
  }
  void add_input(ir::value_id v) {
    const ir::value& old = g_.at_value(v);
    ctnn::op::input op;
    for (int k = 0; k < old.shape.rank; ++k) op.shape.push_back(old.shape[k]);
    op.type = old.type.type;
    op.as = old.type.real;
    ir::node n;
    n.type = &ir::type_of<ctnn::op::input>;
    n.name = old.name;
    n.fields = made_.store_fields_of(op);
    n.outputs = add_values(v, 1);
    made_.nodes.push_back(n);
  }
  void add(const ir::node& old) {
    ir::node n = old;
    std::vector<int> reads;
    for (const ir::value_id v : g_.inputs(old)) {
      reads.push_back(now_.at(v));
      ++made_.at_value(reads.back()).readers;
    }
    n.inputs = made_.store_operands({reads.data(), reads.size()});
    n.outputs = add_values(old.outputs.first, old.outputs.count);
    made_.nodes.push_back(n);
  }
  ir::range add_values(ir::value_id first, int count) {
    const ir::range r{static_cast<int>(made_.values.size()), count};
    for (int k = 0; k < count; ++k) {
      ir::value v = g_.at_value(first + k);
      v.producer = static_cast<ir::node_id>(made_.nodes.size());
      v.readers = 0;
      now_.emplace(first + k, static_cast<int>(made_.values.size()));  // what is an input already stays that
      made_.values.push_back(v);
    }
    return r;
  }

  ir::graph_view g_;
  std::set<ir::value_id> from_;
  ir::graph made_;
  std::map<ir::value_id, ir::value_id> now_;  ///< places of old values in the new graph
};

struct names {
  std::vector<std::string> from, to;
};

/// The part of a network that has been read, in its place.
names cut(ctnn::loaded_model& m, const extract_options& options) {
  std::vector<ir::value_id> from, to;
  for (const std::string& name : options.from) from.push_back(value_called(m, "--from", name));
  for (const std::string& name : options.to) to.push_back(value_called(m, "--to", name));
  if (to.empty())
    for (const ir::network_output& o : m.network.outputs) to.push_back(o.value);
  for (const ir::value_id v : to)
    if (std::find(from.begin(), from.end(), v) != from.end())
      throw usage_error("--to " + std::string(m.network.values[static_cast<std::size_t>(v)].name) +
                        ": is one of --from, too");
  ir::graph part = cut_graph(m, from, to).take();
  names out;
  for (const ir::node& n : part.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>) out.from.emplace_back(n.name);
  for (const ir::network_output& o : part.outputs) out.to.emplace_back(o.name);
  m.network = std::move(part);
  m.inputs.clear();
  return out;
}

#if defined(CTNN_TOOL_WRITES_ONNX)
/// Runs both on the same numbers.
void require_same_numbers(const extract_options& options, const opened_model& opened, const ctnn::arrays_by_name& fed,
                          const names& of, const ctnn::onnx::model_message& read_back) {
  const progress busy("running the part and the whole");
  const ctnn::model whole(opened.maker, {.optimize = false}, fed);
  ctnn::extractor all = whole.extractor();
  all.set_light_mode(false);
  for (const auto& [name, numbers] : fed) all.input(name, numbers);
  ctnn::onnx::read_options read;
  ctnn::arrays_by_name between;
  for (const std::string& name : of.from) {
    const auto given = fed.find(name);
    const ctnn::array numbers = given == fed.end() ? all.extract(name) : given->second;
    read.input_shapes.emplace(name, numbers.shape());
    between.emplace(name, numbers);
  }
  const ctnn::model part(ctnn::onnx::maker_of(std::make_shared<const ctnn::onnx::model_message>(read_back), read), {},
                         between);
  ctnn::extractor alone = part.extractor();
  for (const auto& [name, numbers] : between) alone.input(name, numbers);
  for (const std::string& name : of.to) {
    const ctnn::array wanted = all.extract(name), got = alone.extract(name);
    const auto number_of = [](const ctnn::array& a) { return [&a](std::size_t i) { return ctnn::number_at(a, i); }; };
    const double off = wanted.shape() == got.shape()
                           ? ir::largest_difference(wanted.size(), number_of(wanted), number_of(got))
                           : std::numeric_limits<double>::infinity();
    if (!(off <= options.tolerance))
      throw ctnn::error(options.out + ": output '" + name + "' of the part differs from the whole model's by " +
                        std::to_string(off) + " of its largest number");
  }
}

ctnn::onnx::write_options options_for(const opened_model& opened) {
  ctnn::onnx::write_options how;
  if (const auto at = opened.opsets.find(""); at != opened.opsets.end()) how.opset = at->second;
  return how;
}

/// The part for any size of the axes that the file leaves open; nothing if there are none.
std::optional<ctnn::onnx::open_model> describe_open(const extract_options& options,
                                                    const ctnn::onnx::write_options& how) {
  if (!has_ending(options.model.file, ".onnx") || !options.model.inputs.empty()) return {};
  const ctnn::onnx::model_message file = read_onnx(options.model);
  const auto given = parse_shapes(options.model.shapes);
  if (!ctnn::onnx::has_open_axes(file, given)) return {};
  const auto make = [&](const ctnn::onnx::shapes_by_name& shapes, const ctnn::onnx::write_options& as) {
    ctnn::onnx::read_options read = onnx_reading(options.model);
    read.input_shapes = shapes;
    ctnn::loaded_model m = ctnn::onnx::build(file, read);
    cut(m, options);
    return ctnn::onnx::describe_for_file(m, m.network.view(), as);
  };
  try {
    return ctnn::onnx::describe_open(file, make, given, how);
  } catch (const ctnn::onnx::undetermined& e) {
    throw ctnn::error(e.what() + std::string("; give shapes with --shape or --input"));
  }
}
#endif

std::string list_of(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& name : all) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

void extract(const extract_options& asked) {
  if (asked.from.empty() && asked.to.empty()) throw usage_error("extract: expected --from VALUES, --to VALUES or both");
  if (!has_ending(asked.out, ".onnx")) throw usage_error("-o " + asked.out + ": expected a file y.onnx");
#if !defined(CTNN_TOOL_WRITES_ONNX)
  throw ctnn::error(asked.out + ": this ctnn was built without protozero, which writing ONNX needs");
#else
  extract_options options = asked;
  const ctnn::onnx::write_options how = options_for(open(asked.model));
  const std::optional<ctnn::onnx::open_model> any_size = describe_open(options, how);
  if (any_size)
    for (const auto& [name, shape] : any_size->shapes) options.model.shapes.push_back(assignment(name, shape));
  const opened_model opened = open(options.model);
  const fed_inputs given = read_inputs(options.model, opened);
  require_inputs(given, opened);
  const ctnn::arrays_by_name fed = with_made_up(options.model, opened, given.runs[0]);
  std::string why;
  std::optional<ctnn::loaded_model> m = build_whole(opened, fed, &why);
  if (!m) throw ctnn::error(why + "; it runs in parts, of which none can be extracted");
  const std::size_t before = m->network.nodes.size();
  const names of = cut(*m, options);
  const ctnn::onnx::model_message fixed =
      any_size ? any_size->sample : ctnn::onnx::describe_for_file(*m, m->network.view(), how);
  ctnn::onnx::shapes_by_name shapes;
  for (const ir::node& n : m->network.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>)
      shapes.emplace(n.name, m->network.values[static_cast<std::size_t>(n.outputs.first)].shape);
  const ctnn::onnx::saved_model done =
      ctnn::onnx::save(any_size ? any_size->file : fixed, options.out, how, [&](const auto& read_back) {
        ctnn::onnx::require_same(read_back, fixed, {}, any_size ? shapes : ctnn::onnx::shapes_by_name{});
        require_same_numbers(options, opened, fed, of, read_back);
      });
  std::printf("%zu of %zu layers, from %s to %s: %s (%s bytes), the same numbers as in the whole\n",
              m->network.nodes.size(), before, list_of(of.from).c_str(), list_of(of.to).c_str(),
              shown(options.out).c_str(), grouped(static_cast<std::int64_t>(done.bytes)).c_str());
#endif
}

}  // namespace tool
