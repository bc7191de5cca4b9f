"""The book: the lessons as a folder of HTML, made only from their headless walks.

walks     runs every lesson on its machine, and records it
walk      the recording, as typed values
names     words pushed by an instruction or a gate
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
