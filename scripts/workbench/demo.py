"""`./webrl demo`: whole phases of the method, from scratch to a running dashboard."""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from scripts.workbench import up
from scripts.workbench.console import format_seconds, say
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import DATA_DIR, PYTHON, ROOT
from scripts.workbench.processes import running
from scripts.workbench.processes.supervisor import Supervisor

RESULT = DATA_DIR / "run" / "demo.json"


def demo(given: argparse.Namespace) -> int:
    """Set up, run the phases, report; stay up unless `--exit`."""
    if running.is_running():
        running.refuse()
    started = time.monotonic()
    browser = up.install()
    with running.claim(), up.ending_cleanly():
        RESULT.unlink(missing_ok=True)
        try:
            up.prepare(browser, up.DEMO_ACCOUNTS)
            with up.running_stack(browser) as (supervisor, env):
                seconds_setup = time.monotonic() - started
                result = _run_phases(given, supervisor, env)
                report(result, env["DASHBOARD_URL"])
                if given.json:
                    _write(given.json, result, seconds_setup)
                if not given.exit:
                    up.announce(env["DASHBOARD_URL"])
                    up.watch(supervisor, env)
        except up.Ended:
            return 0 if RESULT.exists() else 130
    return 0


def _run_phases(
    given: argparse.Namespace, supervisor: Supervisor, env: dict[str, str]
) -> dict[str, Any]:
    """Run the phases through the same jobs as the dashboard, and wait for them."""
    command = [str(PYTHON), "manage.py", "run_phase", "--wait", "--auto-accept"]
    command += ["--phases", str(given.phases), "--seed", str(given.seed)]
    process = subprocess.Popen(
        [*command, "--json", str(RESULT)], cwd=ROOT, env=env, stdin=subprocess.DEVNULL
    )
    try:
        while process.poll() is None:
            for news in supervisor.look():
                say(f"\n{news}")
            time.sleep(up.LOOK_EVERY_S)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    if process.returncode or not RESULT.exists():
        raise WorkbenchError("The phase did not finish; the lines above say why.")
    return dict(json.loads(RESULT.read_text(encoding="utf-8")))


def report(result: dict[str, Any], address: str) -> None:
    """Print the results of all phases together; each has printed its own."""
    phases = result["phases"]
    if len(phases) > 1:
        say(f"\nSuccess on the held-out test tasks over {len(phases)} phases:")
        for name in ("before", "after"):
            say(f"  {name:<7} {format_rate(result[name])}")
    say(f"\nTime: {format_seconds(result['seconds_phase'])}")
    for phase in phases:
        say(f"Phase {phase['number']}: {address}{phase['path']}")


def format_rate(rate: dict[str, Any]) -> str:
    """Return "31 of 165 = 18.8 % [13.6, 25.4]"."""
    if not rate["n"]:
        return "not measured"
    share, low, high = (100 * rate[name] for name in ("rate", "low", "high"))
    return f"{rate['successes']} of {rate['n']} = {share:.1f} % [{low:.1f}, {high:.1f}]"


def _write(file: Path, result: dict[str, Any], seconds_setup: float) -> None:
    figures = {
        "seconds_setup": round(seconds_setup, 1),
        "seconds_phase": round(float(result["seconds_phase"]), 1),
        "before": result["before"],
        "after": result["after"],
        "phases": result.get("phases", []),
    }
    file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
