"""Records: what a kernel says of itself, read, judged, packed, captured and kept."""
