# SPDX-License-Identifier: BSL-1.0
"""What ../torch_to_ctnn.py --declare is made of: a module is traced (trace.py), each call is said in ctnn's words
(words.py, special_words.py, weighted_words.py, say.py), modules of a class become functions (functions.py, merge.py),
repeated lines become loops (loops.py), and all of it C++ (body.py, nesting.py, text.py). declare.py goes the whole way."""
