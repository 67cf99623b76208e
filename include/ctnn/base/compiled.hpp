// SPDX-License-Identifier: BSL-1.0
// Models from files are much to compile: readers, rules, kernels of every operator. Without any of these macros headers
// define everything, and nothing needs to be linked.
//
// CTNN_COMPILED, for all units of a program, makes headers declare only; a library has the definitions, which CMake and
// Meson build of the units in compiled/, each of which names its parts in CTNN_UNIT. A project without either compiles
// one more unit that includes ctnn/compile.hpp: all parts at once.
// CTNN_COMPILED_KERNELS, for all units, beside CTNN_COMPILED or alone, takes the kernels of networks of types from
// there, too: they compile in a fraction of the time, for every instruction set, and run at their speed in a program
// that is not optimised itself. What kernels gain by knowing a network's shapes is lost.
#pragma once

// What kernels of a library are made of.
#define CTNN_PART_DISPATCH 0x1           ///< instruction sets by number, and tables of steps
#define CTNN_PART_RECORDS 0x2            ///< what operators' records point to: shapes, costs, reference kernels
#define CTNN_PART_VECTORS 0x4            ///< kernels of one instruction set (kernels/target_kernels.hpp)
#define CTNN_PART_TYPED 0x8              ///< kernels of any element type: which there are,
#define CTNN_PART_LOOPS 0x10             ///< and those of some operators
#define CTNN_PARTS_OF_KERNELS 0x1f
// What models from files are made of besides.
#define CTNN_PART_FILES 0x20
#define CTNN_PART_REWRITING 0x40         ///< the rules
#define CTNN_PART_PLANNING 0x80
#define CTNN_PART_MODEL 0x100            ///< what a model does when it is loaded
#define CTNN_PART_EXTRACTION 0x200       ///< and when it runs
#define CTNN_PART_ONNX_PARSER 0x400      ///< protocol buffers to messages
#define CTNN_PART_ONNX_BUILDER 0x800     ///< messages to graphs
#define CTNN_PART_ONNX_COMPUTING 0x1000  ///< operators, by table (formats/onnx/operators/)
#define CTNN_PART_ONNX_MOVING 0x2000
#define CTNN_PART_ONNX_SEQUENCES 0x4000
#define CTNN_PART_ONNX_MICROSOFT 0x8000
#define CTNN_PART_ONNX_WRITER 0x10000
#define CTNN_PART_NCNN_READER 0x20000
#define CTNN_PART_NCNN_WRITER 0x40000
#define CTNN_PART_TFLITE 0x80000
#define CTNN_PART_TOOLS 0x100000         ///< C++ headers, quantization, comparing models
#define CTNN_PART_JSON 0x200000          ///< files in JSON: Neural Amp Modeler's, RTNeural's

/// The parts that this unit defines for others.
#if defined(CTNN_COMPILE)
#undef CTNN_UNIT
#define CTNN_UNIT 0xFFFFFF
#elif !defined(CTNN_UNIT)
#define CTNN_UNIT 0
#endif

/// The instruction sets of a unit of kernels, as Highway's bits.
#if !defined(CTNN_UNIT_TARGETS)
#define CTNN_UNIT_TARGETS 0
#endif

/// The parts that are in another unit: headers only declare them.
#if defined(CTNN_COMPILED) || CTNN_UNIT
#define CTNN_ELSEWHERE (0xFFFFFF & ~(CTNN_UNIT))
#elif defined(CTNN_COMPILED_KERNELS)
#define CTNN_ELSEWHERE CTNN_PARTS_OF_KERNELS
#else
#define CTNN_ELSEWHERE 0
#endif
#define CTNN_DEFINES(part) (((CTNN_ELSEWHERE) & (part)) == 0)

#if defined(CTNN_COMPILED_KERNELS) && defined(CTNN_PLAIN)
#error "ctnn: CTNN_COMPILED_KERNELS does not go with CTNN_PLAIN, whose kernels are firmware's own"
#undef CTNN_COMPILED_KERNELS
#endif

/// Before a definition that is compiled once.
#if CTNN_UNIT
#define CTNN_ONCE
#else
#define CTNN_ONCE inline
#endif
