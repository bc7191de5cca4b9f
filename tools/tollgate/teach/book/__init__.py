"""The book: the lessons as a folder of HTML, made from their headless walks and from nothing else.

walks     gives every lesson on its machine, and has it written down
walk      what was written down, as typed values
names     what an instruction or a gate pushes
words     a name for every word of a stack
stack     a stack as SVG
figures   descriptors, page walks, task states and frames as SVG
path      every instruction of a walk, for the slider
lesson    the page of a lesson
points    the measurement points drawn
index     the first page, and the folder
"""

from tollgate.teach.book.index import make

__all__ = ["make"]
