"""The files of a project: a small tree that follows from the project's record."""

from __future__ import annotations

from rollouts.sites.projects.records import Project

ENDINGS = {
    "Python": "py",
    "Java": "java",
    "Rust": "rs",
    "Ruby": "rb",
    "Swift": "swift",
    "Kotlin": "kt",
}
README = "README.md"
LICENCE = "LICENSE"
GUIDE = "guide.md"


def read_tree(project: Project) -> dict[str, dict[str, str]]:
    """Folder ("" for the top) -> file name -> text; a new project has a README."""
    readme = f"# {project.name}\n\n{project.description}.\n"
    if not project.origin:
        return {"": {README: readme}}
    ending = ENDINGS[project.language]
    topic = project.origin.split("-")[-1]
    return {
        "": {
            LICENCE: f"{project.licence} licence\n\nYou may use and share this work.\n",
            README: f"{readme}\nIt runs on port {project.port}.\n",
        },
        "docs": {
            GUIDE: f"# Guide\n\nWritten by {project.guide_author}.\n\n"
            "Open the menu and choose a page.\n",
            "news.md": "# News\n\nThe export is fast now.\n",
        },
        "src": {
            f"main.{ending}": f"open {topic}\nshow page\nwait\nclose {topic}\n",
            f"{topic}.{ending}": f"read settings\nlisten {project.port}\n",
            f"test.{ending}": f"open {topic}\ncheck page\nclose {topic}\n",
        },
    }


def read_file(project: Project, path: str) -> str | None:
    """The text of "README.md" or "docs/guide.md"; None where there is no such file."""
    folder, _, name = path.rpartition("/")
    return read_tree(project).get(folder, {}).get(name)
