// SPDX-License-Identifier: BSL-1.0
// Written by torch_pickles.py.
#pragma once

#include <string_view>

namespace torch_pickles {

inline constexpr std::string_view every_type{
    "\200\002ccollections\nOrderedDict\nq\000)Rq\001(X\003\000\000\000f32q\002ctorch._utils\n_rebuild_tens"
    "or_v2\nq\003((X\007\000\000\000storageq\004ctorch\nFloatStorage\nq\005X\001\000\000\0000q\006X\003\000"
    "\000\000cpuq\007K\006tq\010QK\000K\002K\003\206q\011K\003K\001\206q\n\211h\000)Rq\013tq\014Rq\015X\003"
    "\000\000\000f64q\016h\003((h\004ctorch\nDoubleStorage\nq\017X\001\000\000\0001q\020h\007K\001tq\021QK"
    "\000K\001\205q\022K\001\205q\023\211h\000)Rq\024tq\025Rq\026X\003\000\000\000f16q\027h\003((h\004ctor"
    "ch\nHalfStorage\nq\030X\001\000\000\0002q\031h\007K\002tq\032QK\000K\002\205q\033K\001\205q\034\211h\000"
    ")Rq\035tq\036Rq\037X\004\000\000\000bf16q h\003((h\004ctorch\nBFloat16Storage\nq!X\001\000\000\0003q\""
    "h\007K\002tq#QK\000K\002\205q$K\001\205q%\211h\000)Rq&tq'Rq(X\003\000\000\000i64q)h\003((h\004ctorch\n"
    "LongStorage\nq*X\001\000\000\0004q+h\007K\001tq,QK\000))\211h\000)Rq-tq.Rq/X\003\000\000\000i32q0h\003"
    "((h\004ctorch\nIntStorage\nq1X\001\000\000\0005q2h\007K\001tq3QK\000K\001\205q4K\001\205q5\211h\000)R"
    "q6tq7Rq8X\003\000\000\000i16q9h\003((h\004ctorch\nShortStorage\nq:X\001\000\000\0006q;h\007K\002tq<QK"
    "\000K\002\205q=K\001\205q>\211h\000)Rq\?tq@RqAX\002\000\000\000i8qBh\003((h\004ctorch\nCharStorage\nq"
    "CX\001\000\000\0007qDh\007K\002tqEQK\000K\002\205qFK\001\205qG\211h\000)RqHtqIRqJX\002\000\000\000u8q"
    "Kh\003((h\004ctorch\nByteStorage\nqLX\001\000\000\0008qMh\007K\002tqNQK\000K\002\205qOK\001\205qP\211"
    "h\000)RqQtqRRqSX\004\000\000\000boolqTh\003((h\004ctorch\nBoolStorage\nqUX\001\000\000\0009qVh\007K\003"
    "tqWQK\000K\003\205qXK\001\205qY\211h\000)RqZtq[Rq\\X\004\000\000\000noneq]h\003((h\004h\005X\002\000\000"
    "\00010q^h\007K\000tq_QK\000K\000K\004\206q`K\004K\001\206qa\211h\000)RqbtqcRqdu}qeX\011\000\000\000_m"
    "etadataqfh\000)RqgX\000\000\000\000qh}qiX\007\000\000\000versionqjK\001sssb.",
    992};
inline constexpr std::string_view every_type_4{
    "\200\004\225\034\003\000\000\000\000\000\000\214\013collections\224\214\013OrderedDict\224\223\224)R\224"
    "(\214\003f32\224\214\014torch._utils\224\214\022_rebuild_tensor_v2\224\223\224((\214\007storage\224\214"
    "\005torch\224\214\014FloatStorage\224\223\224\214\0010\224\214\003cpu\224K\006t\224QK\000K\002K\003\206"
    "\224K\003K\001\206\224\211h\002)R\224t\224R\224\214\003f64\224h\007((h\010h\011\214\015DoubleStorage\224"
    "\223\224\214\0011\224h\015K\001t\224QK\000K\001\205\224K\001\205\224\211h\002)R\224t\224R\224\214\003"
    "f16\224h\007((h\010h\011\214\013HalfStorage\224\223\224\214\0012\224h\015K\002t\224QK\000K\002\205\224"
    "K\001\205\224\211h\002)R\224t\224R\224\214\004bf16\224h\007((h\010h\011\214\017BFloat16Storage\224\223"
    "\224\214\0013\224h\015K\002t\224QK\000K\002\205\224K\001\205\224\211h\002)R\224t\224R\224\214\003i64\224"
    "h\007((h\010h\011\214\013LongStorage\224\223\224\214\0014\224h\015K\001t\224QK\000))\211h\002)R\224t\224"
    "R\224\214\003i32\224h\007((h\010h\011\214\nIntStorage\224\223\224\214\0015\224h\015K\001t\224QK\000K\001"
    "\205\224K\001\205\224\211h\002)R\224t\224R\224\214\003i16\224h\007((h\010h\011\214\014ShortStorage\224"
    "\223\224\214\0016\224h\015K\002t\224QK\000K\002\205\224K\001\205\224\211h\002)R\224t\224R\224\214\002"
    "i8\224h\007((h\010h\011\214\013CharStorage\224\223\224\214\0017\224h\015K\002t\224QK\000K\002\205\224"
    "K\001\205\224\211h\002)R\224t\224R\224\214\002u8\224h\007((h\010h\011\214\013ByteStorage\224\223\224\214"
    "\0018\224h\015K\002t\224QK\000K\002\205\224K\001\205\224\211h\002)R\224t\224R\224\214\004bool\224h\007"
    "((h\010h\011\214\013BoolStorage\224\223\224\214\0019\224h\015K\003t\224QK\000K\003\205\224K\001\205\224"
    "\211h\002)R\224t\224R\224\214\004none\224h\007((h\010h\013\214\00210\224h\015K\000t\224QK\000K\000K\004"
    "\206\224K\004K\001\206\224\211h\002)R\224t\224R\224u}\224\214\011_metadata\224h\002)R\224\214\000\224"
    "}\224\214\007version\224K\001sssb.",
    807};
inline constexpr std::string_view views{
    "\200\002ccollections\nOrderedDict\nq\000)Rq\001(X\005\000\000\000wholeq\002ctorch._utils\n_rebuild_te"
    "nsor_v2\nq\003((X\007\000\000\000storageq\004ctorch\nFloatStorage\nq\005X\001\000\000\0000q\006X\003\000"
    "\000\000cpuq\007K\006tq\010QK\000K\002K\003\206q\011K\003K\001\206q\n\211h\000)Rq\013tq\014Rq\015X\004"
    "\000\000\000tiedq\016h\015X\005\000\000\000againq\017h\003((h\004h\005h\006h\007K\006tq\020QK\000K\006"
    "\205q\021K\001\205q\022\211h\000)Rq\023tq\024Rq\025X\006\000\000\000turnedq\026h\003((h\004h\005h\006"
    "h\007K\006tq\027QK\000K\003K\002\206q\030K\001K\003\206q\031\211h\000)Rq\032tq\033Rq\034X\004\000\000"
    "\000lastq\035h\003((h\004h\005h\006h\007K\006tq\036QK\004K\002\205q\037K\001\205q \211h\000)Rq!tq\"Rq"
    "#X\006\000\000\000columnq$h\003((h\004h\005h\006h\007K\006tq%QK\001K\002K\001\206q&K\003K\001\206q'\211"
    "h\000)Rq(tq)Rq*u}q+X\011\000\000\000_metadataq,h\000)Rq-X\000\000\000\000q.}q/X\007\000\000\000versio"
    "nq0K\001sssb.",
    471};
inline constexpr std::string_view lightning{
    "\200\002}q\000(X\005\000\000\000epochq\001K\003X\013\000\000\000global_stepq\002\212\006\000\000\000\000"
    "\000\001X\031\000\000\000pytorch-lightning_versionq\003X\005\000\000\0002.4.0q\004X\004\000\000\000do"
    "neq\005\210X\007\000\000\000nothingq\006NX\004\000\000\000lossq\007G\?\320\000\000\000\000\000\000X\n"
    "\000\000\000state_dictq\010ccollections\nOrderedDict\nq\011)Rq\n(X\017\000\000\000model.fc.weightq\013"
    "ctorch._utils\n_rebuild_tensor_v2\nq\014((X\007\000\000\000storageq\015ctorch\nFloatStorage\nq\016X\001"
    "\000\000\0000q\017X\003\000\000\000cpuq\020K\006tq\021QK\000K\002K\003\206q\022K\003K\001\206q\023\211"
    "h\011)Rq\024tq\025Rq\026X\015\000\000\000model.fc.biasq\027h\014((h\015h\016X\001\000\000\0001q\030h\020"
    "K\002tq\031QK\000K\002\205q\032K\001\205q\033\211h\011)Rq\034tq\035Rq\036u}q\037X\011\000\000\000_met"
    "adataq h\011)Rq!X\000\000\000\000q\"}q#X\007\000\000\000versionq$K\001sssbX\020\000\000\000optimizer_"
    "statesq%]q&}q'(X\005\000\000\000stateq(}q)K\000}q*(X\004\000\000\000stepq+h\014((h\015h\016X\001\000\000"
    "\0002q,h\020K\001tq-QK\000))\211h\011)Rq.tq/Rq0X\007\000\000\000exp_avgq1h\026usX\014\000\000\000para"
    "m_groupsq2]q3}q4(X\002\000\000\000lrq5G\?PbM\322\361\251\374X\005\000\000\000betasq6G\?\354\314\314\314"
    "\314\314\315G\?\357\367\316\331\026\207+\206q7X\006\000\000\000paramsq8]q9(K\000K\001euauaX\020\000\000"
    "\000hyper_parametersq:cargparse\nNamespace\nq;)\201q<}q=X\005\000\000\000widthq>K@sbX\011\000\000\000"
    "callbacksq\?}q@(X\005\000\000\000namesqAc__builtin__\nset\nqB]qC(X\001\000\000\000aqDX\001\000\000\000"
    "bqEe\205qFRqGX\005\000\000\000bytesqHc_codecs\nencode\nqIX\003\000\000\000abcqJX\006\000\000\000latin"
    "1qK\206qLRqMuu.",
    891};
inline constexpr std::string_view parameter{
    "\200\002}q\000(X\001\000\000\000pq\001ctorch._utils\n_rebuild_parameter\nq\002ctorch._utils\n_rebuild"
    "_tensor_v2\nq\003((X\007\000\000\000storageq\004ctorch\nFloatStorage\nq\005X\001\000\000\0000q\006X\003"
    "\000\000\000cpuq\007K\006tq\010QK\000K\002K\003\206q\011K\003K\001\206q\n\211ccollections\nOrderedDic"
    "t\nq\013)Rq\014tq\015Rq\016\210h\013)Rq\017\207q\020Rq\021X\003\000\000\000u16q\022ctorch._utils\n_re"
    "build_tensor_v3\nq\023((h\004ctorch.storage\nUntypedStorage\nq\024X\001\000\000\0001q\025h\007K\004tq"
    "\026QK\000K\002\205q\027K\001\205q\030\211h\013)Rq\031ctorch\nuint16\nq\032tq\033Rq\034u.",
    353};
inline constexpr std::string_view alone{
    "\200\002ctorch._utils\n_rebuild_tensor_v2\nq\000((X\007\000\000\000storageq\001ctorch\nFloatStorage\n"
    "q\002X\001\000\000\0000q\003X\003\000\000\000cpuq\004K\006tq\005QK\000K\002K\003\206q\006K\003K\001\206"
    "q\007\211ccollections\nOrderedDict\nq\010)Rq\011tq\nRq\013.",
    154};
inline constexpr std::string_view complex_numbers{
    "\200\002}q\000X\001\000\000\000zq\001ctorch._utils\n_rebuild_tensor_v2\nq\002((X\007\000\000\000stora"
    "geq\003ctorch\nComplexFloatStorage\nq\004X\001\000\000\0000q\005X\003\000\000\000cpuq\006K\001tq\007Q"
    "K\000K\001\205q\010K\001\205q\011\211ccollections\nOrderedDict\nq\n)Rq\013tq\014Rq\015s.",
    169};
inline constexpr std::string_view a_module{
    "\200\002cargparse\nNamespace\nq\000)Rq\001.",
    29};
inline constexpr std::string_view runs{
    "\200\002c__builtin__\nprint\nq\000X\005\000\000\000neverq\001\205q\002Rq\003.",
    42};

}  // namespace torch_pickles
