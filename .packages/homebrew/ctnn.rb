# SPDX-License-Identifier: BSL-1.0
class Ctnn < Formula
  desc "@DESCRIPTION@"
  homepage "@HOME@"
  url "@ARCHIVE_URL@"
  sha256 "@SHA256@"
  license "BSL-1.0"

  depends_on "cmake" => [:build, :test]
  depends_on "cli11" => :build
  depends_on "nlohmann-json" => :build
  depends_on "protozero" => :build
  depends_on "highway"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DCTNN_BUILD_TESTS=OFF", "-DCTNN_BUILD_BENCHMARKS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"test.cpp").write <<~CPP
      #include <ctnn/ctnn.hpp>
      struct net : ctnn::network<ctnn::input<"x", ctnn::shape<4>>, ctnn::relu<"r">> {};
      static_assert(ctnn::optimized<net>::size == 2);
      int main() {}
    CPP
    system ENV.cxx, "-std=c++20", "-I#{include}", "-fsyntax-only", "test.cpp"
    assert_match version.to_s, shell_output("#{bin}/ctnn --version")
  end
end
