"""Write BrowserGym's results as JSON; run it where the experiments were run.

    python browsergym_episodes.py FOLDER

FOLDER is an AgentLab study, or any folder with BrowserGym's experiments below it.
Beside the pickles of each finished experiment comes `episode.json` with its goal, pages
and actions, which `./webrl trajectories import FOLDER` reads.

BrowserGym loads its own pickles, and loading a pickle runs what its author wrote. So
run this only on results of your own, and in the environment that made them. It needs
nothing but BrowserGym and imports nothing of the workbench.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAME = "episode.json"
FORMAT = "browsergym-episode-1"


def main(folder: Path) -> int:
    """Write each episode below the folder; say how many."""
    from browsergym.experiments.loop import ExpResult
    from browsergym.utils.obs import flatten_axtree_to_str

    written = 0
    for summary in sorted(folder.rglob("summary_info.json")):
        place = summary.parent
        if summary.stat().st_size and (place / "exp_args.pkl").exists():
            episode = describe_episode(ExpResult(place), flatten_axtree_to_str)
            text = json.dumps(episode, ensure_ascii=False)
            (place / NAME).write_text(text, encoding="utf-8")
            written += 1
    sys.stdout.write(f"{written} episodes written as {NAME}.\n")
    return 0 if written else 1


def describe_episode(result: Any, flatten: Callable[[Any], str]) -> dict[str, Any]:
    """Return a result of BrowserGym as plain values.

    Args:
        result: Has `exp_args` and `steps_info`, as BrowserGym's `ExpResult`.
        flatten: Writes an accessibility tree as text, as the agent read it.
    """
    infos = list(result.steps_info)
    steps = [_describe_step(info, flatten) for info in infos if info.action]
    last = infos[-1].obs if infos and not infos[-1].action else None
    first = infos[0].obs if infos and infos[0].obs else {}
    # What an action led to stands in the step after it.
    for step, after in zip(steps, infos[1:], strict=False):
        step["error"] = _text((after.obs or {}).get("last_action_error"))
    return {
        "format": FORMAT,
        **_name_experiment(result),
        "goal": _text(first.get("goal")) or _join(first.get("goal_object")),
        "steps": steps,
        "final_page": _read_page(last or {}, flatten),
        "final_url": _read_url(last or {}),
    }


def _name_experiment(result: Any) -> dict[str, Any]:
    """Return task, seed and agent; {} where the agent's own class is not there.

    The folder's name has them, too.
    """
    try:
        found = result.exp_args
    except (AttributeError, ImportError):
        return {}
    return {
        "task": _text(found.env_args.task_name),
        "seed": int(found.env_args.task_seed or 0),
        "agent": _text(found.agent_args.agent_name),
    }


def _describe_step(info: Any, flatten: Callable[[Any], str]) -> dict[str, Any]:
    obs, said = info.obs or {}, info.agent_info or {}
    think, action = _text(said.get("think")), _text(info.action)
    titles, place = obs.get("open_pages_titles") or (), _active(obs)
    return {
        "url": _read_url(obs),
        "title": _text(titles[place]) if place < len(titles) else "",
        "page": _read_page(obs, flatten),
        "output": f"{think}\n\n{action}" if think else action,
        "action": action,
        "error": "",
    }


def _read_page(obs: dict[str, Any], flatten: Callable[[Any], str]) -> str:
    """Return the page as text: the agent's own, or the tree that it was made of."""
    for name in ("axtree_txt", "pruned_html", "dom_txt"):
        if text := _text(obs.get(name)):
            return text
    tree = obs.get("axtree_object")
    return flatten(tree) if tree is not None else ""


def _read_url(obs: dict[str, Any]) -> str:
    urls, place = obs.get("open_pages_urls") or (), _active(obs)
    return _text(obs.get("url")) or (_text(urls[place]) if place < len(urls) else "")


def _active(obs: dict[str, Any]) -> int:
    index = obs.get("active_page_index")
    return 0 if index is None else int(index[0])


def _join(goal: Any) -> str:
    parts = [part.get("text", "") for part in goal or () if isinstance(part, dict)]
    return "\n".join(filter(None, map(_text, parts)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Name a folder of results: python browsergym_episodes.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
