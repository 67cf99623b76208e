#include "commands.hpp"
namespace tool { void header(const header_options&) {} }
