"""The report: one offline HTML file with static SVG figures, made from the records of runs.

model       runs as typed values; which are readable; which share a unit
headline    the result: a sentence, and the first chart
facts       next to it: unit, machines, and the records' origin
sections    bars of sections, per machine and over processors
suites      a chapter for each other suite
histograms  histograms and their dominant spacing
reference   published figures, one chart per unit
tables      machines, ratios, claims, the matrix, all results
method      how each number is measured
markup      HTML, and the escaping of foreign text
charts      bars, one below the other
theme       the look of the charts, and their SVG
page        the order of the page
attachments each chart as SVG and each table as CSV, beside the page
"""

from tollgate.show.report.page import prepare, write_report

__all__ = ["prepare", "write_report"]
