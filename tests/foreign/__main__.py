"""`python -m tests.foreign`: see the package."""

import sys

from tests.foreign import main

sys.exit(main(sys.argv[1:]))
