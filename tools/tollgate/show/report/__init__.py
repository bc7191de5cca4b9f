"""The report: one offline HTML file with static SVG figures, made from the records of runs.

model       runs as typed values; which are readable; which share a unit
headline    the answer: a sentence, and the first chart
facts       beside it: unit, machines, and where the records come from
sections    bars of sections, per machine and over processors
suites      a chapter for each other suite
histograms  histograms and their dominant spacing
reference   published figures, one chart per unit
tables      machines, ratios, claims, the matrix, all results
method      how each number came to be
markup      HTML, and the escaping of whatever is not ours
charts      bars, one under the other
theme       the look of the charts, and the way to SVG
page        the order of the page
attachments each chart as SVG and each table as CSV, beside the page
"""

from tollgate.show.report.page import prepare, write_report

__all__ = ["prepare", "write_report"]
