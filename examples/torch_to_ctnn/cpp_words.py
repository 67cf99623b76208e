# SPDX-License-Identifier: BSL-1.0
"""Names that variables of Python may have and those of the C++ that is written may not."""

RESERVED = set("""alignas alignof and asm auto bool break case catch char class compl concept const constexpr continue decltype default
delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new not operator or
private protected public register requires return short signed sizeof static struct switch template this throw true try typedef
typename union unsigned using virtual void volatile while xor nn m i name scope round std ctnn main""".split())
