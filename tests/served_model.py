"""A stand-in for a server of models: vLLM's and SGLang's calls, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]


class ServedModel:
    """Remembers what it was asked and which models it has.

    Attributes:
        models: What `/v1/models` lists.
        asked: Paths and bodies of the POST requests, in order.
        answers: Fixed answers by path; the others are what the real servers say.
        ids, scores: The tokens of every completion.
    """

    def __init__(self, *models: str) -> None:
        self.models = list(models)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Answer] = {}
        self.ids, self.scores = [5, 6], [-0.5, -0.25]
        self.headers: list[dict[str, str]] = []

    def answer(self, path: str, body: dict[str, Any] | None) -> Answer:
        if body is not None:
            self.asked.append((path, body))
        if path in self.answers:
            return self.answers[path]
        kinds = {
            "/v1/models": self._list_models,
            "/v1/load_lora_adapter": self._load_vllm,
            "/load_lora_adapter": self._load_sglang,
            "/update_weights_from_disk": self._update,
            "/v1/completions": self._complete,
            "/generate": self._generate,
        }
        return kinds[path](body or {}) if path in kinds else (404, {})

    def _list_models(self, body: dict[str, Any]) -> Answer:
        return 200, {"data": [{"id": name} for name in self.models]}

    def _load_vllm(self, body: dict[str, Any]) -> Answer:
        if body["lora_name"] in self.models:
            return 400, {"error": {"message": "has already been loaded"}}
        self.models.append(body["lora_name"])
        return 200, "Success: added successfully."

    def _load_sglang(self, body: dict[str, Any]) -> Answer:
        self.models.append(body["lora_name"])
        return 200, {"success": True, "loaded_adapters": {}}

    def _update(self, body: dict[str, Any]) -> Answer:
        return 200, {"success": True, "message": "Succeeded."}

    def _complete(self, body: dict[str, Any]) -> Answer:
        choice = {
            "text": "as text",
            "token_ids": self.ids,
            "logprobs": {"token_logprobs": self.scores},
        }
        usage = {"prompt_tokens": len(body["prompt"]), "completion_tokens": 2}
        return 200, {"choices": [choice], "usage": usage}

    def _generate(self, body: dict[str, Any]) -> Answer:
        pairs = zip(self.scores, self.ids, strict=True)
        meta = {
            "output_token_logprobs": [[score, one, None] for score, one in pairs],
            "prompt_tokens": len(body["input_ids"]),
            "completion_tokens": len(self.ids),
        }
        return 200, {"text": "as text", "meta_info": meta}


@contextmanager
def serving(model: ServedModel) -> Iterator[str]:
    """Serve until the block ends; gives the address of OpenAI's calls."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(*model.answer(self.path, None))

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            model.headers.append(dict(self.headers.items()))
            self._send(*model.answer(self.path, json.loads(data)))

        def _send(self, status: int, told: Any) -> None:
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
