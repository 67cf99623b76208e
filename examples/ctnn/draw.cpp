#include "commands.hpp"
namespace tool { void draw(const draw_options&) {} }
