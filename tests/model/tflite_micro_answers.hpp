// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <map>
#include <string>
#include <vector>
namespace ctnn::ir::test { inline const std::map<std::string, std::vector<double>> tflite_micro_answers{}; }
