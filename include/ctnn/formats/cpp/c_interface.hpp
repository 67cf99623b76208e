// SPDX-License-Identifier: BSL-1.0
// A network for programs in C: a header of C alone, and the C++ behind it.
#pragma once

#include <string>
#include <vector>

#include "../../base/describe.hpp"
#include "../../base/error.hpp"
#include "../../network/parameters.hpp"
#include "identifier.hpp"

namespace ctnn::cpp {

/// NAME.h and NAME_c.cpp, which includes NAME.hpp: one engine in memory of its own. Throws ctnn::error naming an input
/// or output whose elements C has no type for.
class c_interface {
 public:
  c_interface(const graph_view& g, const std::string& name, const std::string& origin) : name_(name), origin_(origin) {
    carries_ = carries(g);
    for (const node& n : g.nodes)
      if (n.type == &type_of<op::input> && !is_carried(g, n)) add(inputs_, g, n.outputs.first, n.name, "in");
    for (const network_output& o : g.outputs)
      if (carried_into(g, o) == none)
        add(outputs_, g, o.value, o.name.empty() ? g.at(g.at_value(o.value).producer).name : o.name, "out");
    if (outputs_.empty()) throw error("a network without outputs has no C interface");
  }

  std::string header() const {
    std::string text = "/* Written by `ctnn header --c`" + (origin_.empty() ? "" : " from " + origin_) +
                       ". For C and C++; " + name_ +
                       "_c.cpp is the code. */\n#pragma once\n\n#include <stddef.h>\n"
                       "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nenum {\n";
    for (const auto* list : {&inputs_, &outputs_})
      for (const number_array& a : *list)
        text += "  " + name_ + "_" + a.word + "_count = " + std::to_string(a.count) + ",  /* " + a.shape + " */\n";
    text +=
        "  " + name_ +
        "_version = 1  /* of these declarations */\n};\n\n"
        "/* One inference. 0, or -1 if a pointer is "
        "null: then nothing has been computed. Not to be called by two\n   threads at once. */\nint " +
        name_ + "_run(" + parameters() + ");\n\n" +
        (carries_ ? "/* A new sequence: what is carried from inference to inference is what it is before the first. */"
                    "\nvoid " +
                        name_ + "_reset(void);\n\n"
                  : "") +
        "/* Bytes of the memory that inferences take, a static array. */\n"
        "size_t " +
        name_ +
        "_arena_bytes(void);\n\n"
        "/* From now on take the weights of this image (`ctnn header --image`), which must stay where it is; its "
        "address\n   is a multiple of 64. 0, or what is wrong with it: 1 too short, 2 no image, 3 of another "
        "version, 4 of another\n   network, 5 damaged, 6 misaligned. Then the weights are as before. Null: the "
        "weights that were linked. */\nint " +
        name_ + "_use_weights(const void* image, size_t bytes);\n\n#ifdef __cplusplus\n}\n#endif\n";
    return text;
  }

  std::string source() const {
    std::string text =
        "// Written by `ctnn header --c`" + (origin_.empty() ? "" : " from " + origin_) + ".\n#include \"" + name_ +
        ".h\"\n\n#include \"" + name_ + ".hpp\"\n\nnamespace {\n\n" +
        (carries_ ? "// What it carries needs memory of its own. Code at start makes it.\nctnn::engine<" + name_ +
                        "> " + engine() + "{" + name_ + "::packed};\n\n"
                  : "ctnn::arena<" + name_ + "> " + memory() + ";\nconstinit ctnn::engine<" + name_ +
                        ", ctnn::shared_arena> " + engine() + "{" + name_ + "::packed, " + memory() + "};\n\n");
    for (const auto* list : {&inputs_, &outputs_})
      for (std::size_t i = 0; i < list->size(); ++i)
        text += "static_assert(decltype(" + engine() + ")::" + (list == &inputs_ ? "in" : "out") + "put_size<" +
                std::to_string(i) + "> == " + name_ + "_" + (*list)[i].word + "_count);\n";
    text += "\n}  // namespace\n\nint " + name_ + "_run(" + parameters() + ") {\n  if (";
    std::string spans;
    for (const auto* list : {&inputs_, &outputs_})
      for (const number_array& a : *list) {
        const bool in = list == &inputs_;
        text += (spans.empty() ? "!" : " || !") + a.word;
        spans += (spans.empty() ? "" : ",\n              ") + std::string(in ? "ctnn::in<\"" : "ctnn::into<\"") +
                 a.name + "\">(std::span<" + (in ? "const " : "") + a.type + ", " + std::to_string(a.count) + ">(" +
                 a.word + ", " + std::to_string(a.count) + "))";
      }
    text += ") return -1;\n  " + engine() + ".run(" + spans + ");\n  return 0;\n}\n\n" +
            (carries_ ? "void " + name_ + "_reset(void) { " + engine() + ".reset(); }\n\n" : "") + "size_t " + name_ +
            "_arena_bytes(void) { return " +
            (carries_ ? "ctnn::arena_bytes<" + name_ + ">" : "sizeof " + memory() + ".bytes") + "; }\n\nint " +
            name_ + "_use_weights(const void* image, size_t bytes) {\n  if (!image) return " + engine() +
            ".use(" + name_ + "::packed), 0;\n  return static_cast<int>(" + engine() +
            ".use(ctnn::weights_image<" + name_ + ">{image, bytes}));\n}\n";
    return text;
  }

 private:
  struct number_array {
    std::string name, word, type, shape;
    std::int64_t count;
  };
  void add(std::vector<number_array>& to, const graph_view& g, value_id v, std::string_view name, const char* prefix) {
    static constexpr std::pair<dtype, const char*> types[] = {
        {dtype::f32, "float"},   {dtype::f64, "double"},   {dtype::i8, "int8_t"},   {dtype::u8, "uint8_t"},
        {dtype::i16, "int16_t"}, {dtype::u16, "uint16_t"}, {dtype::i32, "int32_t"}, {dtype::u32, "uint32_t"},
        {dtype::i64, "int64_t"}, {dtype::u64, "uint64_t"}};
    const char* type = nullptr;
    for (const auto& [t, word] : types)
      if (t == g.at_value(v).type) type = word;
    if (type == nullptr) throw error("'" + std::string(name) + "': C has no type for its elements");
    std::string word = as_identifier(name);
    // A name of C++'s, or of two values: by the place.
    bool taken = word == engine() || word == memory() || word == name_ || word == "version" || word == "arena";
    for (const auto* list : {&inputs_, &outputs_})
      for (const number_array& a : *list) taken = taken || a.word == word;
    if (taken) word = prefix + std::to_string(to.size());
    to.push_back({std::string(name), word, type, ir::describe(g.shape(v)), g.shape(v).count()});
  }
  std::string engine() const { return name_ + "_engine"; }
  std::string memory() const { return name_ + "_memory"; }
  std::string parameters() const {
    std::string out;
    for (const number_array& a : inputs_) out += (out.empty() ? "const " : ", const ") + a.type + "* " + a.word;
    for (const number_array& a : outputs_) out += (out.empty() ? "" : ", ") + a.type + "* " + a.word;
    return out;
  }

  std::string name_, origin_;
  bool carries_ = false;  ///< values from run to run
  std::vector<number_array> inputs_, outputs_;
};

}  // namespace ctnn::cpp
