# SPDX-License-Identifier: BSL-1.0
"""Pictures of bars, of up to three colours, for light and dark pages."""

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #16202c }
.title { font-weight: 650; font-size: 13px }
.time { font-size: 10px; fill: #5b6775 }
.best { font-weight: 700; fill: #16202c }
.a { fill: #2563c9 } .b { fill: #a9b4c2 } .c { fill: #d3dae3 }
@media (prefers-color-scheme: dark) {
text, .best { fill: #e7ecf2 } .time { fill: #9aa7b5 } .a { fill: #7db0ff } .b { fill: #66758a } .c { fill: #3d4a5c }
}
"""


class Bars:
    def __init__(self, wide, high, title):
        size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
        self.lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>{title}</title>",
                      f"<style>{STYLE}</style>"]

    def bar(self, which, x, y, width, height):
        self.lines.append(f'<rect class="{"abc"[which]}" x="{x}" y="{y}" width="{width}" height="{height}" rx="1.5"/>')

    def text(self, x, y, words, more=""):
        self.lines.append(f'<text x="{x}" y="{y}"{more}>{words}</text>')

    def legend(self, x, names):
        for k, name in enumerate(names):
            self.bar(k, x + 110 * k, 26, 10, 10)
            self.text(x + 110 * k + 14, 35, name)

    def svg(self):
        return "\n".join(self.lines) + "\n</svg>\n"
