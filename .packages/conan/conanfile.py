# SPDX-License-Identifier: BSL-1.0
from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
import os


class Ctnn(ConanFile):
    name = "ctnn"
    version = "@VERSION@"
    description = "@DESCRIPTION@"
    homepage = "@HOME@"
    license = "BSL-1.0"
    topics = ("neural-network", "inference", "onnx", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"onnx": [True, False], "hana": [True, False], "weights": [True, False]}
    default_options = {"onnx": True, "hana": False, "weights": False}
    no_copy_source = True

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]", transitive_headers=True, transitive_libs=True)
        if self.options.onnx:
            self.requires("protozero/[>=1.7 <2]", transitive_headers=True)
        if self.options.hana:
            self.requires("boost/[>=1.74]", transitive_headers=True)
        if self.options.weights:
            self.requires("nlohmann_json/[>=3.11 <4]", transitive_headers=True)
            self.requires("zlib/[>=1.2 <2]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def source(self):
        get(self, "@ARCHIVE_URL@", sha256="@SHA256@", strip_root=True)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.h*", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.settings.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "ctnn")
        for name in ["plain", "static", "model"]:
            component = self.cpp_info.components[name]
            component.set_property("cmake_target_name", f"ctnn::{name}")
            component.bindirs = []
            component.libdirs = []
        self.cpp_info.components["plain"].defines = ["CTNN_PLAIN"]
        self.cpp_info.components["static"].set_property("cmake_target_aliases", ["ctnn::ctnn"])
        self.cpp_info.components["static"].requires = ["highway::hwy"] + ["boost::headers"] * bool(self.options.hana)
        model = self.cpp_info.components["model"]
        model.requires = ["static"] + ["protozero::protozero"] * bool(self.options.onnx)
        if self.options.weights:
            model.requires += ["nlohmann_json::nlohmann_json", "zlib::zlib"]
            model.defines = ["CTNN_ZLIB"]
        if self.settings.os in ["Linux", "FreeBSD"]:
            model.system_libs = ["pthread"]
