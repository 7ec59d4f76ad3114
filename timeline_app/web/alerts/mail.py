"""Mail notifications, through the mail server of the installation."""

from __future__ import annotations

import smtplib
from typing import Annotated, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email

from timeline_app.connectors.notifiers.contract import AlertMessage, Notifier
from timeline_app.connectors.options import Option
from timeline_app.connectors.sink_contract import TargetUnavailable

MAX_RECIPIENTS = 20


def split_addresses(text: str) -> list[str]:
    """Return the addresses of a list separated by commas."""
    return [address.strip() for address in text.split(",") if address.strip()]


def _check_addresses(text: str) -> str | None:
    addresses = split_addresses(text)
    if not 1 <= len(addresses) <= MAX_RECIPIENTS:
        return f"must be 1 to {MAX_RECIPIENTS} addresses, with commas between"
    for address in addresses:
        try:
            validate_email(address)
        except ValidationError:
            return f"{address[:100]!r} is no address of mail; write ada@example.org"
    return None


class MailNotifier(Notifier):
    """Sends mail to people."""

    title: ClassVar = "Mail"
    place: ClassVar = ("to",)
    max_news: ClassVar = 50
    summarises: ClassVar = True

    def __init__(
        self, *, to: Annotated[str, Option("The addresses, with commas between", _check_addresses)]
    ) -> None:
        self._to = split_addresses(to)

    def send(self, message: AlertMessage) -> None:
        """Send one mail to all; mail programs show the mails of an alert as one thread."""
        if not settings.EMAIL_HOST:
            raise TargetUnavailable("the server has no mail server: its administrator sets TIMELINE_MAIL")
        thread = f"<alert-{message.alert['id']}@{_domain()}>"
        headers = {
            "Message-ID": f"<{message.identity}@{_domain()}>", "In-Reply-To": thread, "References": thread,
            "Auto-Submitted": "auto-generated",
        }  # fmt: skip
        mail = EmailMessage(message.subject, format_mail(message), None, self._to, headers=headers)
        try:
            mail.send()
        except smtplib.SMTPException as why:
            raise TargetUnavailable(f"the mail server refuses the mail: {_describe(why)}") from why
        except OSError as why:
            raise TargetUnavailable(f"the mail server cannot be reached: {why}") from why


def format_mail(message: AlertMessage) -> str:
    """Return the text of a mail."""
    lines = [f"{incident_news.change}: {incident_news.text}" for incident_news in message.news]
    if message.left_out:
        lines.append(f"and {message.left_out:,} more")
    if message.alert["runbook"]:
        lines += ["", f"What to do: {message.alert['runbook']}"]
    return "\n".join(lines) + "\n"


def _domain() -> str:
    """Return the domain of the sender, for message ids."""
    return str(settings.DEFAULT_FROM_EMAIL).rpartition("@")[2].strip("<> ") or "localhost"


def _describe(why: smtplib.SMTPException) -> str:
    if isinstance(why, smtplib.SMTPRecipientsRefused):
        answers = [f"{code} {text.decode(errors='replace')}" for code, text in why.recipients.values()]
        return "; ".join(answers)[:300]
    if isinstance(why, smtplib.SMTPResponseException):
        text = (
            why.smtp_error.decode(errors="replace") if isinstance(why.smtp_error, bytes) else why.smtp_error
        )
        return f"{why.smtp_code} {text}"[:300]
    return str(why)[:300]
