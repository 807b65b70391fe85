"""Started in several processes by a test: each writes its share, and all it was given.

`python -m torch.distributed.run ... -m tests.training.rl.scale.shared_rows FOLDER`
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

from training.rl.process import leave
from training.rl.scale import parallel

COSTS = [9, 1, 4, 2, 3]
SIZES = [1, 1, 2, 3, 0]


def main(folder: Path) -> None:
    taken: list[int] = []

    def compute(own: list[int]) -> list[list[float]]:
        taken.extend(own)
        return [[float(n or math.nan)] * SIZES[n] for n in own]

    parallel.start()
    rows = parallel.share_out(COSTS, SIZES, compute)
    plain = [[None if math.isnan(one) else one for one in row] for row in rows]
    text = json.dumps({"own": taken, "all": plain})
    (folder / str(parallel.find_rank())).write_text(text)
    parallel.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    leave(0)
