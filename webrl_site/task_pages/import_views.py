"""Task files from the browser: check first, then import all or nothing."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from curriculum.access.roles import ROLE_RESEARCHER, role_required
from curriculum.errors import TaskImportError
from webrl_site.help.doc_pages import has_docs
from webrl_site.launch.forms import TaskFileForm
from webrl_site.task_pages.task_files import FileReport, check_file, import_file


@require_http_methods(["GET", "POST"])
@role_required(ROLE_RESEARCHER)
def task_import(request: HttpRequest) -> HttpResponse:
    form = TaskFileForm(request.POST or None, request.FILES or None)
    report = _report(form, imports="import" in request.POST)
    # A whole new page would lose the chosen file; replacing a part keeps it.
    is_part = request.headers.get("HX-Request") == "true"
    context = {
        "form": form,
        "report": report,
        "is_part": is_part,
        "has_docs": has_docs(),
    }
    is_refused = form.is_bound and report is None
    template = "_task_import.html" if is_part else "task_import.html"
    # What is swapped in comes with 200, as htmx has it here.
    code = 422 if is_refused and not is_part else 200
    return render(request, f"task_pages/{template}", context, status=code)


def _report(form: TaskFileForm, *, imports: bool) -> FileReport | None:
    """Return the result for the file; mistakes in it are added to the form."""
    if not form.is_valid():
        return None
    file = form.cleaned_data["file"]
    act = import_file if imports else check_file
    try:
        return act(file.read(), file.name)
    except TaskImportError as error:
        form.add_error("file", [ValidationError(text) for text in error.messages()])
        return None
