#!/usr/bin/env python3
"""Turns a screen as `tmux capture-pane -p -e` prints it (standard input) into a picture (SVG, standard output)."""

import re
import sys
from html import escape

CELL, ROW, MARGIN = 8.4, 20, 16
INK, DIM, PAPER = "#d8dee9", "#7d8797", "#20242c"
# U+2588 is a full block, U+2589 to U+258F are seven to one eighth of one, from the left.
BLOCKS = {chr(0x2588 + index): (8 - index) / 8 for index in range(8)}


def cells(line):
    """The characters of a line, each with its colour."""
    colour, shown = INK, []
    for sequence, character in re.findall(r"\x1b\[([0-9;]*)m|(.)", line):
        if character:
            shown.append((character, colour))
            continue
        for code in sequence.split(";"):
            colour = {"2": DIM, "0": INK, "": INK, "22": INK}.get(code, colour)
    return shown


def row(line, index):
    """The shapes of a line: rectangles for blocks, text for all else."""
    top, column, shapes = MARGIN + index * ROW, 0, []
    line = cells(line)
    while column < len(line):
        character, colour = line[column]
        end = column + 1
        same = (lambda cell: cell == line[column]) if BLOCKS.get(character) == 1 else (
            lambda cell: cell[1] == colour and cell[0] not in BLOCKS and character not in BLOCKS)
        while end < len(line) and same(line[end]):
            end += 1
        left, width = MARGIN + column * CELL, (end - column) * CELL
        if character in BLOCKS:
            width *= BLOCKS[character]
            shapes.append(f'<rect x="{left:.1f}" y="{top + 3}" width="{width:.2f}" height="14" fill="{colour}"/>')
        elif text := "".join(cell[0] for cell in line[column:end]).rstrip():
            shapes.append(
                f'<text x="{left:.1f}" y="{top + 15}" textLength="{len(text) * CELL:.1f}" fill="{colour}"'
                f' xml:space="preserve">{escape(text)}</text>')
        column = end
    return shapes


lines = sys.stdin.read().rstrip("\n").split("\n")
while lines and not lines[-1].strip():
    lines.pop()
columns = max(len(cells(line)) for line in lines)
width, height = 2 * MARGIN + columns * CELL, 2 * MARGIN + len(lines) * ROW
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}"'
      f' font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
print(f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>')
for index, line in enumerate(lines):
    for shape in row(line, index):
        print(shape)
print("</svg>")
