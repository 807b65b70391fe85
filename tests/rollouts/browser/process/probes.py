"""Every channel by which a page may try to leave its site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# {b}: port of the forbidden listener, which listens on the same machine.
PROBES = {
    "fetch by address": "await fetch('http://127.0.0.1:{b}/', {{mode: 'no-cors'}})",
    "fetch by name": "await fetch('http://localhost:{b}/', {{mode: 'no-cors'}})",
    "fetch by a decimal address": "await fetch('http://2130706433:{b}/')",
    "fetch by a mapped address": "await fetch('http://[::ffff:127.0.0.1]:{b}/')",
    "other port of the same host": (
        "await fetch('http://' + location.hostname + ':{b}/', {{mode: 'no-cors'}})"
    ),
    "fetch through a redirect": "await fetch('/away', {{mode: 'no-cors'}})",
    "post": "await fetch('http://127.0.0.1:{b}/', {{method: 'POST', body: 'x'}})",
    "keepalive": "await fetch('http://127.0.0.1:{b}/', {{keepalive: true}})",
    "request": (
        "const x = new XMLHttpRequest(); x.open('GET', 'http://127.0.0.1:{b}/', false);"
        "x.send()"
    ),
    "beacon": "navigator.sendBeacon('http://127.0.0.1:{b}/', 'x')",
    "image": "new Image().src = 'http://127.0.0.1:{b}/'",
    "image through a redirect": "new Image().src = '/away'",
    "style": "document.body.style.background = 'url(http://127.0.0.1:{b}/)'",
    "websocket": "new WebSocket('ws://127.0.0.1:{b}/')",
    "event source": "new EventSource('http://127.0.0.1:{b}/')",
    "frame": "add('<iframe src=http://127.0.0.1:{b}/>')",
    "frame through a redirect": "add('<iframe src=/away>')",
    "object": "add('<object data=http://127.0.0.1:{b}/>')",
    "stylesheet": "add('<link rel=stylesheet href=http://127.0.0.1:{b}/>')",
    "preload": "add('<link rel=preload as=image href=http://127.0.0.1:{b}/>')",
    "prefetch": "add('<link rel=prefetch href=http://127.0.0.1:{b}/>')",
    "preconnect": "add('<link rel=preconnect href=http://127.0.0.1:{b}/>')",
    "video": "add('<video autoplay src=http://127.0.0.1:{b}/>')",
    "script": (
        "document.head.append(Object.assign(document.createElement('script'),"
        "{{src: 'http://127.0.0.1:{b}/'}}))"
    ),
    "worker": (
        "new Worker(URL.createObjectURL(new Blob([`fetch('http://127.0.0.1:{b}/')`])))"
    ),
    "ping": (
        "add('<a id=p href=# ping=http://127.0.0.1:{b}/>p</a>');"
        "document.getElementById('p').click()"
    ),
    "turn over TCP and stun": (
        "const c = new RTCPeerConnection({{iceServers: [{{urls:"
        "['turn:127.0.0.1:{b}?transport=tcp', 'turn:127.0.0.1:{b}'], username: 'a',"
        "credential: 'b'}}, {{urls: 'stun:127.0.0.1:{b}'}}]}});"
        "c.createDataChannel('x');"
        "await c.setLocalDescription(await c.createOffer())"
    ),
    "form": "add('<form method=post action=http://127.0.0.1:{b}/>').submit()",
    "form through a redirect": "add('<form method=post action=/away>').submit()",
    "window": "window.open('http://127.0.0.1:{b}/')",
    "top navigation": "location.href = 'http://127.0.0.1:{b}/'",
    "top navigation through a redirect": "location.href = '/away'",
    "refresh": "add('<meta http-equiv=refresh content=\"0;url=http://127.0.0.1:{b}/\">')",
}
PAGE = """<button onclick="probe()">Go</button><script>
function add(html) {{
  document.body.insertAdjacentHTML('beforeend', html);
  return document.body.lastElementChild;
}}
async function probe() {{ {probe} }}
</script>"""


class Forbidden(asyncio.DatagramProtocol):
    """Counts whatever arrives on one port, over TCP or UDP."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self.port = 0

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.hits.append("udp")

    async def accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.hits.append("tcp")
        writer.close()


@asynccontextmanager
async def listen() -> AsyncIterator[Forbidden]:
    """Listen on one port over TCP and UDP."""
    listener = Forbidden()
    server = await asyncio.start_server(listener.accept, "127.0.0.1", 0)
    listener.port = server.sockets[0].getsockname()[1]
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: listener, local_addr=("127.0.0.1", listener.port)
    )
    try:
        yield listener
    finally:
        transport.close()
        server.close()
        await server.wait_closed()
