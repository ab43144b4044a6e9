# SPDX-License-Identifier: GPL-2.0-only
"""Figures as SVG, without any library."""

import html
import math

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 170, 36, 48
COLOURS = {
    "hdd": "#777777", "ssd": "#bbbbbb", "linear": "#999999", "dm-writecache": "#e69f00",
    "dm-cache": "#56b4e9", "bcache": "#009e73", "dm-writeboost": "#cc79a7", "none": "#999933",
    "all": "#332288", "watermark": "#88ccee", "adaptive": "#d55e00", "balance": "#aa0000",
}
SPARE = ["#0072b2", "#117733", "#aa4499", "#000000", "#ddcc77", "#e69f00", "#56b4e9",
         "#cc79a7"]


def colour(name, number):
    return COLOURS.get(name, SPARE[number % len(SPARE)])


def nice(top):
    """A round number not below top, and the distance of its marks."""
    if top <= 0:
        return 1, 1
    power = 10 ** math.floor(math.log10(top))
    for step in (0.1, 0.2, 0.5, 1, 2):
        if top / (step * power) <= 6:
            break
    step *= power
    return math.ceil(top / step) * step, step


class Canvas:
    """A chart's frame and what is drawn in it."""

    def __init__(self, title, y_label, top):
        self.top, step = nice(top)
        self.parts = []
        self.text(LEFT, 20, title, size=14, weight="bold")
        self.text(14, TOP + (HEIGHT - TOP - BOTTOM) / 2, y_label, anchor="middle", turn=-90)
        value = 0
        while value <= self.top * 1.0001:
            y = self.y(value)
            self.parts.append('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>'
                              % (LEFT, y, WIDTH - RIGHT, y))
            self.text(LEFT - 6, y + 4, "%g" % round(value, 6), anchor="end")
            value += step

    def y(self, value):
        return HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, words, anchor="start", size=11, weight="normal", turn=0):
        self.parts.append(
            '<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" font-weight="%s"%s>%s</text>'
            % (x, y, anchor, size, weight,
               ' transform="rotate(%d %.1f %.1f)"' % (turn, x, y) if turn else "",
               html.escape(words)))

    def legend(self, number, name, shade, dashed=False):
        y = TOP + 10 + 16 * number
        self.parts.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="3"%s/>'
                          % (WIDTH - RIGHT + 12, y, WIDTH - RIGHT + 32, y, shade,
                             ' stroke-dasharray="4 3"' if dashed else ""))
        self.text(WIDTH - RIGHT + 38, y + 4, name)

    def svg(self):
        return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
                'font-family="sans-serif">\n<rect width="100%%" height="100%%" fill="white"/>\n'
                '%s\n</svg>\n' % (WIDTH, HEIGHT, "\n".join(self.parts)))


def lines(title, x_label, y_label, series, log=False):
    """series: name -> list of (x, y); a name that begins with "paper" is dashed."""
    points = [p for s in series.values() for p in s]
    canvas = Canvas(title, y_label, max(p[1] for p in points))
    low, high = min(p[0] for p in points), max(p[0] for p in points)

    def place(x):
        part = (math.log(x / low) / math.log(high / low) if log else (x - low) / (high - low)) \
            if high > low else 0.5
        return LEFT + 10 + part * (WIDTH - LEFT - RIGHT - 20)

    xs = sorted(set(p[0] for p in points))
    for x in xs if len(xs) <= 9 else [low + (high - low) * i / 5 for i in range(6)]:
        canvas.text(place(x), HEIGHT - BOTTOM + 16, "%g" % round(x, 2), anchor="middle")
    canvas.text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 10, x_label, anchor="middle")
    for number, (name, values) in enumerate(series.items()):
        dashed = name.startswith("paper")
        shade = colour(name.replace("paper ", ""), number)
        canvas.legend(number, name, shade, dashed)
        canvas.parts.append('<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>' % (
            shade, ' stroke-dasharray="4 3"' if dashed else "",
            " ".join("%.1f,%.1f" % (place(x), canvas.y(y)) for x, y in sorted(values))))
    return canvas.svg()


def bars(title, y_label, groups, series):
    """series: name -> list of numbers, one for each of the groups; None is left out."""
    canvas = Canvas(title, y_label, max(v or 0 for s in series.values() for v in s))
    room = (WIDTH - LEFT - RIGHT) / len(groups)
    width = room * 0.86 / len(series)
    for place, group in enumerate(groups):
        canvas.text(LEFT + room * (place + 0.5), HEIGHT - BOTTOM + 16, group, anchor="middle")
    for number, (name, values) in enumerate(series.items()):
        shade = colour(name, number)
        canvas.legend(number, name, shade)
        for place, value in enumerate(values):
            if value is None:
                continue
            canvas.parts.append(
                '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (
                    LEFT + room * (place + 0.07) + width * number, canvas.y(value), width * 0.94,
                    HEIGHT - BOTTOM - canvas.y(value), shade))
    return canvas.svg()
