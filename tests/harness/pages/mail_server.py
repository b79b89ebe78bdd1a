"""A mail server: it speaks SMTP (RFC 5321, with AUTH of RFC 4954) over a real socket and keeps what it is sent."""

import base64
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default


@dataclass
class Mailbox:
    """What came in. `logins`: (user, password) of each session that gave them."""

    port: int = 0
    logins: list[tuple[str, str]] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    box: Mailbox

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 mail.example.com")
        while line := self.rfile.readline(1_000).decode().strip():
            verb, _, rest = line.partition(" ")
            match verb.upper():
                case "EHLO":
                    self.say("250-mail.example.com")
                    self.say("250 AUTH PLAIN")
                case "AUTH":
                    _, user, password = base64.b64decode(rest.split()[-1]).decode().split("\0")
                    self.box.logins.append((user, password))
                    self.say("235 2.7.0 yes")
                case "RCPT":
                    self.box.recipients.append(rest.partition("<")[2].partition(">")[0])
                    self.say("250 yes")
                case "DATA":
                    self.say("354 go on")
                    lines = iter(self.rfile.readline, b".\r\n")
                    content = b"".join(one.removeprefix(b".") for one in lines)
                    self.box.mails.append(message_from_bytes(content, policy=default))  # type: ignore[arg-type]
                    self.say("250 kept")
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 yes")


@contextmanager
def receiving_mail() -> Iterator[Mailbox]:
    box = Mailbox()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("Session", (_Session,), {"box": box})) as server:
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield box
        finally:
            server.shutdown()
