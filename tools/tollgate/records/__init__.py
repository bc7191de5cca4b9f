"""Records: a kernel's reports, read, judged, packed, captured and stored."""
